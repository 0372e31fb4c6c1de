/** A documentation address (RFC 5737) that stands for the internet. */
export const OUTSIDE = '192.0.2.1'
