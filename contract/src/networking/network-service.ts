import * as z from 'zod'
import { endpoints, read } from '../core/endpoint'
import { Outage } from '../core/outage'

/** Capabilities of the networking engine. The console hides what the engine never supports. */
export const NetworkingCapabilities = z.object({
  networks: z.boolean().describe('Whether projects can create networks.'),
  external_networks: z.boolean().describe('Whether operators can create external networks.'),
  vlan_networks: z.boolean().describe('Whether external networks can use a VLAN.'),
  routers: z.boolean(),
  floating_ips: z.boolean(),
  security_groups: z.boolean(),
  spoofing_protection: z.boolean().describe('Whether spoofing protection can be turned off.'),
  published_ports: z.boolean().describe('Whether ports of floating IPs can be published on this host.'),
  reach_probe: z.boolean().describe('Whether reachability can be tested with real packets.'),
  direct_vnics: z.boolean(),
})
export type NetworkingCapabilities = z.infer<typeof NetworkingCapabilities>

/** A networking requirement on the host, or a past event. */
export const HostFact = z.object({
  name: z.string(),
  ok: z.boolean(),
  /** Why the requirement is not met, or additional information. */
  detail: z.string().nullable(),
  /** Command that fixes a requirement, to be run as root; null if no command can. */
  command: z.string().nullable(),
  /** What needs the requirement, for a requirement that is not met. */
  needed_for: z.enum(['networks', 'vpn']).optional(),
  /** Time, for events. */
  at: z.string().optional(),
})
export type HostFact = z.infer<typeof HostFact>

/** A process that networking depends on. */
export const NetworkProcess = z.object({
  name: z.string(),
  running_since: z.string().nullable(),
  restarts: z.number().int(),
  last_fault: z.string().nullable(),
})

export const NetworkService = z.object({
  capabilities: NetworkingCapabilities,
  /** Message that tells users why networking is simulated on this host; null if it is not simulated. */
  unavailable: z.string().nullable(),
  outage: Outage.nullable(),
  /** Returned only to system scopes, and only if the engine runs on this host. */
  host: z.object({ facts: z.array(HostFact), processes: z.array(NetworkProcess) }).nullable(),
})
export type NetworkService = z.infer<typeof NetworkService>

/** An infrastructure network on which external networks can be created. */
export const PhysicalNetwork = z.object({
  id: z.string(),
  name: z.string(),
  mtu: z.number().int(),
  vlans: z.boolean().describe('Whether it can have VLANs.'),
  host_only: z.boolean().describe('Whether it is limited to this host because it has no network adapter.'),
})
export type PhysicalNetwork = z.infer<typeof PhysicalNetwork>

const path = '/api/v2/compute/networks/service'
export const networkService = endpoints({
  view: {
    verb: 'GET',
    path,
    needs: read('compute_networks'),
    summary: 'Get the capabilities and the state of networking',
    reply: NetworkService,
  },
  physicalNetworks: {
    verb: 'GET',
    path: `${path}/physical-networks`,
    needs: read('compute_public_networks'),
    summary: 'List the physical networks. External networks are created on them.',
    reply: z.object({ data: z.array(PhysicalNetwork) }),
  },
})
