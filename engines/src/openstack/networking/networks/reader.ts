import { NetworkStatus, type Network } from '@mainstay/contract/networking/networks'
import type { Subnet } from '@mainstay/contract/networking/subnets'
import * as z from 'zod'
import type { Reading } from '../../kind-reader'
import { restReader } from '../../rest-reader'
import { WireTime } from '../../wire-time'
import { isSharedWithAll, sharingOf, type Sharing } from './sharing'
import { subnetsByNetwork } from '../subnets/reader'
import { beforeTimes } from '../wire'

/** A network in Neutron, as an administrator sees it. Fields of missing extensions are absent. */
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
  description: z.string().nullish(),
  project_id: z.string(),
  created_at: WireTime.nullish(),
})
export type WireNetwork = z.output<typeof WireNetwork>

/** Returns the type of a network. Users see all tunnel types as one type. */
const typeOf = (wire: WireNetwork): Network['type'] => {
  const type = wire['provider:network_type']
  return type === 'flat' || type === 'vlan' ? type : 'vxlan'
}

const usualMtu = 1500

/** Data for a network's row that comes from other lists. */
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
  // the network's policies apply to its subnets
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

const pageSize = 500

/** Networks in all projects. */
export const networkReader = restReader({
  kind: 'network',
  service: 'network',
  path: '/networks',
  key: ['networks', 'network'],
  item: WireNetwork,
  query: { limit: pageSize },
  around: {
    ofAll: (reading, signal) => sharingAndSubnets(reading, null, signal),
    ofOne: (reading, { id }, signal) => sharingAndSubnets(reading, id, signal),
  },
  row: async (wire, { domainOf }, { sharing, subnets }) =>
    networkOf(wire, { sharing, subnets: subnets.get(wire.id) ?? [], domainId: await domainOf(wire.project_id) }),
  // it is not known here which rows include the network's name, but networks are rarely renamed
  shownBy: () => ['port', 'router', 'floating_ip', 'server'].map((kind) => ({ kind, id: null })),
  isBusy: ({ status }) => status === 'BUILD' || status.startsWith('PENDING'),
})

/** Reads the policies and subnets of one network, or of all networks if null. */
async function sharingAndSubnets(reading: Reading, networkId: string | null, signal: AbortSignal | undefined) {
  const sharing = await sharingOf(reading, networkId === null ? null : [networkId], signal)
  return { sharing, subnets: await subnetsByNetwork(reading, sharing, networkId, signal) }
}
