import type { Subnet } from '@mainstay/contract/networking/subnets'
import * as z from 'zod'
import type { Reading } from '../../kind-reader'
import { rowOfEach } from '../../read-each'
import { restReader } from '../../rest-reader'
import { WireTime } from '../../wire-time'
import { isSharedWithAll, sharingOf, type Sharing } from '../networks/sharing'
import { beforeTimes } from '../wire'

/** A subnet in Neutron. */
export const WireSubnet = z.object({
  id: z.string(),
  name: z.string().nullish(),
  network_id: z.string(),
  cidr: z.string(),
  ip_version: z.union([z.literal(4), z.literal(6)]),
  allocation_pools: z.array(z.object({ start: z.string(), end: z.string() })).default([]),
  dns_nameservers: z.array(z.string()).default([]),
  gateway_ip: z.string().nullish(),
  enable_dhcp: z.boolean().default(false),
  ipv6_ra_mode: z.string().nullish(),
  ipv6_address_mode: z.string().nullish(),
  shared: z.boolean().default(false),
  project_id: z.string(),
  created_at: WireTime.nullish(),
})
export type WireSubnet = z.output<typeof WireSubnet>

/** Builds the row of a subnet, which is shared together with its network. */
export const subnetOf = (wire: WireSubnet, domainId: string, sharing: Sharing | null): Subnet => ({
  id: wire.id,
  name: wire.name || wire.cidr,
  network_id: wire.network_id,
  cidr: wire.cidr,
  ip_version: wire.ip_version,
  allocation_pools: wire.allocation_pools,
  dns_nameservers: wire.dns_nameservers,
  gateway_ip: wire.gateway_ip || null,
  enable_dhcp: wire.enable_dhcp,
  ipv6_ra_mode: wire.ipv6_ra_mode ?? null,
  ipv6_address_mode: wire.ipv6_address_mode ?? null,
  shared: isSharedWithAll(sharing, wire.network_id, wire.shared),
  rbac_policies: sharing?.get(wire.network_id) ?? [],
  project_id: wire.project_id,
  domain_id: domainId,
  created_at: wire.created_at ?? beforeTimes,
})

const rowOf = async (reading: Reading, wire: WireSubnet, sharing: Sharing | null): Promise<Subnet> =>
  subnetOf(wire, await reading.domainOf(wire.project_id), sharing)

const pageSize = 500

/**
 * Reads the subnets of one network, or of all networks if null. They are grouped by network ID and ordered by subnet
 * ID.
 */
export async function subnetsByNetwork(
  reading: Reading,
  sharing: Sharing | null,
  networkId: string | null,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Subnet[]>> {
  const query = { limit: pageSize, ...(networkId !== null && { network_id: networkId }) }
  const found = new Map<string, Subnet[]>()
  const pages = reading.caller.pages('network', '/subnets', 'subnets', WireSubnet, {
    query,
    ...(signal && { signal }),
  })
  for await (const page of pages) {
    for (const subnet of await rowOfEach(reading, 'subnets', page, (wire) => rowOf(reading, wire, sharing)))
      found.set(subnet.network_id, [...(found.get(subnet.network_id) ?? []), subnet])
  }
  for (const subnets of found.values()) subnets.sort((one, other) => (one.id < other.id ? -1 : 1))
  return found
}

/** Subnets in all projects. */
export const subnetReader = restReader({
  kind: 'subnet',
  service: 'network',
  path: '/subnets',
  key: ['subnets', 'subnet'],
  item: WireSubnet,
  query: { limit: pageSize },
  around: {
    ofAll: (reading, signal) => sharingOf(reading, null, signal),
    ofOne: (reading, { network_id }, signal) => sharingOf(reading, [network_id], signal),
  },
  row: (wire, reading, sharing) => rowOf(reading, wire, sharing),
})
