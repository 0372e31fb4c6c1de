import type { WantedNetwork, WantedNetworks, WantedPort } from '../../../network-model/wanted'
import type { WantedConnection } from '../../../network-model/wanted-vpns'
import { balancerOf, memberOf, poolOf } from '../../../network-model/testing/balancer-examples'
import { chance } from './random-topology'
import { connectionOf } from '../../../network-model/testing/vpn-examples'
import { groupOf, networkOf, openOut, portOf, routerOf, wantedOf } from '../../../network-model/testing/wanted-examples'

/*
 * Tenants with overlapping ranges, each with a router, tunnels, and a load balancer that lists all guests as members.
 */

export interface TenantNetwork {
  /** Unique, e.g. `1 10.2.0.0/24`. */
  name: string
  cidr: string
  network: WantedNetwork
  guests: WantedPort[]
}
interface Tenant {
  networks: TenantNetwork[]
  /** The network that contains the tenant's load balancer. */
  front: TenantNetwork
  vip: string
}

export interface TenantsWorld {
  wanted: WantedNetworks
  tenants: Tenant[]
  /** Connections that come up because both ends agree on at least one range. */
  agreed: string[]
  /** Pairs of networks that may communicate through a tunnel because both ends agreed. */
  consented: ReadonlySet<string>
}
export const consentOf = (one: TenantNetwork, other: TenantNetwork): string =>
  [one.name, other.name].toSorted().join(' and ')

/** Ports on which guests and load balancers listen. */
export const heardAt = { tcp: 7000, udp: 9090 }

const rangeOf = (at: number) => `10.${at}.0.0/24`

/**
 * Generates two tenants that use the same range and have a tunnel between them, and a third tenant with random ranges
 * and tunnels.
 */
export function randomTenants(seed: number): TenantsWorld {
  const { below, is, pick } = chance(seed)
  const external = networkOf(['203.0.113.0/24'], { external: { vlan: null } })
  const groups = [0, 1, 2].map(() => groupOf([...openOut(), {}]))
  const first = below(4)
  const ranges = [
    [0, 1],
    [1, 2],
    [first, (first + 1 + below(3)) % 4],
  ]
  const owned = ranges.map((own, tenant) =>
    own.map((range): TenantNetwork => {
      const network = networkOf([rangeOf(range)])
      const guests = [11, 12].map((at) => portOf(network, at, { securityGroups: [groups[tenant]!.id] }))
      return { name: `${tenant} ${rangeOf(range)}`, cidr: rangeOf(range), network, guests }
    }),
  )
  const everybody = [0, 1, 2, 3].flatMap((range) => [11, 12].map((at) => `10.${range}.0.${at}`))
  const balancers = owned.map((networks) => {
    const front = pick(networks)
    const members = everybody.map((address) => memberOf(address))
    const pools = [
      poolOf({ mode: 'tcp', port: heardAt.tcp, memberPort: heardAt.tcp, members }),
      poolOf({ mode: 'udp', port: heardAt.udp, memberPort: heardAt.udp, members }),
    ]
    return { front, ...balancerOf(front.network, 100, pools) }
  })
  const routers = owned.map((networks, at) =>
    routerOf(
      networks.map(({ network }) => network),
      { network: external, at: 10 + at },
    ),
  )
  const connections: WantedConnection[][] = [[], [], []]
  /** Ranges that each router already reaches through another tunnel. */
  const taken = routers.map(() => new Set<string>())
  const some = (all: readonly string[]) => (all.length > 1 && is(0.5) ? [pick(all)] : [...all])
  const connect = (one: number, other: number, psk: string, only?: { local: string[]; remote: string[] }) => {
    const own = owned[one]!.map(({ cidr }) => cidr)
    const theirs = owned[other]!.map(({ cidr }) => cidr).filter((cidr) => !own.includes(cidr) && !taken[one]!.has(cidr))
    const { local, remote } = only ?? { local: some(own), remote: some(theirs) }
    if (remote.length === 0) return null
    for (const cidr of remote) taken[one]!.add(cidr)
    const address = routers[other]!.gateway!.addresses[0]!.split('/')[0]!
    const made = connectionOf(routers[one]!, { address, ranges: remote }, { local, psk })
    connections[one]!.push(made)
    return made
  }
  const consented = new Set<string>()
  const agreed: string[] = []
  const agree = (one: number, other: number, left: WantedConnection | null, right: WantedConnection | null) => {
    if (!left || !right || left.psk !== right.psk) return
    const both = owned[one]!.flatMap((a) => owned[other]!.map((b) => [a, b] as const)).filter(
      ([a, b]) =>
        left.local.includes(a.cidr) &&
        right.remote.includes(a.cidr) &&
        right.local.includes(b.cidr) &&
        left.remote.includes(b.cidr),
    )
    for (const [a, b] of both) consented.add(consentOf(a, b))
    if (both.length > 0) agreed.push(left.id, right.id)
  }
  const [near, far] = [rangeOf(0), rangeOf(2)]
  agree(
    0,
    1,
    connect(0, 1, 'of both', { local: [near], remote: [far] }),
    connect(1, 0, 'of both', { local: [far], remote: [near] }),
  )
  for (const other of [0, 1]) {
    const key = `with ${other}`
    const theirs = is(0.7) ? connect(2, other, key) : null
    agree(2, other, theirs, is(0.7) ? connect(other, 2, is(0.7) ? key : 'another one') : null)
  }
  return {
    wanted: wantedOf({
      networks: [external, ...owned.flat().map(({ network }) => network)],
      ports: [...owned.flat().flatMap(({ guests }) => guests), ...balancers.map(({ port }) => port)],
      ...{ routers, groups },
      balancers: balancers.map(({ balancer }) => balancer),
      vpns: routers.flatMap(({ id }, at) =>
        connections[at]!.length > 0 ? [{ routerId: id, connections: connections[at]! }] : [],
      ),
    }),
    tenants: owned.map((networks, at) => {
      const { front, port } = balancers[at]!
      return { networks, front, vip: port.addresses[0]! }
    }),
    ...{ agreed, consented },
  }
}
