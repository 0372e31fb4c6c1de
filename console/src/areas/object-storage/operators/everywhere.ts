/** Used in place of a domain ID to select the users in all domains. */
export const EVERYWHERE = 'cluster'
