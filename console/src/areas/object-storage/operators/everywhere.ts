/** Used in place of a domain ID to mean the users in all domains. */
export const EVERYWHERE = 'cluster'
