/** Path of the connectivity check page. */
export const reachPath = '/compute/networks/reach'
