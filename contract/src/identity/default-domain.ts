/** The domain of system administrators; it is always there. */
export const DEFAULT_DOMAIN_ID = 'default'
