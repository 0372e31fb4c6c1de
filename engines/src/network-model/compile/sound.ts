import { bare, isInside, overlap, readCidr, versionOf } from '../addresses'
import { mtuFault } from './bounds'
import type { WantedNetwork, WantedNetworks, WantedPort, WantedRouter } from '../wanted'
import type { WantedBalancer } from '../wanted-balancers'
import type { WantedConnection } from '../wanted-vpns'
import { leadsOutside } from './edge'
import { ruleText } from './group-rules'
import type { Compiled, Faults } from './plan'

/*
 * Selects the valid part of the wanted state. Commands already refuse invalid objects. Any that arrive here anyway are
 * omitted with a reason, so that they do not affect other objects and never reach another program's configuration.
 */

const mac = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export interface Sound extends WantedNetworks {
  faults: Faults
}

/**
 * @param stands - the last valid state. A network, port or router that has become invalid stays in its last valid
 * state, so that everything that uses it keeps working.
 */
export function soundPart(wanted: WantedNetworks, stands?: Compiled['stands']): Sound {
  const faults: Faults = {
    ...{ networks: new Map(), routers: new Map(), ports: new Map() },
    ...{ floating: new Map(), balancers: new Map(), vpns: new Map() },
  }
  const keep = <Item extends { id: string }>(
    items: Item[],
    kind: keyof Faults,
    whyNot: (item: Item) => string | null,
    before: readonly Item[] = [],
  ) => {
    const faultOf = (item: Item) => whatIsWrong(() => (uuid.test(item.id) ? whyNot(item) : 'Its ID is not a UUID'))
    return items.flatMap((item) => {
      const fault = faultOf(item)
      if (fault === null) return [item]
      faults[kind].set(item.id, fault)
      const last = before.find(({ id }) => id === item.id)
      return last && faultOf(last) === null ? [last] : []
    })
  }

  const outside: WantedNetwork[] = []
  const networks = keep(
    wanted.networks,
    'networks',
    (network) => {
      const fault = networkFault(network) ?? overlapFault(network, outside)
      if (fault === null && leadsOutside(network)) outside.push(network)
      return fault
    },
    stands?.networks,
  )
  const networkIds = new Set(networks.map(({ id }) => id))
  const groups = wanted.groups.map((group) => ({
    ...group,
    rules: group.rules.filter((rule) => whatIsWrong(() => (ruleText(rule), null)) === null),
  }))
  const ports = keep(wanted.ports, 'ports', (port) => portFault(port, networkIds), stands?.ports)
  const routers = keep(wanted.routers, 'routers', (router) => routerFault(router, networkIds), stands?.routers)
  const routersById = new Map(routers.map((router) => [router.id, router]))
  const floating = keep(wanted.floating, 'floating', ({ address, fixedAddress, routerId, published }) => {
    if (versionOf(address) !== versionOf(fixedAddress)) return 'Its IP version differs from that of its fixed address'
    if (!routersById.get(routerId)?.gateway) return 'Its router has no external gateway'
    const wrong = published.find(
      ({ hostAddress, hostPort, port }) =>
        !isLoopback(hostAddress) || hostPort < 1024 || !isPort(hostPort) || !isPort(port),
    )
    return wrong ? `${wrong.hostAddress}:${wrong.hostPort} cannot be used to publish a port` : null
  })
  const balancers = keep(wanted.balancers, 'balancers', (balancer) => balancerFault(balancer, networkIds))
  const vpns = wanted.vpns.flatMap(({ routerId, connections }) => {
    const router = routersById.get(routerId)
    const sound = keep(connections, 'vpns', (connection) =>
      router?.gateway ? connectionFault(connection) : 'Its router has no external gateway',
    )
    return sound.length > 0 ? [{ routerId, connections: sound }] : []
  })
  return { networks, groups, ports, routers, floating, balancers, vpns, faults }
}

const isPort = (value: number) => Number.isInteger(value) && value > 0 && value < 65536
const isLoopback = (address: string) => isInside(address, readCidr('127.0.0.0/8'))

/** Returns the result of a check, or the error message if it throws. */
function whatIsWrong(check: () => string | null): string | null {
  try {
    return check()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function networkFault({ mtu, subnets }: WantedNetwork): string | null {
  const fault = mtuFault(
    mtu,
    subnets.map(({ version }) => version),
  )
  if (fault !== null) return fault
  for (const { cidr, version, gateway, serviceAddress, nameServers, hostRoutes = [] } of subnets) {
    const range = readCidr(cidr)
    if (range.version !== version) return `${cidr} is not an IPv${version} range`
    for (const address of [gateway, serviceAddress]) {
      if (address !== null && versionOf(address) !== version) return `${address} is not an IPv${version} address`
    }
    if (serviceAddress !== null && !isInside(serviceAddress, range)) return `${serviceAddress} is not in ${cidr}`
    for (const address of nameServers) versionOf(address)
    for (const { destination, nexthop } of hostRoutes) void [readCidr(destination), versionOf(nexthop)]
  }
  return null
}

/**
 * Returns the error if a network overlaps with others. The edge routes to all external and NAT networks, so they must
 * not overlap.
 */
function overlapFault(network: WantedNetwork, others: WantedNetwork[]): string | null {
  if (!leadsOutside(network)) return null
  for (const { cidr } of network.subnets) {
    const other = others.flatMap(({ subnets }) => subnets).find((it) => overlap(readCidr(it.cidr), readCidr(cidr)))
    if (other) return `${cidr} overlaps ${other.cidr} of another external or NAT network`
  }
  return null
}

function portFault(port: WantedPort, networkIds: Set<string>): string | null {
  if (!networkIds.has(port.networkId)) return 'Its network is not available'
  if (!mac.test(port.mac)) return `${port.mac} is not a MAC address`
  for (const address of port.addresses) versionOf(address)
  for (const { cidr, mac: other } of port.alsoFrom ?? []) {
    readCidr(cidr)
    if (other !== null && !mac.test(other)) return `${other} is not a MAC address`
  }
  for (const speed of [port.rate?.fromGuestBits ?? null, port.rate?.toGuestBits ?? null])
    if (speed !== null && !(Number.isInteger(speed) && speed >= 8000)) return 'Its rate is below 8000 bit/s'
  return null
}

/** Checks all values that are written to HAProxy and nft, because another version may have written the records. */
function balancerFault(
  { networkId, mac: own, address, gateway, pools }: WantedBalancer,
  networkIds: Set<string>,
): string | null {
  if (!networkIds.has(networkId)) return 'Its network is not available'
  if (!mac.test(own)) return `${own} is not a MAC address`
  const { version } = readCidr(address)
  if (gateway !== null && versionOf(gateway) !== version) return `${gateway} is not an IPv${version} address`
  for (const { id, port, memberPort, members, down, allowedCidrs, headers, monitor } of pools) {
    if (!uuid.test(id) || !isPort(port) || !isPort(memberPort)) return 'One of its pools has no port'
    for (const member of [...members, ...down])
      if (!uuid.test(member.id) || versionOf(member.address) !== version)
        return `${member.address} is not an IPv${version} address`
    for (const cidr of allowedCidrs) readCidr(cidr)
    if (monitor && !/^\/[!-~]*$/.test(monitor.path)) return `${monitor.path} is not a path`
    if (!headers.every((name) => /^[A-Za-z0-9-]+$/.test(name))) return 'One of its headers has no name'
  }
  return null
}

function connectionFault({ localAddress, peerAddress, local, remote }: WantedConnection): string | null {
  if (versionOf(localAddress) !== versionOf(peerAddress)) return 'Its two sides have addresses of different IP versions'
  for (const cidr of [...local, ...remote]) readCidr(cidr)
  return local.length === 0 || remote.length === 0 ? 'It has no address ranges' : null
}

function routerFault(router: WantedRouter, networkIds: Set<string>): string | null {
  const seen: string[] = []
  const legs = [...router.interfaces, ...(router.gateway ? [router.gateway] : [])]
  for (const { networkId, addresses, mac: own } of legs) {
    if (!networkIds.has(networkId)) return 'One of its networks is not available'
    if (!mac.test(own)) return `${own} is not a MAC address`
    for (const address of addresses) {
      const clash = seen.find((other) => overlap(readCidr(other), readCidr(address)))
      if (clash !== undefined) return `${address} and ${clash} are in the same range, but on different interfaces`
    }
    seen.push(...addresses)
  }
  for (const { destination, nexthop } of router.routes) void [readCidr(destination), bare(nexthop)]
  return null
}
