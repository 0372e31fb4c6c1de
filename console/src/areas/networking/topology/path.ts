/** Where the picture of what is connected with what is. */
export const topologyPath = '/compute/networks/topology'
