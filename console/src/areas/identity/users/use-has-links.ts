import { useSession } from '../../../session/session'

/** Whether users choose their passwords by links, and have to change one that was typed for them: a cloud that keeps them knows neither. */
export const useHasLinks = (): boolean => useSession(({ meta }) => meta?.services.identity.password_links ?? true)
