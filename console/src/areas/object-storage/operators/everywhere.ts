/** In the place of a domain's id: the users of all domains. */
export const EVERYWHERE = 'cluster'
