import { bare, canonical, isInside, readCidr, versionOf } from '../addresses'
import { leadsOutside } from '../compile/edge'
import { membersOfGroups } from '../compile/match'
import { gatewaysOf } from '../compile/routers'
import { soundPart } from '../compile/sound'
import type { ReachTunnel } from './tunnels'
import type { WantedBalancer } from '../wanted-balancers'
import type { WantedFloatingIp, WantedNetwork, WantedNetworks, WantedPort, WantedRouter } from '../wanted'

/* An index of the wanted state, used to follow packets. */

export interface Leg {
  router: WantedRouter
  networkId: string
  addresses: string[]
  isOutside: boolean
}

/** The owner of an address on a network. */
export type Owner =
  | { kind: 'port'; port: WantedPort }
  | { kind: 'router'; leg: Leg }
  | { kind: 'edge' }
  | { kind: 'service' }

export interface Hop {
  leg: Leg
  /** Null if the destination is on the network of the interface. */
  nexthop: string | null
}

export interface ReachMap {
  ports: ReadonlyMap<string, WantedPort>
  networks: ReadonlyMap<string, WantedNetwork>
  routers: ReadonlyMap<string, WantedRouter>
  tunnels: readonly ReachTunnel[]
  groups: ReadonlyMap<string, WantedNetworks['groups'][number]>
  members: (groupId: string) => ReadonlySet<string>
  outside: WantedNetwork[]
  /** By port ID. */
  balancers: ReadonlyMap<string, WantedBalancer>
  ownerOf(networkId: string, address: string): Owner | null
  floatingAt(router: WantedRouter, address: string): WantedFloatingIp | null
  floatingOf(router: WantedRouter, fixed: string): WantedFloatingIp | null
  isOwn(router: WantedRouter, address: string): boolean
  routeOf(router: WantedRouter, address: string): Hop | null
  /** Returns the subnet of a network that contains an address, or null if there is none. */
  subnetOf(network: WantedNetwork, address: string): WantedNetwork['subnets'][number] | null
}

export function reachMap(wanted: WantedNetworks, tunnels: readonly ReachTunnel[]): ReachMap {
  const { networks, ports, routers, groups, floating, balancers } = soundPart(wanted)
  const byNetwork = new Map(networks.map((network) => [network.id, network]))
  const legs = routers.flatMap((router): Leg[] => [
    ...router.interfaces.map(({ networkId, addresses }) => ({ router, networkId, addresses, isOutside: false })),
    ...(router.gateway
      ? [{ router, networkId: router.gateway.networkId, addresses: router.gateway.addresses, isOutside: true }]
      : []),
  ])
  const legsOf = (router: WantedRouter) => legs.filter((leg) => leg.router === router)
  const floatingOn = (router: WantedRouter) => floating.filter(({ routerId }) => routerId === router.id)
  const subnetOf = (network: WantedNetwork, address: string) =>
    network.subnets.find(({ cidr }) => isInside(address, readCidr(cidr))) ?? null

  function ownerOf(networkId: string, address: string): Owner | null {
    const network = byNetwork.get(networkId)
    const onIt = legs.filter((leg) => leg.networkId === networkId)
    const leg = onIt.find(
      ({ addresses, router, isOutside }) =>
        addresses.some((own) => bare(own) === address) ||
        (isOutside && floatingOn(router).some((it) => bare(it.address) === address)),
    )
    if (leg) return { kind: 'router', leg }
    const port = ports.find(
      (it) => it.networkId === networkId && it.owner !== 'router' && it.addresses.map(canonical).includes(address),
    )
    if (port) return { kind: 'port', port }
    if (!network) return null
    const isOf = (key: 'gateway' | 'serviceAddress') =>
      network.subnets.some((subnet) => subnet[key] !== null && bare(subnet[key]) === address)
    if (leadsOutside(network) && isOf('gateway')) return { kind: 'edge' }
    return isOf('serviceAddress') ? { kind: 'service' } : null
  }

  function routeOf(router: WantedRouter, address: string): Hop | null {
    const version = versionOf(address)
    const own = legsOf(router)
    const near = (to: string) => own.find(({ addresses }) => addresses.some((it) => isInside(to, readCidr(it)))) ?? null
    const gateway = own.find(({ isOutside }) => isOutside)
    const candidates = router.routes
      .filter(({ destination, nexthop }) => isInside(address, readCidr(destination)) && near(bare(nexthop)))
      .map(({ destination, nexthop }) => ({
        prefix: readCidr(destination).prefix,
        leg: near(bare(nexthop))!,
        nexthop: bare(nexthop) as string | null,
      }))
    for (const leg of own) {
      for (const it of leg.addresses) {
        if (isInside(address, readCidr(it))) candidates.push({ prefix: readCidr(it).prefix, leg, nexthop: null })
      }
    }
    const hop = router.gateway && gatewaysOf(router.gateway, byNetwork).find((it) => versionOf(it) === version)
    // the gateway has the lowest precedence, so that a configured default route replaces it
    if (hop && gateway) candidates.push({ prefix: -1, leg: gateway, nexthop: hop })
    candidates.sort((a, b) => b.prefix - a.prefix || (a.nexthop === null ? -1 : 1))
    return candidates[0] ?? null
  }

  return {
    ports: new Map(ports.map((port) => [port.id, port])),
    networks: byNetwork,
    routers: new Map(routers.map((router) => [router.id, router])),
    tunnels,
    groups: new Map(groups.map((group) => [group.id, group])),
    members: membersOfGroups({ ...wanted, ports }),
    outside: networks.filter(leadsOutside),
    balancers: new Map(balancers.map((balancer) => [balancer.portId, balancer])),
    ownerOf,
    floatingAt: (router, address) => floatingOn(router).find((it) => bare(it.address) === address) ?? null,
    floatingOf: (router, fixed) => floatingOn(router).find((it) => bare(it.fixedAddress) === fixed) ?? null,
    isOwn: (router, address) => legsOf(router).some(({ addresses }) => addresses.some((it) => bare(it) === address)),
    routeOf,
    subnetOf,
  }
}
