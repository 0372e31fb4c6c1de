import { loadBalancerKind } from '@mainstay/contract/load-balancing/load-balancers'
import { poolKind, type LoadBalancerPool } from '@mainstay/contract/load-balancing/pools'
import type { Port } from '@mainstay/contract/networking/ports'
import { unreadableIn, type KindReader, type Reading } from '../../kind-reader'
import { readEach, rowOfEach, unlessGone } from '../../read-each'
import { whole } from '../../networking/wire'
import { keptCertificate } from '../certificates'
import { asPools, familyOf, forwardingIn, listOf, type Family } from '../family'
import {
  at,
  BalancerAnswer,
  ListenerAnswer,
  membersOf,
  MonitorAnswer,
  paths,
  PoolAnswer,
  WireBalancer,
  WireMember,
  WireMonitor,
  type WireListener,
} from '../wire'
import { poolOf, type PoolParts } from './shape'

const more = (signal: AbortSignal | undefined) => (signal ? { signal } : {})

const readMembers = ({ caller }: Pick<Reading, 'caller'>, pool: string, signal?: AbortSignal) =>
  whole(caller.pages('load-balancer', membersOf(pool), 'members', WireMember, more(signal)))

/** Reads a listener with its pool, monitor and members from the service. Throws `not_found`. */
export async function readParts(reading: Pick<Reading, 'caller'>, id: string, signal?: AbortSignal) {
  const { caller } = reading
  const options = more(signal)
  const { listener } = await caller.get('load-balancer', at(paths.listeners, id), ListenerAnswer, options)
  const { default_pool_id } = listener
  const answer = default_pool_id
    ? await unlessGone(caller.get('load-balancer', at(paths.pools, default_pool_id), PoolAnswer, options))
    : null
  const pool = answer?.pool ?? null
  const [monitor, members] = await Promise.all([
    pool?.healthmonitor_id
      ? unlessGone(caller.get('load-balancer', at(paths.monitors, pool.healthmonitor_id), MonitorAnswer, options))
      : null,
    pool ? unlessGone(readMembers(reading, pool.id, signal)) : [],
  ])
  return { listener, pool, monitor: monitor?.healthmonitor ?? null, members: members ?? [] }
}

/** Returns the ports of a project. Each project is read from the index only once. */
function portsOfProjects({ records }: Reading): (project: string) => Promise<Port[]> {
  const known = new Map<string, Promise<Port[]>>()
  return (project_id) => {
    const ports =
      known.get(project_id) ??
      records?.transaction((tx) => tx.find<Port & { [field: string]: unknown }>('port', { project_id }))
    if (!ports) return Promise.resolve([])
    known.set(project_id, ports)
    return ports
  }
}

const whoseOf = ({ loadbalancers: [id] }: WireListener): string => id ?? ''

async function rowOf(
  reading: Reading,
  parts: Omit<PoolParts, 'ports' | 'kept' | 'domainId'>,
  portsOf: (project: string) => Promise<Port[]>,
): Promise<LoadBalancerPool> {
  const { listener, forwarding } = parts
  const [ports, domainId, kept] = await Promise.all([
    portsOf(listener.project_id),
    reading.domainOf(listener.project_id),
    forwarding.tls_enabled ? keptCertificate(reading.records, listener.id) : null,
  ])
  return poolOf({ ...parts, ports, domainId, kept })
}

async function everyRow(reading: Reading, signal?: AbortSignal): Promise<LoadBalancerPool[]> {
  const [family, balancers, monitors] = await Promise.all([
    familyOf(reading, null, signal),
    listOf(reading, [paths.balancers, 'loadbalancers'], WireBalancer, null, signal),
    listOf(reading, [paths.monitors, 'healthmonitors'], WireMonitor, null, signal),
  ])
  const shown = asPools(family)
  const members = await membersOfAll(reading, family, signal)
  const balancerOf = new Map(balancers.map((balancer) => [balancer.id, balancer]))
  const monitorOf = new Map(monitors.map((monitor) => [monitor.id, monitor]))
  const portsOf = portsOfProjects(reading)
  const named = shown.map((one) => ({ ...one, id: one.listener.id }))
  return rowOfEach(reading, 'listeners', named, ({ listener, pool, forwarding }) => {
    const balancer = balancerOf.get(whoseOf(listener)) ?? { id: whoseOf(listener), name: '' }
    const monitor = (pool?.healthmonitor_id && monitorOf.get(pool.healthmonitor_id)) || null
    const parts = { balancer, listener, pool, forwarding, monitor, members: (pool && members.get(pool.id)) ?? [] }
    return rowOf(reading, parts, portsOf)
  })
}

/** Reads the members of all pools. The service lists members only per pool. */
async function membersOfAll(reading: Reading, family: Family, signal?: AbortSignal) {
  const wanted = asPools(family).flatMap(({ pool }) => (pool && pool.members.length > 0 ? [pool.id] : []))
  return readEach(wanted, (id) => readMembers(reading, id, signal))
}

/** Pools in all projects: each is a listener with its default pool. Empty if the cloud does not have the service. */
export const lbPoolReader: KindReader<LoadBalancerPool> = {
  kind: poolKind.name,
  service: 'load-balancer',
  list: 'listeners',
  isNeverAnnounced: true,

  async *all(reading, signal) {
    if (await reading.caller.has('load-balancer')) yield everyRow(reading, signal)
  },

  async some(reading, ids, signal) {
    const portsOf = portsOfProjects(reading)
    return readEach(
      ids,
      async (id) => {
        const parts = await readParts(reading, id, signal)
        const forwarding = forwardingIn(parts.listener, parts.pool)
        if (!forwarding) return null
        const path = at(paths.balancers, whoseOf(parts.listener))
        const { loadbalancer } = await reading.caller.get('load-balancer', path, BalancerAnswer, more(signal))
        return rowOf(reading, { ...parts, forwarding, balancer: loadbalancer }, portsOf)
      },
      unreadableIn(reading, 'listeners'),
    )
  },

  isBusy: ({ status }) => status === 'CREATING' || status === 'CONFIGURING' || status === 'DELETING',
  // load balancers include the number and health of their members
  shownAs: ({ name, members_count, members_healthy, members_unhealthy }) => [
    ...[name, members_count, members_healthy, members_unhealthy],
  ],
  shownBy: ({ loadbalancer_id }) => [{ kind: loadBalancerKind.name, id: loadbalancer_id }],
}
