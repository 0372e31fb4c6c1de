import { NetworkStatus, type Network } from '@mainstay/contract/networking/networks'
import type { Subnet } from '@mainstay/contract/networking/subnets'
import * as z from 'zod'
import { unreadableIn, type KindReader, type Reading } from '../kind-reader'
import { readEach, rowOfEach } from '../read-each'
import { WireTime } from '../wire-time'
import { isSharedWithAll, sharingOf, type Sharing } from './sharing'
import { subnetsByNetwork } from './subnets'

/** A network as Neutron tells it to an administrator. Without some extensions some fields are missing. */
export const WireNetwork = z.object({
  id: z.string(),
  name: z.string().nullish(),
  status: z.string().nullish(),
  shared: z.boolean().default(false),
  'router:external': z.boolean().default(false),
  'provider:network_type': z.string().nullish(),
  'provider:physical_network': z.string().nullish(),
  'provider:segmentation_id': z.number().nullish(),
  mtu: z.number().nullish(),
  port_security_enabled: z.boolean().default(true),
  project_id: z.string(),
  created_at: WireTime.nullish(),
})
export type WireNetwork = z.output<typeof WireNetwork>

/** Networks within tunnels, however these are made, are one type to who uses them. */
const typeOf = (wire: WireNetwork): Network['type'] => {
  const type = wire['provider:network_type']
  return type === 'flat' || type === 'vlan' ? type : 'vxlan'
}

const beforeTimes = new Date(0).toISOString()
const usualMtu = 1500

/** What a network's row says besides what the network itself tells. */
interface Around {
  domainId: string
  sharing: Sharing | null
  subnets: readonly Subnet[]
}

export const networkOf = (wire: WireNetwork, { domainId, sharing, subnets }: Around): Network => ({
  id: wire.id,
  name: wire.name || wire.id,
  status: NetworkStatus.safeParse(wire.status).data ?? 'DOWN',
  type: typeOf(wire),
  // it says itself with whom they are shared
  subnets: subnets.map(({ rbac_policies: _, ...subnet }) => subnet),
  shared: isSharedWithAll(sharing, wire.id, wire.shared),
  ipam_enabled: subnets.length > 0,
  router_external: wire['router:external'],
  physical_network: wire['provider:physical_network'] ?? null,
  vlan_id: typeOf(wire) === 'vlan' ? (wire['provider:segmentation_id'] ?? null) : null,
  mtu: wire.mtu ?? usualMtu,
  rbac_policies: sharing?.get(wire.id) ?? [],
  spoofing_protection: wire.port_security_enabled,
  default_vnic_type: 'normal',
  project_id: wire.project_id,
  domain_id: domainId,
  created_at: wire.created_at ?? beforeTimes,
})

async function rowOf(
  reading: Reading,
  wire: WireNetwork,
  sharing: Sharing | null,
  subnets: ReadonlyMap<string, Subnet[]>,
): Promise<Network> {
  const domainId = await reading.domainOf(wire.project_id)
  return networkOf(wire, { domainId, sharing, subnets: subnets.get(wire.id) ?? [] })
}

const pageSize = 500

/** Networks of every project. */
export const networkReader: KindReader<Network> = {
  kind: 'network',
  list: 'networks',

  async *all(reading, signal) {
    const sharing = await sharingOf(reading, null, signal)
    const subnets = await subnetsByNetwork(reading, sharing, null, signal)
    const options = { query: { limit: pageSize }, ...(signal && { signal }) }
    for await (const page of reading.caller.pages('network', '/networks', 'networks', WireNetwork, options))
      yield await rowOfEach(reading, 'networks', page, (wire) => rowOf(reading, wire, sharing, subnets))
  },

  async some(reading, ids, signal) {
    const shape = z.object({ network: WireNetwork })
    const options = signal ? { signal } : {}
    const readOne = async (id: string) => {
      const { network } = await reading.caller.get('network', `/networks/${encodeURIComponent(id)}`, shape, options)
      const sharing = await sharingOf(reading, [id], signal)
      return rowOf(reading, network, sharing, await subnetsByNetwork(reading, sharing, id, signal))
    }
    return readEach(ids, readOne, unreadableIn(reading, 'networks'))
  },

  isBusy: ({ status }) => status === 'BUILD' || status.startsWith('PENDING'),
}
