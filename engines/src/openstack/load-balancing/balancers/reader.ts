import {
  loadBalancerKind,
  type LoadBalancer,
  type LoadBalancerStatus,
} from '@mainstay/contract/load-balancing/load-balancers'
import { poolKind, type LoadBalancerPool } from '@mainstay/contract/load-balancing/pools'
import { versionOf } from '@mainstay/contract/networking/addresses'
import { Problem } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import { countsOf } from '../../../load-balancing/counts'
import type { KindReader, Reading } from '../../kind-reader'
import { namesIn, type Names } from '../../networking/names'
import { beforeTimes, pageSize, whole } from '../../networking/wire'
import { restReader } from '../../rest-reader'
import { asPools, familyOf, unsupportedParts, type Family } from '../family'
import { flavorOfProvider } from '../providers'
import { paths, stuckReason, WireBalancer } from '../wire'

const WireAmphora = z.object({
  id: z.string(),
  loadbalancer_id: z.string().nullish(),
  compute_id: z.string().nullish(),
  role: z.string().nullish(),
  status: z.string().nullish(),
})
type WireAmphora = z.output<typeof WireAmphora>
const WireFloating = z.object({ id: z.string(), floating_ip_address: z.string(), port_id: z.string().nullish() })
type WireFloating = z.output<typeof WireFloating>

interface Around {
  networks: Names
  /** Floating IPs by port ID. */
  floating: ReadonlyMap<string, WireFloating>
  amphorae: readonly WireAmphora[]
  family: Family
  /** Pools of the load balancers, as stored in the index. */
  pools: readonly LoadBalancerPool[]
}

const more = (signal: AbortSignal | undefined) => (signal ? { signal } : {})

/** Returns no rows if the service or its provider does not have this list or refuses access to it. */
async function orNothing<Row>(reading: Promise<Row[]>): Promise<Row[]> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return []
    throw error
  }
}

/** Reads the objects related to one load balancer, or to all load balancers if null. */
async function around(reading: Reading, one: WireBalancer | null, signal?: AbortSignal): Promise<Around> {
  const { caller, records } = reading
  const options = (query: Record<string, string | string[] | number>) => ({ query, ...more(signal) })
  const fields = ['id', 'floating_ip_address', 'port_id']
  const [networks, floating, amphorae, family, pools] = await Promise.all([
    namesIn(reading, 'networks', one ? [one.vip_network_id].filter(Boolean) : null, signal),
    orNothing(
      whole(
        caller.pages('network', '/floatingips', 'floatingips', WireFloating, {
          ...options({ fields, limit: pageSize, ...(one && { port_id: one.vip_port_id }) }),
        }),
      ),
    ),
    orNothing(
      whole(
        caller.pages('load-balancer', '/octavia/amphorae', 'amphorae', WireAmphora, {
          ...options(one ? { loadbalancer_id: one.id } : { limit: pageSize }),
        }),
      ),
    ),
    familyOf(reading, one?.id ?? null, signal),
    records?.transaction((tx) =>
      tx.find<LoadBalancerPool & { [field: string]: unknown }>(poolKind.name, one ? { loadbalancer_id: one.id } : {}),
    ) ?? [],
  ])
  return { networks, amphorae, family, pools, floating: byPort(floating) }
}
const byPort = (rows: readonly WireFloating[]) =>
  new Map(rows.flatMap((row) => (row.port_id ? [[row.port_id, row] as const] : [])))

const pending: Readonly<Record<string, LoadBalancerStatus>> = {
  ...{ PENDING_CREATE: 'CREATING', PENDING_UPDATE: 'CONFIGURING', PENDING_DELETE: 'DELETING', ERROR: 'ERROR' },
}
const statusOf = ({ provisioning_status, admin_state_up }: WireBalancer): LoadBalancerStatus =>
  pending[provisioning_status] ?? (admin_state_up ? 'ACTIVE' : 'DISABLED')

const gone = ['DELETED', 'PENDING_DELETE']
const roles = ['STANDALONE', 'MASTER', 'BACKUP'] as const
const amphoraOf = ({ id, role, status, compute_id }: WireAmphora): LoadBalancer['amphorae'][number] => {
  const known = roles.find((one) => one === role) ?? 'STANDALONE'
  return { id, role: known, active: known !== 'BACKUP' && status === 'ALLOCATED', compute_id: compute_id ?? null }
}

const failed = 'The cloud could not apply the last change and gives no reason. Rebuilding the load balancer may help'

/** Returns the listeners and pools of one load balancer. */
const familyFor = ({ listeners, pools }: Family, id: string): Family => ({
  listeners: listeners.filter((listener) => listener.loadbalancers.includes(id)),
  pools: new Map([...pools].filter(([, pool]) => pool.loadbalancers.includes(id))),
})

async function balancerOf(wire: WireBalancer, { domainOf }: Reading, found: Around): Promise<LoadBalancer | null> {
  if (wire.provisioning_status === 'DELETED') return null
  const family = familyFor(found.family, wire.id)
  const shown = asPools(family)
  const floating = found.floating.get(wire.vip_port_id)
  const amphorae = found.amphorae
    .filter(({ loadbalancer_id, status }) => loadbalancer_id === wire.id && !gone.includes(status ?? ''))
    .map(amphoraOf)
  const members = found.pools.filter((pool) => pool.loadbalancer_id === wire.id).flatMap((pool) => pool.members)
  const status = statusOf(wire)
  const created_at = wire.created_at ?? beforeTimes
  return {
    ...{ id: wire.id, name: wire.name || wire.id, description: wire.description, status },
    fault: status === 'ERROR' ? failed : stuckReason(wire),
    enabled: wire.admin_state_up,
    network_id: wire.vip_network_id,
    network_name: found.networks.get(wire.vip_network_id) ?? wire.vip_network_id,
    ip_version: wire.vip_address !== '' && versionOf(wire.vip_address) === 6 ? 6 : 4,
    ...{ address: wire.vip_address, port_id: wire.vip_port_id },
    ...{ floating_ip: floating?.floating_ip_address ?? null, floating_ip_id: floating?.id ?? null },
    ha_enabled: amphorae.some(({ role }) => role !== 'STANDALONE'),
    flavor_id: wire.flavor_id ?? flavorOfProvider(wire.provider),
    provider: wire.provider,
    foreign: unsupportedParts(family),
    amphorae,
    pools: shown.map(({ listener, forwarding }) => ({
      id: listener.id,
      name: listener.name || `${forwarding.protocol}-${listener.protocol_port}`,
    })),
    // members of a pool shared by two listeners count once
    ...countsOf([...new Map(members.map((member) => [member.id, member])).values()]),
    ...{ project_id: wire.project_id, domain_id: await domainOf(wire.project_id) },
    ...{ created_at, updated_at: wire.updated_at ?? created_at },
  }
}

const ofCloud = restReader({
  kind: loadBalancerKind.name,
  service: 'load-balancer',
  path: paths.balancers,
  key: ['loadbalancers', 'loadbalancer'],
  item: WireBalancer,
  query: { limit: pageSize },
  around: {
    ofAll: (reading, signal) => around(reading, null, signal),
    ofOne: (reading, wire, signal) => around(reading, wire, signal),
  },
  row: balancerOf,
  isNeverAnnounced: true,
  isBusy: ({ status }: LoadBalancer) => status === 'CREATING' || status === 'CONFIGURING' || status === 'DELETING',
  shownAs: ({ name }: LoadBalancer) => name,
  shownBy: ({ pools }: LoadBalancer) => pools.map(({ id }) => ({ kind: poolKind.name, id })),
})

/** Load balancers in all projects. Empty if the cloud does not have the service. */
export const loadBalancerReader: KindReader<LoadBalancer> & Pick<typeof ofCloud, 'one'> = {
  ...ofCloud,
  async *all(reading, signal) {
    if (await reading.caller.has('load-balancer')) yield* ofCloud.all(reading, signal)
  },
}
