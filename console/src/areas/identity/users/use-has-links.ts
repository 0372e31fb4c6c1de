import { useSession } from '../../../session/session'

/**
 * Whether users can choose passwords by links and be required to change an initial one. Not if a cloud manages users.
 */
export const useHasLinks = (): boolean => useSession(({ meta }) => meta?.services.identity.password_links ?? true)
