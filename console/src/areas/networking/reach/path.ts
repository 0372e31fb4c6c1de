/** Path of the connectivity check. */
export const reachPath = '/compute/networks/reach'
