/** An address of nobody (RFC 5737): it stands for all that is outside. */
export const OUTSIDE = '192.0.2.1'
