/** In the place of a domain's id in a path: whichever domain of those that the caller sees the row is in (AIP-159). */
export const ANY_DOMAIN = '-'
