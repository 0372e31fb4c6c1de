import { says, type RuleText } from '@mainstay/contract/core/said'
import { randomUUID } from 'node:crypto'
import { fieldProblem, problem, problemOf } from '@mainstay/contract/core/problems'
import { versionOf } from '@mainstay/contract/networking/addresses'
import { routerForFloatingIp } from '@mainstay/contract/networking/floating-ip-rules'
import type {
  FloatingIp,
  FloatingIpChange,
  FloatingIpDraft,
  FloatingIpTarget,
} from '@mainstay/contract/networking/floating-ips'
import type { LoadBalancer } from '@mainstay/contract/load-balancing/load-balancers'
import { isOfLoadBalancer } from '@mainstay/contract/networking/device-owners'
import type { Network } from '@mainstay/contract/networking/networks'
import type { Port } from '@mainstay/contract/networking/ports'
import type { FloatingIpsPort } from '../../ports/networking'
import type { RecordsTransaction } from '../../ports/records'
import type { ProjectScope, Scope } from '../../ports/scope'
import { getOwn, lockOwn } from '../access'
import type { Engine } from '../engine'
import { checkQuotas } from '../quotas'
import { giveBack, takeAddress, takeFreeAddress } from './addresses'
import { changePort, unassigned } from './ports'
import { closed, publish, published, unpublish } from './published-ports'
import { connectedBy } from './router-interfaces'
import {
  changing,
  hasNat,
  lockNetworks,
  lockRouting,
  nameOfUser,
  now,
  ownerOf,
  requireNetworks,
  usableNetwork,
} from './rows'

const kind = 'floating_ip'

const reasons: Record<NonNullable<FloatingIpTarget['reason']>, RuleText> = {
  no_router: says('networking.no_router_for_address'),
  host_network: says('networking.network_uses_host'),
  router_without_gateway: says('networking.router_without_gateway'),
  other_external_network: says('networking.router_has_other_gateway'),
  has_floating_ip: says('networking.address_has_floating_ip'),
  no_ipv4_address: says('networking.port_not_ipv4'),
}

/** Updates the floating IPs of a port, and the address shown by a load balancer that owns the port. */
async function lead(tx: RecordsTransaction, port: Port, floating_ips: string[], by: FloatingIp | null): Promise<void> {
  await changePort(tx, port, { floating_ips })
  if (!isOfLoadBalancer(port.device_owner)) return
  const balancer = await tx.lock<LoadBalancer>('load_balancer', port.device_id)
  if (!balancer) return
  const floating_ip = by?.floating_ip_address ?? null
  await tx.put('load_balancer', { ...balancer, floating_ip, floating_ip_id: by?.id ?? null, updated_at: now() })
}

/** Unassigns a floating IP from its port. */
export async function takenFromPort(tx: RecordsTransaction, floating: FloatingIp): Promise<FloatingIp> {
  const port = floating.port_id === null ? null : await tx.lock<Port>('port', floating.port_id)
  if (port)
    await lead(
      tx,
      port,
      port.floating_ips.filter((id) => id !== floating.id),
      null,
    )
  return unassigned(floating)
}

/**
 * Assigns a floating IP to an address of a port. Routing must be locked. Throws `not_routable` or
 * `port_already_has_fip`.
 */
export async function leadingTo(
  tx: RecordsTransaction,
  floating: FloatingIp,
  portId: string,
  asked: string | null | undefined,
): Promise<FloatingIp> {
  const port = await tx.lock<Port>('port', portId)
  if (!port || port.project_id !== floating.project_id || port.device_owner.startsWith('network:'))
    throw fieldProblem('port_id', 'networking.no_such_port')
  const fixed = asked
    ? port.fixed_ips.find(({ ip_address }) => ip_address === asked)
    : port.fixed_ips.find(({ ip_address }) => versionOf(ip_address) === 4)
  if (!fixed && asked) throw fieldProblem('fixed_ip_address', 'networking.port_without_address')
  if (!fixed) throw problemOf(reasons.no_ipv4_address, { field: 'port_id' })
  if (versionOf(fixed.ip_address) !== 4) throw fieldProblem('fixed_ip_address', 'networking.floating_ip_is_ipv4')
  const others = await tx.find<FloatingIp>(kind, { port_id: port.id })
  if (others.some((it) => it.id !== floating.id && it.fixed_ip_address === fixed.ip_address))
    throw problemOf(reasons.has_floating_ip, { field: 'port_id' })
  const network = await tx.get<Network>('network', port.network_id)
  const subnet = network?.subnets.find(({ id }) => id === fixed.subnet_id)
  if (!network || !subnet || network.router_external) throw problemOf(reasons.no_router, { field: 'port_id' })
  const routers = (await connectedBy(tx, network.id)).filter(({ status }) => status !== 'PENDING_DELETE')
  const { router, reason } = routerForFloatingIp(subnet, floating.floating_network_id, routers)
  if (reason === 'no_router' && hasNat(network)) throw problemOf(reasons.host_network, { field: 'port_id' })
  if (!router || reason) throw problemOf(reasons[reason ?? 'no_router'], { field: 'port_id' })
  if (!port.floating_ips.includes(floating.id)) await lead(tx, port, [...port.floating_ips, floating.id], floating)
  const attachment =
    port.device_id === ''
      ? null
      : { object_name: port.device_name, object_id: port.device_id, device_owner: port.device_owner }
  return {
    ...floating,
    ...{ port_id: port.id, fixed_ip_address: fixed.ip_address, router_id: router.id, attachment },
    attached_to: nameOfUser(port),
    ...{ status: 'ACTIVE', fault: null },
  }
}

/** Allocates a floating IP, and assigns it if the draft names a port. Locks routing. */
export async function makeFloatingIp(
  engine: Engine,
  tx: RecordsTransaction,
  scope: ProjectScope,
  draft: FloatingIpDraft,
): Promise<FloatingIp> {
  requireNetworks(engine, 'floating_network_id')
  const { floating_network_id, floating_ip_address: asked, port_id, description } = draft
  const how = { action: 'routed', field: 'floating_network_id' } as const
  const seen = await usableNetwork(tx, scope, floating_network_id, how)
  if (!seen.router_external) throw fieldProblem('floating_network_id', 'networking.choose_external')
  if (asked !== undefined && scope.kind !== 'system')
    throw fieldProblem('floating_ip_address', 'networking.address_of_operators')
  await lockRouting(tx)
  await lockNetworks(tx, [seen.id])
  const network = (await tx.get<Network>('network', seen.id)) ?? seen
  // if an operator allocates it, it belongs to the port's project
  const target = port_id ? await getOwn<Port>(tx, 'port', scope, port_id).catch(() => null) : null
  if (port_id && !target) throw fieldProblem('port_id', 'networking.no_such_port')
  const owner = ownerOf(target ?? scope)
  await checkQuotas(engine, tx, owner, { floatingip: { amount: 1, field: 'floating_network_id' } })
  const id = randomUUID()
  const taking = { network, holder: { floating_ip_id: id }, field: 'floating_network_id' }
  const subnet = network.subnets.find(({ ip_version }) => ip_version === 4)
  if (!subnet) throw fieldProblem('floating_network_id', 'networking.no_ipv4_addresses')
  if (asked !== undefined && versionOf(asked) !== 4)
    throw fieldProblem('floating_ip_address', 'networking.address_of_cidr', { cidr: subnet.cidr })
  const { ip_address } =
    asked === undefined
      ? await takeFreeAddress(tx, subnet, taking)
      : await takeAddress(tx, { ip_address: asked }, { ...taking, field: 'floating_ip_address' })
  const at = now()
  const made: FloatingIp = {
    ...{ id, description, floating_ip_address: ip_address },
    ...{ floating_network_id: network.id, floating_network_name: network.name },
    ...{ fixed_ip_address: null, port_id: null, router_id: null, attachment: null, attached_to: null },
    ...{ status: 'DOWN', fault: null, published_ports: [], ...owner, created_at: at, updated_at: at },
  }
  const floating = port_id ? await leadingTo(tx, made, port_id, draft.fixed_ip_address) : made
  await tx.put(kind, floating)
  return floating
}

const createFloatingIp = (engine: Engine, scope: ProjectScope, draft: FloatingIpDraft): Promise<FloatingIp> =>
  changing(engine, (tx) => makeFloatingIp(engine, tx, scope, draft))

async function lockFloating(tx: RecordsTransaction, scope: Scope, id: string): Promise<FloatingIp> {
  await getOwn<FloatingIp>(tx, kind, scope, id)
  await lockRouting(tx)
  return lockOwn<FloatingIp>(tx, kind, scope, id)
}

const updateFloatingIp = (engine: Engine, scope: Scope, id: string, change: FloatingIpChange): Promise<FloatingIp> =>
  changing(engine, async (tx) => {
    let floating = await lockFloating(tx, scope, id)
    const { port_id, fixed_ip_address, description } = change
    const wanted = port_id === undefined ? floating.port_id : port_id
    if (fixed_ip_address && wanted === null) throw fieldProblem('fixed_ip_address', 'networking.choose_port')
    if (port_id === null) floating = await takenFromPort(tx, floating)
    else if (wanted !== null && (port_id !== undefined || fixed_ip_address !== undefined)) {
      requireNetworks(engine, 'port_id')
      if (floating.port_id !== null && floating.port_id !== wanted) floating = await takenFromPort(tx, floating)
      floating = await leadingTo(tx, floating, wanted, fixed_ip_address)
    }
    const changed = published({
      ...floating,
      ...(description !== undefined && { description }),
      updated_at: now(),
    })
    await tx.put(kind, changed)
    return changed
  })

const deleteFloatingIp = (engine: Engine, scope: Scope, id: string): Promise<void> =>
  changing(engine, async (tx) => {
    const floating = await lockFloating(tx, scope, id)
    await lockNetworks(tx, [floating.floating_network_id])
    await takenFromPort(tx, floating)
    await giveBack(tx, floating.floating_network_id, [floating.floating_ip_address])
    await closed(tx, id)
    await tx.remove(kind, id)
  })

export const floatingIpCommands = (engine: Engine): FloatingIpsPort => ({
  create: (scope, draft) => createFloatingIp(engine, scope, draft),
  update: (scope, id, change) => updateFloatingIp(engine, scope, id, change),
  delete: (scope, id) => deleteFloatingIp(engine, scope, id),
  publish: (scope, id, port) =>
    changing(engine, async (tx) => {
      requireNetworks(engine)
      const floating = await lockFloating(tx, scope, id)
      if (floating.port_id === null)
        throw problem('networking.floating_ip_unassigned', {}, { data: { status: floating.status } })
      const changed = await publish(tx, floating, port)
      await tx.put(kind, changed)
      return changed
    }),
  unpublish: (scope, id, port) =>
    changing(engine, async (tx) => {
      const changed = unpublish(await lockFloating(tx, scope, id), port)
      if (changed.published_ports?.length === 0) await closed(tx, id)
      await tx.put(kind, changed)
      return changed
    }),
})
