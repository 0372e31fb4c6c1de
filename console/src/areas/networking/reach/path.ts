/** Where it is asked who can reach whom. */
export const reachPath = '/compute/networks/reach'
