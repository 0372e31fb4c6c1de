import * as z from 'zod'
import { endpoints, read } from '../core/endpoint'

export const MAX_TOPOLOGY_NODES = 2000

/**
 * A thing of the picture. `outside` is the world beyond external networks, `peer` what is at the other side of a VPN connection: it has
 * the id, the name and the status of that connection.
 */
export const TopologyNode = z.object({
  id: z.string(),
  kind: z.enum(['outside', 'external_network', 'router', 'network', 'instance', 'load_balancer', 'port', 'peer']),
  name: z.string(),
  status: z.string(),
  /** Ranges of a network, addresses of a machine or a load balancer; of a peer its address, and the ranges behind it. */
  addresses: z.array(z.string()),
  /** Floating IPs of a machine or a load balancer. */
  floating_ips: z.array(z.string()),
})
export type TopologyNode = z.infer<typeof TopologyNode>

/** A way between two nodes. `broken`: it does not carry packets now, and why. */
export const TopologyEdge = z.object({
  from: z.string(),
  to: z.string(),
  /** The addresses at that end. */
  addresses: z.array(z.string()),
  broken: z.string().nullable(),
})
export type TopologyEdge = z.infer<typeof TopologyEdge>

export const Topology = z.object({
  nodes: z.array(TopologyNode),
  edges: z.array(TopologyEdge),
  /** There are more than 2000 nodes: these are the first of them. */
  truncated: z.boolean(),
})
export type Topology = z.infer<typeof Topology>

export const topology = endpoints({
  view: {
    verb: 'GET',
    path: '/api/v2/compute/networks/topology',
    needs: read('compute_networks'),
    summary: 'What is connected with what in the networks that one sees',
    reply: Topology,
  },
})
