import * as z from 'zod'
import { endpoints, read } from '../core/endpoint'
import { Outage } from '../core/outage'

/** What the engine of networks can do here; the console hides what it can never do. */
export const NetworkingCapabilities = z.object({
  networks: z.boolean().describe('whether projects make networks of their own'),
  external_networks: z.boolean().describe('whether operators make external networks'),
  vlan_networks: z.boolean().describe('whether external networks can be in a VLAN'),
  routers: z.boolean(),
  floating_ips: z.boolean(),
  security_groups: z.boolean(),
  spoofing_protection: z.boolean().describe('whether it can be switched off'),
  published_ports: z.boolean().describe('whether ports of floating IPs are published on this machine'),
  reach_probe: z.boolean().describe('whether packets can be sent to show who reaches whom'),
  direct_vnics: z.boolean(),
})
export type NetworkingCapabilities = z.infer<typeof NetworkingCapabilities>

/** Something that networks need of their host. */
export const HostFact = z.object({
  name: z.string(),
  ok: z.boolean(),
  /** What is missing, and the command that brings it; else what there is to say of it. */
  detail: z.string().nullable(),
  /** Of something that happened. */
  at: z.string().optional(),
})
/** A process that carries networks. */
export const NetworkProcess = z.object({
  name: z.string(),
  running_since: z.string().nullable(),
  restarts: z.number().int(),
  last_fault: z.string().nullable(),
})

export const NetworkService = z.object({
  capabilities: NetworkingCapabilities,
  /** Why networks are not for real here, for people; null where they are. */
  unavailable: z.string().nullable(),
  outage: Outage.nullable(),
  /** Told to a system scope only, of an engine that is this machine. */
  host: z.object({ facts: z.array(HostFact), processes: z.array(NetworkProcess) }).nullable(),
})
export type NetworkService = z.infer<typeof NetworkService>

/** The infrastructure's networks that external networks can be made on. */
export const PhysicalNetwork = z.object({
  id: z.string(),
  name: z.string(),
  mtu: z.number().int(),
  vlans: z.boolean().describe('whether VLANs can be made on it'),
  host_only: z.boolean().describe('whether it ends at this host, as no network card carries it'),
})
export type PhysicalNetwork = z.infer<typeof PhysicalNetwork>

const path = '/api/v2/compute/networks/service'
export const networkService = endpoints({
  view: {
    verb: 'GET',
    path,
    needs: read('compute_networks'),
    summary: 'What networks can do here, and how they are',
    reply: NetworkService,
  },
  physicalNetworks: {
    verb: 'GET',
    path: `${path}/physical-networks`,
    needs: read('compute_public_networks'),
    summary: "The infrastructure's networks that external networks can be made on",
    reply: z.object({ data: z.array(PhysicalNetwork) }),
  },
})
