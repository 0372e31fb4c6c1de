import type { PhysicalNetwork } from '@mainstay/contract/networking/network-service'
import { DEFAULT_MTU } from '@mainstay/contract/networking/address-texts'
import * as z from 'zod'
import type { ServiceClient } from '../../client/service-client'
import { orElse } from '../refusals'
import { whole } from '../wire'
import { WireNetwork } from './reader'

/** Configuration reported by agents: Open vSwitch and Linux bridge agents report objects, OVN agents a string. */
const Agent = z.object({
  configurations: z
    .object({
      bridge_mappings: z.record(z.string(), z.unknown()).optional(),
      interface_mappings: z.record(z.string(), z.unknown()).optional(),
      'bridge-mappings': z.string().optional(),
    })
    .default({}),
})

const Range = z.object({ network_type: z.string(), physical_network: z.string().nullish() })

/** Parses a text such as `public:br-ex,rack:br-rack`. */
const namesInText = (text: string | undefined): string[] =>
  (text ?? '').split(',').flatMap((pair) => pair.split(':')[0]?.trim() || [])

/**
 * Returns the cloud's physical networks. Its API does not list them, so they are taken from the configuration of its
 * agents or, if that has none, from the networks in use. If the VLAN ranges are unknown, VLANs are allowed on all of
 * them.
 */
export async function physicalNetworks(cloud: ServiceClient): Promise<PhysicalNetwork[]> {
  const orNone = <Row>(rows: Promise<Row[]>): Promise<Row[]> => orElse(rows, () => [])
  const [agents, networks, ranges] = await Promise.all([
    orNone(whole(cloud.pages('network', '/agents', 'agents', Agent))),
    whole(cloud.pages('network', '/networks', 'networks', WireNetwork)),
    orElse<z.output<typeof Range>[] | null>(
      whole(cloud.pages('network', '/network_segment_ranges', 'network_segment_ranges', Range)),
      () => null,
    ),
  ])
  const used = networks.flatMap((it) => it['provider:physical_network'] || [])
  const told = agents.flatMap(({ configurations }) => [
    ...Object.keys(configurations.bridge_mappings ?? {}),
    ...Object.keys(configurations.interface_mappings ?? {}),
    ...namesInText(configurations['bridge-mappings']),
  ])
  const vlans = new Set<string>()
  for (const { network_type, physical_network } of ranges ?? [])
    if (physical_network && network_type === 'vlan') vlans.add(physical_network)
  const mtuOf = (name: string) =>
    Math.max(0, ...networks.flatMap((it) => (it['provider:physical_network'] === name ? (it.mtu ?? []) : [])))
  return [...new Set(told.length > 0 ? told : [...used, ...vlans])]
    .map((name) => ({
      ...{ id: name, name, mtu: mtuOf(name) || DEFAULT_MTU },
      ...{ vlans: ranges === null || vlans.has(name), host_only: false },
    }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}
