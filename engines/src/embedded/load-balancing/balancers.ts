import { randomUUID } from 'node:crypto'
import { Problem, fieldProblem, problem, withField } from '@mainstay/contract/core/problems'
import type { LoadBalancerFlavor, LoadBalancerFlavorProfile } from '@mainstay/contract/load-balancing/flavors'
import type {
  LoadBalancer,
  LoadBalancerChange,
  LoadBalancerDraft,
  LoadBalancerStats,
  Topology,
} from '@mainstay/contract/load-balancing/load-balancers'
import { addressText, parseAddress } from '@mainstay/contract/networking/addresses'
import { deviceOwners } from '@mainstay/contract/networking/device-owners'
import type { FloatingIp } from '@mainstay/contract/networking/floating-ips'
import type { Network } from '@mainstay/contract/networking/networks'
import type { Port } from '@mainstay/contract/networking/ports'
import { subnetFor } from '../../load-balancing/subnets'
import type { LoadBalancersPort } from '../../ports/load-balancing'
import type { RecordsTransaction } from '../../ports/records'
import type { ProjectScope, Scope } from '../../ports/scope'
import { getOwn } from '../access'
import { thisNodeId } from '../../ports/named-id'
import type { Engine } from '../engine'
import { leadingTo, makeFloatingIp, takenFromPort } from '../networking/floating-ips'
import { tellFloatingIps } from '../networking/kept-ports'
import { changePort, putPort, unprotected } from '../networking/ports'
import { changing, lockNetworks, lockRouting, now, ownerOf, requireNetworks, usableNetwork } from '../networking/rows'
import { checkQuotas } from '../quotas'
import { flavorIdOf } from './flavors'
import { CREATE, DELETE, FAILOVER, RECREATE } from './jobs'
import { withUnknownHealth } from './members'
import { makePool } from './pools'
import { balancerKind, beingChanged, lockBalancer, poolsKind, poolsOf, putBalancer } from './rows'
import { statsOf } from './stats'

type Amphora = LoadBalancer['amphorae'][number]

/** Returns the amphorae for a new load balancer. In a pair, neither holds the address yet. */
const newAmphorae = (isPair: boolean): Amphora[] =>
  isPair ? [newAmphora('BACKUP'), newAmphora('BACKUP')] : [newAmphora('STANDALONE')]

const newAmphora = (role: Amphora['role']): Amphora => ({
  ...{ id: randomUUID(), role, active: role === 'STANDALONE', compute_id: thisNodeId },
})

/**
 * Returns the amphorae after a failover. In a pair, the active one is replaced and the other takes over; otherwise, all
 * are replaced.
 */
const replaced = ({ amphorae, ha_enabled }: LoadBalancer): Amphora[] =>
  amphorae.some(({ active }) => active) && ha_enabled
    ? amphorae.map((one) => (one.active ? newAmphora('BACKUP') : one))
    : newAmphorae(ha_enabled)

async function flavorOf(
  tx: RecordsTransaction,
  { flavor_id, ha_enabled }: LoadBalancerDraft,
  hasPairs: boolean,
): Promise<string> {
  if (ha_enabled && !hasPairs) throw fieldProblem('ha_enabled', 'loadBalancing.needs_keepalived')
  const topology: Topology = ha_enabled ? 'ACTIVE_STANDBY' : 'SINGLE'
  if (flavor_id === undefined) return flavorIdOf(topology)
  const flavor = await tx.get<LoadBalancerFlavor>('lb_flavor', flavor_id)
  if (!flavor?.enabled) throw fieldProblem('flavor_id', 'loadBalancing.no_such_flavor')
  const profile = await tx.get<LoadBalancerFlavorProfile>('lb_flavor_profile', flavor.flavor_profile_id)
  if (profile?.flavor_data.loadbalancer_topology !== topology)
    throw fieldProblem('flavor_id', 'loadBalancing.flavor_topology', { topology: ha_enabled ? 'single' : 'pair' })
  return flavor.id
}

/** Moves an error from the `port_id` field to the request field that it belongs to. */
async function asField<Result>(field: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Problem && 'port_id' in error.fields) throw withField(error, { field })
    throw error
  }
}

/** Assigns a floating IP of the project, given by address or ID, to the load balancer. Routing must be locked. */
async function assignFloatingIp(tx: RecordsTransaction, balancer: LoadBalancer, named: string): Promise<void> {
  const { project_id } = balancer
  const byAddress = await tx.find<FloatingIp>('floating_ip', { project_id, floating_ip_address: named }, 1)
  const [found] =
    byAddress.length > 0 ? byAddress : await tx.find<FloatingIp>('floating_ip', { project_id, id: named }, 1)
  const floating = found && (await tx.lock<FloatingIp>('floating_ip', found.id))
  if (!floating) throw fieldProblem('floating_ip', 'networking.no_such_floating_ip')
  if (floating.port_id === balancer.port_id) return
  if (floating.port_id !== null)
    throw fieldProblem('floating_ip', 'networking.floating_ip_assigned', {
      name: floating.attached_to ?? floating.port_id,
    })
  await tx.put('floating_ip', await asField('floating_ip', () => leadingTo(tx, floating, balancer.port_id, null)))
}

const create = (engine: Engine, scope: ProjectScope, draft: LoadBalancerDraft): Promise<LoadBalancer> =>
  changing(engine, async (tx) => {
    requireNetworks(engine, 'network_id')
    const seen = await usableNetwork(tx, scope, draft.network_id, { action: 'direct', field: 'network_id' })
    const { floating_ip, floating_network_id } = draft
    const isReached = Boolean(floating_ip) || floating_network_id !== undefined
    if (isReached) await lockRouting(tx)
    await lockNetworks(tx, [seen.id, ...(floating_network_id === undefined ? [] : [floating_network_id])])
    const network = (await tx.get<Network>('network', seen.id)) ?? seen
    const flavor_id = await flavorOf(tx, draft, engine.carrier.hasPairs)
    await checkQuotas(engine, tx, scope, {
      loadbalancer: { amount: 1, field: 'name' },
      ports: { amount: 1, field: 'network_id' },
    })
    const subnet = subnetFor(network, draft)
    const id = randomUUID()
    const port = await putPort(
      tx,
      {
        network: { ...network, subnets: [subnet] },
        owner: scope,
        device: { id, owner: deviceOwners.loadBalancer, name: draft.name },
        addresses: draft.address ? [{ ip_address: draft.address, subnet_id: subnet.id }] : null,
        ...{ mac: null, protection: unprotected, status: 'ACTIVE' },
      },
      { network: 'network_id', addresses: 'address', mac: 'network_id' },
    )
    const at = now()
    const made: LoadBalancer = {
      ...{ id, name: draft.name, description: draft.description, status: 'CREATING', fault: null },
      ...{ enabled: draft.enabled, network_id: network.id, network_name: network.name },
      ...{ ip_version: draft.ip_version, address: addressText(parseAddress(port.fixed_ips[0]!.ip_address)!) },
      ...{ port_id: port.id, floating_ip: null, floating_ip_id: null },
      ...{ ha_enabled: draft.ha_enabled, flavor_id, amphorae: newAmphorae(draft.ha_enabled) },
      ...{ pools: [], members_count: 0, members_healthy: 0, members_unhealthy: 0 },
      ...{ ...ownerOf(scope), created_at: at, updated_at: at },
    }
    await tx.put(balancerKind, made)
    for (const [place, pool] of draft.pools.entries()) await makePool(engine, tx, made, pool, `pools.${place}.`)
    if (floating_ip) await assignFloatingIp(tx, made, floating_ip)
    if (floating_network_id !== undefined)
      await asField('floating_network_id', () =>
        makeFloatingIp(engine, tx, scope, { floating_network_id, port_id: port.id, description: '' }),
      )
    const balancer = await putBalancer(tx, (await tx.get<LoadBalancer>(balancerKind, id)) ?? made)
    await tx.startJob({ name: CREATE, subject: { kind: balancerKind, id, name: draft.name }, args: {}, scope })
    return balancer
  })

const update = (engine: Engine, scope: Scope, id: string, change: LoadBalancerChange): Promise<LoadBalancer> =>
  changing(engine, async (tx) => {
    const { name, description, enabled, floating_ip } = change
    if (floating_ip !== undefined) {
      await getOwn<LoadBalancer>(tx, balancerKind, scope, id)
      await lockRouting(tx)
    }
    let balancer = await lockBalancer(tx, scope, id)
    if (floating_ip !== undefined) {
      if (floating_ip !== null) requireNetworks(engine, 'floating_ip')
      balancer = await reachedBy(tx, balancer, floating_ip)
    }
    if (name !== undefined && name !== balancer.name) await rename(tx, balancer, name)
    const isSwitched = enabled !== undefined && enabled !== balancer.enabled
    if (isSwitched)
      for (const pool of await poolsOf(tx, id))
        await tx.put(poolsKind, { ...pool, members: withUnknownHealth(pool.members) })
    return putBalancer(tx, balancer, {
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description }),
      updated_at: now(),
      ...(isSwitched && { enabled, ...beingChanged(balancer) }),
    })
  })

/** Replaces the assigned floating IP; null: removes it. Returns the updated load balancer. */
async function reachedBy(tx: RecordsTransaction, balancer: LoadBalancer, named: string | null): Promise<LoadBalancer> {
  const { floating_ip_id, floating_ip } = balancer
  const isSame = named !== null && (named === floating_ip_id || named === floating_ip)
  if (isSame) return balancer
  const before = floating_ip_id === null ? null : await tx.lock<FloatingIp>('floating_ip', floating_ip_id)
  if (before) await tx.put('floating_ip', await takenFromPort(tx, before))
  if (named !== null) await assignFloatingIp(tx, balancer, named)
  return (await tx.get<LoadBalancer>(balancerKind, balancer.id)) ?? balancer
}

/** Updates the load balancer's name in its port, floating IPs and pools. */
async function rename(tx: RecordsTransaction, { id, port_id }: LoadBalancer, name: string): Promise<void> {
  const port = await tx.lock<Port>('port', port_id)
  if (port) await tellFloatingIps(tx, await changePort(tx, port, { device_name: name }))
  for (const pool of await poolsOf(tx, id)) await tx.put(poolsKind, { ...pool, loadbalancer_name: name })
}

const remove = (engine: Engine, scope: Scope, id: string): Promise<LoadBalancer> =>
  changing(engine, async (tx) => {
    const balancer = await lockBalancer(tx, scope, id)
    for (const pool of await poolsOf(tx, id)) await tx.put(poolsKind, { ...pool, status: 'DELETING' })
    const leaving = await putBalancer(tx, balancer, { status: 'DELETING', updated_at: now() })
    await tx.startJob({ name: DELETE, subject: { kind: balancerKind, id, name: balancer.name }, args: {}, scope })
    return leaving
  })

/** Replaces the amphorae of a load balancer and deploys it again. */
const carriedAnew = (engine: Engine, scope: Scope, id: string, job: typeof RECREATE | typeof FAILOVER) =>
  changing(engine, async (tx) => {
    requireNetworks(engine)
    const balancer = await lockBalancer(tx, scope, id)
    const isBroken = balancer.status === 'ERROR' || balancer.status === 'DEPLOYMENT_FAILED'
    if (job === RECREATE && !isBroken)
      throw problem('loadBalancing.rebuild_in_error', {}, { data: { status: balancer.status } })
    const amphorae = job === FAILOVER ? replaced(balancer) : newAmphorae(balancer.ha_enabled)
    const fresh = { status: 'CREATING', fault: null, amphorae, updated_at: now() } as const
    // if no existing amphora is kept, the health of the members is unknown until they are checked again
    if (amphorae.every(({ id: one }) => balancer.amphorae.every((other) => other.id !== one)))
      for (const pool of await poolsOf(tx, id))
        await tx.put(poolsKind, { ...pool, members: withUnknownHealth(pool.members) })
    const changed = await putBalancer(tx, balancer, fresh)
    await tx.startJob({ name: job, subject: { kind: balancerKind, id, name: balancer.name }, args: {}, scope })
    return changed
  })

async function stats(engine: Engine, scope: Scope, id: string): Promise<LoadBalancerStats> {
  const [balancer, pools] = await engine.records.transaction(
    async (tx) => [await getOwn<LoadBalancer>(tx, balancerKind, scope, id), await poolsOf(tx, id)] as const,
  )
  return statsOf(balancer, pools, (await engine.hypervisor.dataplane?.balancers())?.get(id))
}

export const balancerCommands = (engine: Engine): LoadBalancersPort => ({
  create: (scope, draft) => create(engine, scope, draft),
  update: (scope, id, change) => update(engine, scope, id, change),
  delete: (scope, id) => remove(engine, scope, id),
  recreate: (scope, id) => carriedAnew(engine, scope, id, RECREATE),
  failover: (scope, id) => carriedAnew(engine, scope, id, FAILOVER),
  stats: (scope, id) => stats(engine, scope, id),
})
