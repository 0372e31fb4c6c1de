/** Path of the network topology page. */
export const topologyPath = '/compute/networks/topology'
