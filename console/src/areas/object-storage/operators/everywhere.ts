/** Used instead of a domain ID for the users of all domains. */
export const EVERYWHERE = 'cluster'
