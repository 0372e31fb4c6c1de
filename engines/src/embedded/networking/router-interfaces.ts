import { fieldProblem, problem, problemOf } from '@mainstay/contract/core/problems'
import type { FloatingIp } from '@mainstay/contract/networking/floating-ips'
import type { Network } from '@mainstay/contract/networking/networks'
import { deviceOwners, type Port } from '@mainstay/contract/networking/ports'
import { isInRange, parseAddress, parseRange } from '@mainstay/contract/networking/addresses'
import {
  overlapFault,
  routeFaults,
  conflictingRoute,
  type ConnectedSubnet,
} from '@mainstay/contract/networking/router-rules'
import { MAX_ROUTER_INTERFACES, type Router, type RouterInterface } from '@mainstay/contract/networking/routers'
import type { Subnet } from '@mainstay/contract/networking/subnets'
import type { RecordsTransaction } from '../../ports/records'
import type { Scope } from '../../ports/scope'
import { giveBack, holderOf, takeAddress, takeFreeAddress, type AskedAddress, type FixedIp } from './addresses'
import { changePort, putPort, releasePort, unprotected } from './ports'
import { tunnelsOfSubnets, usersTold } from './tunnels-of-routers'
import { gatewayIsHost, lockNetworks, lockRouting, namesOf, now, usableNetwork } from './rows'

/** Converts a port to an interface of its router. */
const legOf = (port: Port, isExternal: boolean): RouterInterface => ({
  port_id: port.id,
  network_id: port.network_id,
  network_name: port.network_name,
  mac_address: port.mac_address,
  fixed_ips: port.fixed_ips,
  status: 'ACTIVE',
  is_external: isExternal,
})

/** Returns the routers that are connected to a network. */
export const connectedBy = (tx: RecordsTransaction, networkId: string): Promise<Router[]> =>
  tx
    .find<Port>('port', { network_id: networkId, device_owner: deviceOwners.routerInterface })
    .then((ports) => Promise.all(ports.map(({ device_id }) => tx.get<Router>('router', device_id))))
    .then((routers) => routers.filter((router): router is Router => router !== null))

/** Returns the subnets that a router is connected to, and its addresses in them. */
export async function connectedSubnets(
  tx: RecordsTransaction,
  { interfaces_info, external_interface }: Pick<Router, 'interfaces_info' | 'external_interface'>,
): Promise<ConnectedSubnet[]> {
  const subnets: ConnectedSubnet[] = []
  for (const leg of [...interfaces_info, ...(external_interface ? [external_interface] : [])]) {
    const network = await tx.get<Network>('network', leg.network_id)
    for (const { id, cidr } of network?.subnets ?? []) {
      const addresses = leg.fixed_ips.flatMap((ip) => (ip.subnet_id === id ? [ip.ip_address] : []))
      subnets.push({ id, cidr, addresses, network_id: leg.network_id, network_name: leg.network_name })
    }
  }
  return subnets
}

/** Allocates the gateway address of a subnet if it is free, otherwise any free address. */
async function addressOfRouter(
  tx: RecordsTransaction,
  network: Network,
  subnet: Subnet,
  portId: string,
  field: string,
): Promise<FixedIp> {
  const taking = { network, holder: { port_id: portId }, field, isRouter: true }
  const { gateway_ip } = subnet
  const isFree = gateway_ip !== null && !gatewayIsHost(network) && !(await holderOf(tx, network.id, gateway_ip))
  const isInside = isFree && isInRange(parseAddress(gateway_ip)!, parseRange(subnet.cidr)!)
  if (isInside) return takeAddress(tx, { ip_address: gateway_ip }, taking)
  return takeFreeAddress(tx, subnet, taking)
}

/** Throws `validation`, `overlapping_subnet` or `not_routable` if the network cannot be connected to the router. */
async function refuseLeg(tx: RecordsTransaction, router: Router, network: Network, field: string): Promise<void> {
  if (network.router_external) throw fieldProblem(field, 'networking.is_external')
  if (network.subnets.length === 0) throw fieldProblem(field, 'networking.no_subnet_to_route')
  if (router.interfaces_info.some(({ network_id }) => network_id === network.id))
    throw fieldProblem(field, 'networking.connected_already')
  if (router.interfaces_info.length >= MAX_ROUTER_INTERFACES)
    throw fieldProblem(field, 'networking.most_networks_of_router', { most: MAX_ROUTER_INTERFACES })
  const added = network.subnets.map(({ cidr }) => ({ cidr, network_name: network.name }))
  const fault = overlapFault(added, await connectedSubnets(tx, router), field)
  if (fault) throw problemOf(fault.message, { field: fault.field, code: fault.code })
  const inTheWay = conflictingRoute(added, router.routes)
  if (inTheWay !== null) throw problemOf(inTheWay, { field })
}

/**
 * Connects a router to a network. Routing must be locked, and the caller writes the returned row. `at` is the path of
 * the draft in the request.
 */
export async function withInterface(
  tx: RecordsTransaction,
  scope: Scope,
  router: Router,
  draft: { network_id: string; ip_address?: string | undefined },
  at: string,
): Promise<Router> {
  const field = `${at}network_id`
  const seen = await usableNetwork(tx, scope, draft.network_id, { action: 'direct', field })
  await lockNetworks(tx, [seen.id])
  const network = (await tx.get<Network>('network', seen.id)) ?? seen
  await refuseLeg(tx, router, network, field)
  const port = await putRouterPort(tx, router, network, deviceOwners.routerInterface, field)
  const fixed_ips: FixedIp[] = []
  const asked = draft.ip_address
  if (asked !== undefined) {
    const isGateway = gatewayIsHost(network) && network.subnets.some(({ gateway_ip }) => gateway_ip === asked)
    if (isGateway) throw fieldProblem(`${at}ip_address`, 'networking.ip_in_use')
    const taking = { network, holder: { port_id: port.id }, field: `${at}ip_address`, isRouter: true }
    fixed_ips.push(await takeAddress(tx, { ip_address: asked }, taking))
  }
  for (const subnet of network.subnets)
    if (!fixed_ips.some(({ subnet_id }) => subnet_id === subnet.id))
      fixed_ips.push(await addressOfRouter(tx, network, subnet, port.id, field))
  const made = await changePort(tx, port, { fixed_ips })
  return { ...router, interfaces_info: [...router.interfaces_info, legOf(made, false)] }
}

/**
 * Changes the addresses of a router interface to one in each subnet of its network, and updates the router. Throws
 * `ip_address_in_use`, or a `validation` error if a route would lead to the router itself.
 */
export async function moveLeg(tx: RecordsTransaction, seen: Port, asked: readonly AskedAddress[]): Promise<Port> {
  const field = 'fixed_ips'
  await lockRouting(tx)
  const router = await tx.lock<Router>('router', seen.device_id)
  await lockNetworks(tx, [seen.network_id])
  const port = await tx.lock<Port>('port', seen.id)
  const network = await tx.get<Network>('network', seen.network_id)
  if (!port || !network || !router || router.status === 'PENDING_DELETE')
    throw problem('networking.not_connected_any_more')
  await giveBack(
    tx,
    network.id,
    port.fixed_ips.map(({ ip_address }) => ip_address),
  )
  const taking = { network, holder: { port_id: port.id }, field, isRouter: !gatewayIsHost(network) }
  const fixed_ips: FixedIp[] = []
  for (const it of asked) fixed_ips.push(await takeAddress(tx, it, taking))
  const isOneOfEach = network.subnets.every(({ id }) => fixed_ips.filter((it) => it.subnet_id === id).length === 1)
  if (!isOneOfEach) throw fieldProblem(field, 'networking.one_address_each')
  const made = await changePort(tx, port, { fixed_ips })
  const interfaces_info = router.interfaces_info.map((it) => (it.port_id === port.id ? legOf(made, false) : it))
  const changed = { ...router, interfaces_info, updated_at: now() }
  const [fault] = routeFaults(router.routes, await connectedSubnets(tx, changed), router.routes)
  if (fault) throw fieldProblem(field, 'networking.route_uses_address')
  await tx.put('router', changed)
  return made
}

/** Creates a router port without addresses. */
const putRouterPort = (
  tx: RecordsTransaction,
  router: Router,
  network: Network,
  deviceOwner: string,
  field: string,
): Promise<Port> =>
  putPort(
    tx,
    {
      network: { ...network, subnets: [] },
      owner: router,
      device: { id: router.id, owner: deviceOwner, name: router.name },
      ...{ addresses: null, mac: null, protection: unprotected, status: 'ACTIVE' },
    },
    { network: field, addresses: field, mac: field },
  )

/** Gives a router an address in a new subnet of a connected network. */
export async function joinSubnet(
  tx: RecordsTransaction,
  routerId: string,
  network: Network,
  subnet: Subnet,
): Promise<void> {
  const router = await tx.lock<Router>('router', routerId)
  const leg = router?.interfaces_info.find(({ network_id }) => network_id === network.id)
  const port = leg && (await tx.lock<Port>('port', leg.port_id))
  if (!router || !leg || !port) return
  const address = await addressOfRouter(tx, network, subnet, port.id, 'cidr')
  const made = await changePort(tx, port, { fixed_ips: [...port.fixed_ips, address] })
  const interfaces_info = router.interfaces_info.map((it) => (it === leg ? legOf(made, false) : it))
  await tx.put('router', { ...router, interfaces_info, updated_at: now() })
}

export interface GatewayAsked {
  network_id: string
  enable_snat: boolean
  external_fixed_ips?: readonly AskedAddress[] | undefined
}

/** Sets the external gateway of a router. Only operators may choose its addresses. */
export async function withGateway(
  tx: RecordsTransaction,
  scope: Scope,
  router: Router,
  { network_id, enable_snat, external_fixed_ips: asked }: GatewayAsked,
): Promise<Router> {
  const at = 'external_gateway_info.'
  const field = `${at}network_id`
  const before = router.external_gateway_info
  if (asked && asked.length > 0 && scope.kind !== 'system')
    throw fieldProblem(`${at}external_fixed_ips`, 'networking.gateway_address_of_operators')
  const stays = before?.network_id === network_id
  if (stays && !asked) return { ...router, external_gateway_info: { ...before, enable_snat } }
  const seen = await usableNetwork(tx, scope, network_id, { action: 'routed', field })
  if (!seen.router_external) throw fieldProblem(field, 'networking.choose_external')
  await lockNetworks(tx, [network_id])
  const network = (await tx.get<Network>('network', network_id)) ?? seen
  if (network.subnets.length === 0) throw fieldProblem(field, 'networking.network_without_addresses')
  const bare = await withoutGateway(tx, router)
  const added = network.subnets.map(({ cidr }) => ({ cidr, network_name: network.name }))
  const fault = overlapFault(added, await connectedSubnets(tx, bare), field)
  if (fault) throw problemOf(fault.message, { field: fault.field, code: fault.code })
  const inTheWay = conflictingRoute(added, router.routes)
  if (inTheWay !== null) throw problemOf(inTheWay, { field })
  const port = await putRouterPort(tx, router, network, deviceOwners.routerGateway, field)
  const taking = { network, holder: { port_id: port.id }, field }
  const fixed_ips: FixedIp[] = []
  for (const [place, it] of (asked ?? []).entries())
    fixed_ips.push(await takeAddress(tx, it, { ...taking, field: `${at}external_fixed_ips.${place}.ip_address` }))
  for (const subnet of network.subnets)
    if (!fixed_ips.some(({ subnet_id }) => subnet_id === subnet.id))
      fixed_ips.push(await takeFreeAddress(tx, subnet, taking))
  const made = await changePort(tx, port, { fixed_ips })
  return {
    ...bare,
    external_gateway_info: { network_id, network_name: network.name, external_fixed_ips: fixed_ips, enable_snat },
    external_interface: legOf(made, true),
  }
}

export async function withoutGateway(tx: RecordsTransaction, router: Router): Promise<Router> {
  if (router.external_interface) await releasePort(tx, router.external_interface.port_id)
  return { ...router, external_gateway_info: null, external_interface: null }
}

/** Returns the floating IPs that a router routes, optionally only those for one of its networks. */
export async function floatingThrough(
  tx: RecordsTransaction,
  routerId: string,
  networkId?: string,
): Promise<FloatingIp[]> {
  const all = await tx.find<FloatingIp>('floating_ip', { router_id: routerId })
  if (networkId === undefined) return all
  const led = await Promise.all(all.map(({ port_id }) => tx.get<Port>('port', port_id ?? '')))
  return all.filter((_, at) => led[at]?.network_id === networkId)
}

const usedBy = (floating: readonly FloatingIp[]) =>
  floating.map(({ id, floating_ip_address }) => ({ kind: 'floating_ip', id, name: floating_ip_address }))

/** Throws `router_in_use` if floating IPs depend on the gateway. */
export async function refuseWhileFloating(tx: RecordsTransaction, router: Router): Promise<void> {
  const floating = await floatingThrough(tx, router.id)
  if (floating.length === 0) return
  const names = namesOf(floating.map((it) => it.floating_ip_address))
  throw problem('networking.router_has_floating_ips', { names }, { data: { used_by: usedBy(floating) } })
}

/**
 * Disconnects a router from a network. Throws `router_interface_in_use` if floating IPs, routes or VPN connections
 * depend on it.
 */
export async function withoutInterface(tx: RecordsTransaction, router: Router, networkId: string): Promise<Router> {
  const leg = router.interfaces_info.find(({ network_id }) => network_id === networkId)
  if (!leg) throw fieldProblem('network_id', 'networking.not_connected')
  await lockNetworks(tx, [networkId])
  const floating = await floatingThrough(tx, router.id, networkId)
  const network = await tx.get<Network>('network', networkId)
  const ranges = (network?.subnets ?? []).map(({ cidr }) => parseRange(cidr)!)
  const routes = router.routes.filter(({ nexthop }) => ranges.some((range) => isInRange(parseAddress(nexthop)!, range)))
  const tunnels = (
    await tunnelsOfSubnets(
      tx,
      (network?.subnets ?? []).map(({ id }) => id),
    )
  ).filter((it) => it.router_id === router.id)
  if (floating.length > 0 || routes.length > 0 || tunnels.length > 0) {
    const names = [
      ...floating.map((it) => it.floating_ip_address),
      ...routes.map((it) => `route to ${it.destination}`),
      ...tunnels.map((it) => `VPN connection ${it.name}`),
    ]
    const others = routes.map(({ destination }) => ({ kind: 'route', id: destination, name: destination }))
    throw problem(
      'networking.network_needed_by',
      { names: namesOf(names) },
      { data: { used_by: [...usedBy(floating), ...others, ...usersTold(tunnels)] } },
    )
  }
  await releasePort(tx, leg.port_id)
  return { ...router, interfaces_info: router.interfaces_info.filter((it) => it !== leg) }
}
