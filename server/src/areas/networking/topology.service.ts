import { floatingIpKind, type FloatingIp } from '@mainstay/contract/networking/floating-ips'
import { loadBalancerKind, type LoadBalancer } from '@mainstay/contract/load-balancing/load-balancers'
import { poolKind, type LoadBalancerPool } from '@mainstay/contract/load-balancing/pools'
import { networkKind, type Network } from '@mainstay/contract/networking/networks'
import { portKind, type Port } from '@mainstay/contract/networking/ports'
import { routerKind, type Router } from '@mainstay/contract/networking/routers'
import {
  MAX_TOPOLOGY_NODES,
  type Topology,
  type TopologyEdge,
  type TopologyNode,
} from '@mainstay/contract/networking/topology'
import { connectionKind, type IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import type { Scope } from '@mainstay/engines/ports/scope'
import type { Tools } from '../../tools'
import { everyRow } from '../../http/rows/every-row'

/** ID of the node that represents everything beyond external networks. It has no row. */
const OUTSIDE = 'outside'

/** Returns the reason why one of the ends does not carry traffic, or null if all ends do. */
const brokenBy = (...ends: { what: string; status: string; fault?: string | null | undefined }[]): string | null => {
  const bad = ends.find(({ status }) => status !== 'ACTIVE' && status !== 'BUILD')
  return bad ? (bad.fault ?? `${bad.what} is ${bad.status}`) : null
}

/**
 * Edges from a load balancer to the instances of its members, one per instance. An edge is broken if any pool cannot
 * use the member.
 */
function toMembers(
  { id }: LoadBalancer,
  pools: readonly LoadBalancerPool[],
  machineAt: (portId: string) => string | undefined,
): TopologyEdge[] {
  const ways = new Map<string, TopologyEdge>()
  for (const { members } of pools.filter(({ loadbalancer_id }) => loadbalancer_id === id))
    for (const { port_id, address, enabled, health, reason } of members) {
      const to = port_id === null ? undefined : machineAt(port_id)
      if (to === undefined || !enabled) continue
      const way = ways.get(to) ?? { from: id, to, addresses: [], broken: null }
      if (!way.addresses.includes(address)) way.addresses.push(address)
      if (health === 'UNHEALTHY' || health === 'ERROR') way.broken ??= reason ?? 'The member is unhealthy'
      ways.set(to, way)
    }
  return [...ways.values()]
}

/** Node for the remote side of a VPN connection. */
const peerOf = ({ id, name, status, peer_address, remote_subnets }: IpsecSiteConnection) => ({
  ...{ id, kind: 'peer' as const, name, status, addresses: [peer_address, ...remote_subnets] },
})

const toPeer = ({ id, router_id, peer_address, status, reason }: IpsecSiteConnection): TopologyEdge => ({
  ...{ from: router_id, to: id, addresses: [peer_address] },
  broken:
    status === 'DOWN' || status === 'ERROR'
      ? (reason ?? 'The tunnel is down')
      : status === 'BUILD' || status === 'PENDING_CREATE'
        ? 'The tunnel is being created'
        : null,
})

/** Returns the topology of networks, routers and attached objects that are visible to the scope. */
export async function topologyOf(tools: Pick<Tools, 'inventory'>, scope: Scope): Promise<Topology> {
  const most = MAX_TOPOLOGY_NODES
  const [networks, routers, ports, floating, balancers, pools, connections] = await Promise.all([
    everyRow<Network>(tools, networkKind, scope, { most }),
    everyRow<Router>(tools, routerKind, scope, { most }),
    everyRow<Port>(tools, portKind, scope, { most: 2 * most }),
    everyRow<FloatingIp>(tools, floatingIpKind, scope, { most, assigned: 'true' }),
    everyRow<LoadBalancer>(tools, loadBalancerKind, scope, { most }),
    everyRow<LoadBalancerPool>(tools, poolKind, scope, { most }),
    everyRow<IpsecSiteConnection>(tools, connectionKind, scope, { most }),
  ])
  const nodes = new Map<string, TopologyNode>()
  const edges: TopologyEdge[] = []
  const add = (node: Omit<TopologyNode, 'addresses' | 'floating_ips'> & Partial<TopologyNode>) => {
    const known = nodes.get(node.id)
    if (!known) nodes.set(node.id, { addresses: [], floating_ips: [], ...node })
    else known.addresses.push(...(node.addresses ?? []))
  }

  for (const network of networks.rows) {
    const { id, name, status, subnets, router_external } = network
    const kind = router_external ? 'external_network' : 'network'
    add({ id, name, status, kind, addresses: subnets.map(({ cidr }) => cidr) })
    if (!router_external) continue
    add({ id: OUTSIDE, kind: 'outside', name: '', status: 'ACTIVE' })
    edges.push({ from: OUTSIDE, to: id, addresses: [], broken: brokenBy({ what: name, ...network }) })
  }
  for (const router of routers.rows) {
    const { id, name, status, external_gateway_info: gateway } = router
    add({ id, name, status, kind: 'router' })
    const broken = brokenBy({ what: name, ...router })
    if (gateway && nodes.has(gateway.network_id))
      edges.push({
        from: gateway.network_id,
        to: id,
        addresses: gateway.external_fixed_ips.map(({ ip_address }) => ip_address),
        broken: broken ?? brokenBy({ what: name, status: router.external_interface?.status ?? 'ACTIVE' }),
      })
    for (const leg of router.interfaces_info)
      if (nodes.has(leg.network_id))
        edges.push({
          from: id,
          to: leg.network_id,
          addresses: leg.fixed_ips.map(({ ip_address }) => ip_address),
          broken: broken ?? brokenBy({ what: leg.network_name, status: leg.status }),
        })
  }
  const publicOf = new Map<string, string[]>()
  for (const { port_id, floating_ip_address } of floating.rows)
    if (port_id !== null) publicOf.set(port_id, [...(publicOf.get(port_id) ?? []), floating_ip_address])
  let truncated = [networks, routers, ports, floating, balancers, pools, connections].some((found) => found.truncated)
  for (const port of ports.rows) {
    if (!port.device_owner.startsWith('compute:') || !nodes.has(port.network_id)) continue
    if (!nodes.has(port.device_id) && nodes.size >= most) {
      truncated = true
      continue
    }
    const addresses = port.fixed_ips.map(({ ip_address }) => ip_address)
    // ports of a stopped instance are down but not broken
    add({ id: port.device_id, kind: 'instance', name: port.device_name, status: port.status, addresses })
    nodes.get(port.device_id)!.floating_ips.push(...(publicOf.get(port.id) ?? []))
    edges.push({
      from: port.network_id,
      to: port.device_id,
      addresses,
      broken: port.status === 'ERROR' ? (port.fault ?? `${port.device_name} is not attached`) : null,
    })
  }
  const machineAt = new Map(ports.rows.map(({ id, device_id }) => [id, device_id]))
  for (const balancer of balancers.rows) {
    const { id, name, status, network_id, port_id, address } = balancer
    if (!nodes.has(network_id)) continue
    if (nodes.size >= most) {
      truncated = true
      break
    }
    add({ id, kind: 'load_balancer', name, status, addresses: [address], floating_ips: publicOf.get(port_id) ?? [] })
    const broken = balancer.fault ?? null
    edges.push({ from: network_id, to: id, addresses: [address], broken })
    edges.push(...toMembers(balancer, pools.rows, (portId) => machineAt.get(portId)).filter(({ to }) => nodes.has(to)))
  }
  for (const connection of connections.rows) {
    if (!nodes.has(connection.router_id)) continue
    if (nodes.size >= most) {
      truncated = true
      break
    }
    add(peerOf(connection))
    edges.push(toPeer(connection))
  }
  return { nodes: [...nodes.values()], edges, truncated }
}
