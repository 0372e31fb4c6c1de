import * as z from 'zod'
import { endpoints, read } from '../core/endpoint'

export const MAX_TOPOLOGY_NODES = 2000

/**
 * A node of the topology. `outside`: everything beyond external networks. `peer`: the remote side of a VPN connection,
 * with the ID, name and status of the connection.
 */
export const TopologyNode = z.object({
  id: z.string(),
  kind: z.enum(['outside', 'external_network', 'router', 'network', 'instance', 'load_balancer', 'port', 'peer']),
  name: z.string(),
  status: z.string(),
  /**
   * Ranges of a network, or addresses of an instance or load balancer; for a peer, its address and the ranges behind
   * it.
   */
  addresses: z.array(z.string()),
  /** Floating IPs of an instance or load balancer. */
  floating_ips: z.array(z.string()),
})
export type TopologyNode = z.infer<typeof TopologyNode>

/** A connection between two nodes. `broken`: why it does not currently carry traffic, or null. */
export const TopologyEdge = z.object({
  from: z.string(),
  to: z.string(),
  /** Addresses of the connection, such as those of the attached router or instance. */
  addresses: z.array(z.string()),
  broken: z.string().nullable(),
})
export type TopologyEdge = z.infer<typeof TopologyEdge>

export const Topology = z.object({
  nodes: z.array(TopologyNode),
  edges: z.array(TopologyEdge),
  /** True if there are more than 2000 nodes; the response then contains the first 2000. */
  truncated: z.boolean(),
})
export type Topology = z.infer<typeof Topology>

export const topology = endpoints({
  view: {
    verb: 'GET',
    path: '/api/v2/compute/networks/topology',
    needs: read('compute_networks'),
    summary: 'Get the network topology. Includes the networks that you can see.',
    reply: Topology,
  },
})
