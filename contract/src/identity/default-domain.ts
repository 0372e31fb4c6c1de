/** Domain of the system administrators. It always exists. */
export const DEFAULT_DOMAIN_ID = 'default'
