import { useSession } from '../../../session/session'

/**
 * Whether users can choose a password through a link, and can be required to change an initial password. False if a
 * cloud manages the users.
 */
export const useHasLinks = (): boolean => useSession(({ meta }) => meta?.services.identity.password_links ?? true)
