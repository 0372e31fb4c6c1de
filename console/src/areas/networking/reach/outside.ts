/** Represents the internet in checks: an address reserved for documentation (RFC 5737). */
export const OUTSIDE = '192.0.2.1'
