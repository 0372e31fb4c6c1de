/** Path of the network topology. */
export const topologyPath = '/compute/networks/topology'
