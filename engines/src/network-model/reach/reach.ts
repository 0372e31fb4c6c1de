import { bare, canonical, versionOf } from '../addresses'
import { firstMatch, type Packet } from '../compile/match'
import { ownOutside } from '../compile/routers'
import { reachMap, type Leg, type Owner, type ReachMap } from './map'
import { throughBalancer } from './balancers'
import { otherEndOf, tunnelBeside, tunnelOut, tunnelsFrom, tunnelsOf, type ReachTunnel } from './tunnels'
import { ends, missingRule, numbers, redirect, remember, takenBack, type Travel } from './travel'
import type { AskedQuestion, ReachExplanation, ReachObstacle, ReachStep } from './types'
import type { WantedNetwork, WantedNetworks, WantedPort, WantedRouter } from '../wanted'

/*
 * Computes reachability from the wanted state, from which the firewall rules are also compiled. Follows the first
 * packet of a connection to its destination, and then the response back.
 */

const echo = { icmp: { type: 8, code: 0 }, icmpv6: { type: 128, code: 0 } }
const mostHops = 16

class Stop extends Error {
  readonly obstacle: ReachObstacle
  constructor(obstacle: ReachObstacle) {
    super(obstacle.kind)
    this.obstacle = obstacle
  }
}
const stop = (obstacle: ReachObstacle): never => {
  throw new Stop(obstacle)
}

/**
 * Explains whether the first packet is allowed and the response returns, with the steps and any obstacle. `tunnels` are
 * the tunnels of the wanted state, with their current status.
 */
export function explainReach<Question extends AskedQuestion>(
  wanted: WantedNetworks,
  question: Question,
  tunnels: readonly ReachTunnel[] = tunnelsOf(wanted),
): ReachExplanation<Question> {
  const steps: ReachStep[] = []
  try {
    const map = reachMap(wanted, tunnels)
    const { port, named, packet, isOfPeer } = opening(map, question)
    const isSeen = typeof question.from === 'object' && 'address' in question.from && question.from.isSeen === true
    const travel: Travel = { packet, steps, translations: [], hops: 0, isAsked: true, isOfPeer, isSeen, beside: null }
    // packets that a guest sends to itself never leave the guest
    if (packet.source === packet.destination) return { question, allowed: true, steps, obstacle: null }
    const receiver = port ? send(map, travel, port) : isOfPeer ? fromPeer(map, travel, named) : fromEdge(map, travel)
    if (receiver !== null) answer(map, travel, receiver, port)
    const balancer = receiver && receiver !== port && 'id' in receiver ? map.balancers.get(receiver.id) : undefined
    if (balancer) {
      // members are not reached through another load balancer
      const known = { ...wanted, balancers: [] }
      const onward = throughBalancer(balancer, travel.packet, (next) => explainReach(known, next, tunnels))
      steps.push(...onward.steps)
      if (onward.obstacle) stop(onward.obstacle)
    }
    return { question, allowed: true, steps, obstacle: null }
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    return { question, allowed: false, steps, obstacle: error.obstacle }
  }
}

function opening(map: ReachMap, { from, to, protocol, port: asked }: AskedQuestion) {
  const known = (id: string) => map.ports.get(id) ?? stop({ kind: 'unknown_port', portId: id })
  const port = from === 'outside' || 'address' in from ? null : known(from.portId)
  const peer = from !== 'outside' && 'address' in from ? canonical(from.address) : null
  const ofProtocol = (address: string) =>
    protocol === 'icmp' ? versionOf(address) === 4 : protocol === 'icmpv6' ? versionOf(address) === 6 : true
  const ownVersions = peer === null ? port?.addresses.map(versionOf) : [versionOf(peer)]
  const named = 'portId' in to ? known(to.portId) : null
  const destination =
    'address' in to
      ? canonical(to.address)
      : (named!.addresses
          .map(canonical)
          .find((it) => ofProtocol(it) && (ownVersions?.includes(versionOf(it)) ?? true)) ??
        stop({ kind: 'no_address', portId: named!.id, version: protocol === 'icmpv6' ? 6 : 4 }))
  const version = versionOf(destination)
  const network = port && map.networks.get(port.networkId)
  const own = port?.addresses.map(canonical).filter((it) => versionOf(it) === version) ?? []
  const near =
    own.find((it) => it === destination) ??
    (network && own.find((it) => map.subnetOf(network, it) === map.subnetOf(network, destination)))
  const source = near ?? own[0] ?? peer ?? (port ? stop({ kind: 'no_address', portId: port.id, version }) : '')
  const packet: Packet = {
    ...{ version, source, destination, protocol: numbers[protocol], port: asked },
    icmp: protocol === 'icmp' || protocol === 'icmpv6' ? echo[protocol] : null,
  }
  const isOfPeer = peer !== null && versionOf(peer) === version
  return { port, named, packet, isOfPeer }
}

/** The receiver of a packet: a port, or a router interface. Null if there is no need to follow the response back. */
type Receiver = WantedPort | Leg | null

/** Sends a packet from the network interface of a guest. */
function send(map: ReachMap, travel: Travel, port: WantedPort): Receiver {
  const network = map.networks.get(port.networkId)!
  if (!port.up) stop({ kind: 'port_down', portId: port.id })
  pass(map, travel, port, 'egress')
  const { destination, source, version } = travel.packet
  const subnet = map.subnetOf(network, source)
  if (subnet !== null && subnet === map.subnetOf(network, destination))
    return deliver(map, travel, network, destination)
  const gateway = subnet?.gateway ?? null
  if (gateway === null) return stop({ kind: 'no_gateway', networkId: network.id, version })
  return deliver(map, travel, network, bare(gateway))
}

/** Delivers a packet on a network to the owner of the next-hop address. */
function deliver(map: ReachMap, travel: Travel, network: WantedNetwork, hop: string, sender?: Leg): Receiver {
  if (!network.up) stop({ kind: 'network_down', networkId: network.id })
  if (++travel.hops > mostHops) stop({ kind: 'loop', routerId: sender?.router.id ?? '' })
  travel.steps.push({ kind: 'switch', networkId: network.id })
  const owner = map.ownerOf(network.id, hop)
  const { destination } = travel.packet
  if (owner === null || (owner.kind === 'port' && hop !== destination))
    return missing(network, hop, destination, sender)
  return received(map, travel, network, owner, sender)
}

function missing(network: WantedNetwork, hop: string, destination: string, sender?: Leg): never {
  if (hop === destination) return stop({ kind: 'nobody', networkId: network.id, address: hop })
  if (sender) return stop({ kind: 'nexthop_unanswered', routerId: sender.router.id, nexthop: hop })
  return stop({ kind: 'gateway_unanswered', networkId: network.id, gateway: hop })
}

function received(map: ReachMap, travel: Travel, network: WantedNetwork, owner: Owner, sender?: Leg): Receiver {
  const { packet } = travel
  if (owner.kind === 'port') {
    if (!owner.port.up) stop({ kind: 'port_down', portId: owner.port.id })
    pass(map, travel, owner.port, 'ingress')
    return owner.port
  }
  if (owner.kind === 'router') return throughRouter(map, travel, owner.leg)
  if (owner.kind === 'edge') return throughEdge(map, travel, network, sender)
  const isServed = packet.icmp !== null || packet.port === 53
  if (!isServed) stop({ kind: 'not_served', address: packet.destination })
  return null
}

/** Applies the security groups of a port. */
function pass(map: ReachMap, travel: Travel, port: WantedPort, direction: 'ingress' | 'egress'): void {
  if (!travel.isAsked) return
  const { verdict, by } = firstMatch(port, direction, travel.packet, map.groups, map.members)
  if (!verdict)
    stop({
      kind: 'no_rule',
      direction,
      portId: port.id,
      groupIds: port.securityGroups,
      missing: missingRule(travel.packet),
    })
  travel.steps.push(
    by ? { kind: 'rule', direction, portId: port.id, ...by } : { kind: 'open', direction, portId: port.id },
  )
}

function throughRouter(map: ReachMap, travel: Travel, from: Leg): Receiver {
  const { router } = from
  const before = ends(travel.packet)
  // a router that is down forwards nothing, but still responds on its own addresses
  if (!router.up && !map.isOwn(router, travel.packet.destination)) stop({ kind: 'router_down', routerId: router.id })
  const back = takenBack(travel, router)
  if (!back) {
    const floating = router.gateway ? map.floatingAt(router, travel.packet.destination) : null
    if (floating) {
      redirect(travel, { destination: bare(floating.fixedAddress) })
      travel.steps.push({
        kind: 'dnat',
        routerId: router.id,
        floatingIpId: floating.id,
        address: travel.packet.destination,
      })
    } else if (map.isOwn(router, travel.packet.destination)) {
      if (travel.packet.icmp === null) stop({ kind: 'not_served', address: travel.packet.destination })
      return travel.isAsked ? from : null
    } else if (travel.isAsked && from.isOutside && translates(router, travel.packet.version))
      stop({ kind: 'router_closed', routerId: router.id })
  }
  const { source, destination } = travel.packet
  // the tunnel is chosen before the source is translated
  const pair = { source: before.source, destination }
  const tunnel = tunnelOut(map.tunnels, router, pair)
  if (tunnel) return throughTunnel(map, travel, tunnel)
  const beside = travel.isAsked ? tunnelBeside(map.tunnels, router, pair) : null
  if (beside) travel.beside = { kind: 'not_in_tunnel', connectionId: beside.id, address: before.source }
  const route = map.routeOf(router, destination)
  if (!route) return stop({ kind: 'no_route', routerId: router.id, address: destination })
  travel.steps.push({ kind: 'route', routerId: router.id, destination, nexthop: route.nexthop })
  if (!back && travel.isAsked) {
    const { version } = travel.packet
    const own = router.gateway ? ownOutside(router.gateway, version) : undefined
    const floating = map.floatingOf(router, source)
    const isRedirected = before.destination !== destination
    let address: string | undefined
    if (route.leg.isOutside && floating) address = bare(floating.address)
    else if (route.leg.isOutside && translates(router, version)) address = own
    else if (!route.leg.isOutside && !from.isOutside && isRedirected && version === 4) address = own
    if (address !== undefined && address !== source) {
      redirect(travel, { source: address })
      travel.steps.push({ kind: 'snat', routerId: router.id, address })
    }
  }
  remember(travel, router, before)
  return deliver(map, travel, map.networks.get(route.leg.networkId)!, route.nexthop ?? destination, route.leg)
}

/** Whether the router applies SNAT to outgoing connections of this IP version. */
function translates({ gateway }: WantedRouter, version: 4 | 6): boolean {
  if (!gateway) return false
  return version === 4 ? gateway.snat : gateway.snatSix && ownOutside(gateway, 6) !== undefined
}

/**
 * Sends a packet through a tunnel. Packets that match both ends of a tunnel either use it or are dropped. If the other
 * end is known, the path continues there.
 */
function throughTunnel(map: ReachMap, travel: Travel, tunnel: ReachTunnel): Receiver {
  const { id: connectionId, peerAddress: peer, isUp } = tunnel
  if (!isUp) stop({ kind: 'tunnel_down', connectionId })
  travel.steps.push({ kind: 'tunnel', direction: 'egress', connectionId, peer })
  const other = travel.isOfPeer ? null : otherEndOf(map.tunnels, tunnel, travel.packet)
  return other && outOfTunnel(map, travel, other)
}

/** Follows a packet out of a tunnel to the networks behind its router. */
function outOfTunnel(map: ReachMap, travel: Travel, tunnel: ReachTunnel): Receiver {
  const { id: connectionId, peerAddress: peer, routerId, isUp } = tunnel
  const router = map.routers.get(routerId)
  if (!isUp || !router) return stop({ kind: 'tunnel_down', connectionId })
  if (!router.up) stop({ kind: 'router_down', routerId })
  travel.steps.push({ kind: 'tunnel', direction: 'ingress', connectionId, peer })
  const { destination, icmp } = travel.packet
  if (map.isOwn(router, destination)) return icmp ? null : stop({ kind: 'not_served', address: destination })
  return byRoute(map, travel, router)
}

/** Follows the router's own routes. For a response, they may lead to another network with the same range. */
function byRoute(map: ReachMap, travel: Travel, router: WantedRouter): Receiver {
  const { destination } = travel.packet
  const { id: routerId } = router
  const route = map.routeOf(router, destination)
  if (!route) return stop({ kind: 'no_route', routerId, address: destination })
  travel.steps.push({ kind: 'route', routerId, destination, nexthop: route.nexthop })
  return deliver(map, travel, map.networks.get(route.leg.networkId)!, route.nexthop ?? destination, route.leg)
}

/** Follows a connection from behind a tunnel peer. All other outside connections enter through the edge. */
function fromPeer(map: ReachMap, travel: Travel, named: WantedPort | null): Receiver {
  const { destination } = travel.packet
  const found = tunnelsFrom(map.tunnels, travel.packet)
  const isNear = ({ tunnel: { routerId } }: (typeof found)[number]) =>
    map.routers.get(routerId)?.interfaces.some(({ networkId }) => networkId === named?.networkId)
  const near = found.filter(isNear)
  const [first, ...others] = near.length > 0 ? near : found
  const isOutside = map.outside.some((network) => map.subnetOf(network, destination) !== null)
  if (!first || isOutside) return fromEdge(map, travel)
  const { tunnel } = [first, ...others].find(({ leadsThere }) => leadsThere) ?? { tunnel: null }
  if (tunnel === null) return stop({ kind: 'not_in_tunnel', connectionId: first.tunnel.id, address: destination })
  return outOfTunnel(map, travel, tunnel)
}

function throughEdge(map: ReachMap, travel: Travel, from: WantedNetwork, sender?: Leg): Receiver {
  travel.steps.push({ kind: 'edge', networkId: from.id })
  const before = ends(travel.packet)
  const back = takenBack(travel, 'edge')
  const { source, destination, icmp } = travel.packet
  const to = map.outside.find((network) => (map.subnetOf(network, destination)?.gateway ?? null) !== null)
  // the packet left unencrypted, for an address that exists only behind the tunnel
  if (travel.beside && !to) stop(travel.beside)
  // the edge has no route to networks behind a router without SNAT
  const isKnown = map.outside.some((network) => (map.subnetOf(network, source)?.gateway ?? null) !== null)
  if (travel.isAsked && !isKnown) stop({ kind: 'no_way_back', at: from.id })
  const isOwn = map.outside.some(({ subnets }) =>
    subnets.some(({ gateway }) => gateway !== null && bare(gateway) === destination),
  )
  if (isOwn && !back) {
    if (icmp === null && travel.isAsked) stop({ kind: 'not_served', address: destination })
    return null
  }
  if (!to) {
    travel.steps.push({ kind: 'uplink' })
    return null
  }
  if (travel.isAsked && to.external === null) stop({ kind: 'edge_closed', networkId: to.id })
  if (travel.isAsked && from.external === null && travel.packet.version === 4)
    redirect(travel, { source: bare(map.subnetOf(to, destination)!.gateway!) })
  remember(travel, 'edge', before)
  return deliver(map, travel, to, destination, sender)
}

/** Follows a connection from outside, which enters through the edge. */
function fromEdge(map: ReachMap, travel: Travel): Receiver {
  const { destination, version } = travel.packet
  const to = map.outside.find((network) => (map.subnetOf(network, destination)?.gateway ?? null) !== null)
  if (!to) return stop({ kind: 'no_uplink', version })
  if (to.external === null) stop({ kind: 'edge_closed', networkId: to.id })
  if (!travel.isSeen || versionOf(travel.packet.source) !== version)
    travel.packet = { ...travel.packet, source: bare(map.subnetOf(to, destination)!.gateway!) }
  travel.steps.push({ kind: 'edge', networkId: to.id })
  return deliver(map, travel, to, destination)
}

/** Follows the response from the receiver back to the sender. */
function answer(map: ReachMap, asked: Travel, receiver: WantedPort | Leg, asker: WantedPort | null): void {
  const { source, destination } = asked.packet
  const packet = { ...asked.packet, source: destination, destination: source }
  const travel: Travel = { ...asked, packet, steps: [], hops: 0, isAsked: false, beside: null }
  const lost = () => stop({ kind: 'no_way_back', at: receiver.networkId })
  try {
    const found = 'router' in receiver ? byRoute(map, travel, receiver.router) : send(map, travel, receiver)
    if (found !== asker) lost()
  } catch (error) {
    if (error instanceof Stop) lost()
    throw error
  }
}
