import { bare, cidrText, readCidr, versionOf } from '../addresses'
import {
  balancerLegOf,
  balancerSpaceOf,
  bridgeOf,
  insideBalancer,
  macOf,
  pairBridgeOf,
  pairLegOf,
  switchSpace,
  towardsOther,
} from '../names'
import type { WantedBalancer, WantedPool } from '../wanted-balancers'
import { pingGroups, type CablePlan, type SpacePlan } from './plan'
import { mainTable } from './routers'

/*
 * The network namespace of a load balancer is connected to its network by a veth pair. Firewall rules enforce the
 * allowed source ranges for all protocols; HAProxy handles TCP, and DNAT forwards UDP. Each amphora in a pair has its
 * own namespace, and a private link connects the two. The link carries VRRP and the health checks from the standby,
 * which does not have the load balancer's address. When the standby takes over, the state of all pool members is
 * therefore already known.
 */

export const isPair = ({ amphoraIds }: WantedBalancer) => amphoraIds.length > 1

/** Addresses of the two ends of the link between the amphorae of a pair. Nothing else is attached to the link. */
export const pairAddresses = ['169.254.255.1', '169.254.255.2']
/** The same two addresses for IPv6 members. */
export const pairAddresses6 = ['fdff:ffff:ffff:ffff::1', 'fdff:ffff:ffff:ffff::2']

export const balancerCables = (balancer: WantedBalancer, mtu: number): CablePlan[] =>
  balancer.amphoraIds.flatMap((amphoraId, at): CablePlan[] => {
    const space = balancerSpaceOf(amphoraId)
    const bridge = isPair(balancer) ? pairBridgeOf(balancer.id) : null
    const mac = at === 0 ? balancer.mac : macOf(`second ${balancer.portId}`)
    return [
      {
        outer: { space: switchSpace, name: balancerLegOf(amphoraId), bridge: bridgeOf(balancer.networkId) },
        ...{ inner: { space, name: insideBalancer, mac }, mtu },
      },
      ...(bridge === null
        ? []
        : [
            {
              outer: { space: switchSpace, name: pairLegOf(amphoraId), bridge },
              ...{ inner: { space, name: towardsOther, mac: macOf(`pair ${amphoraId}`) }, mtu: 1500 },
            },
          ]),
    ]
  })

export const balancerSpacePlans = (balancer: WantedBalancer): SpacePlan[] =>
  balancer.amphoraIds.map((amphoraId, at) => spacePlan(balancer, amphoraId, at))

function spacePlan(balancer: WantedBalancer, amphoraId: string, at: number): SpacePlan {
  const { address, gateway, up, pools } = balancer
  const open = up ? pools : []
  const passing = open.filter(({ mode, members }) => mode === 'udp' && members.length > 0)
  const own = `${bare(address)}/${readCidr(address).prefix} dev ${insideBalancer}`
  const way = gateway === null ? [] : [`default via ${bare(gateway)} dev ${insideBalancer} table ${mainTable}`]
  const paired = isPair(balancer)
  return {
    name: balancerSpaceOf(amphoraId),
    addresses: new Set(paired ? pairEnd(at) : [own]),
    // the standby amphora reaches members only through the active one
    routes: new Set(paired ? pairWays(at) : way),
    ...(paired && { moved: new Set([own, `${vrrpAddress}/32 dev lo`]) }),
    settings: new Map([
      ['ipv4/ip_forward', '1'],
      [pingGroups, '0 2147483647'],
      ['ipv4/conf/all/arp_ignore', '1'],
      ['ipv6/conf/all/forwarding', '1'],
      ['ipv6/conf/all/accept_ra', '0'],
      ['ipv6/conf/default/accept_ra', '0'],
      ...(paired ? bindingEarly : []),
      ...['ipv4', 'ipv6'].flatMap(forgetting),
    ]),
    rules: rulesOf(bare(address), open, passing, paired),
    passesTo: new Set(passing.flatMap(({ members }) => members.map((member) => bare(member.address)))),
  }
}

/** The virtual address managed by VRRP. The load balancer address, which may be IPv6, moves with it. */
export const vrrpAddress = '169.254.255.3'

const pairEnd = (at: number) => [
  `${pairAddresses[at]}/24 dev ${towardsOther}`,
  `${pairAddresses6[at]}/64 dev ${towardsOther}`,
]
const pairWays = (at: number) => [
  `default via ${pairAddresses[1 - at]} dev ${towardsOther} table ${lastTable}`,
  // IPv6 has no fallback table, so the active amphora's route has a lower metric
  `default via ${pairAddresses6[1 - at]} dev ${towardsOther} table ${mainTable}`,
]
/** A routing table that is looked up after the main table. */
const lastTable = 253

/** Lets HAProxy bind to an address that is not assigned yet. */
const bindingEarly: [string, string][] = [
  ['ipv4/ip_nonlocal_bind', '1'],
  ['ipv6/ip_nonlocal_bind', '1'],
]

/** Detects within seconds that a neighbor is gone, because nothing else reports the loss of a UDP member. */
const forgetting = (family: string): [string, string][] => [
  [`${family}/neigh/${insideBalancer}/base_reachable_time_ms`, '1000'],
  [`${family}/neigh/${insideBalancer}/delay_first_probe_time`, '1'],
  [`${family}/neigh/${insideBalancer}/retrans_time_ms`, '250'],
]

/** Forwards only translated packets, so that the load balancer cannot be used as a router. */
function rulesOf(own: string, pools: readonly WantedPool[], passing: readonly WantedPool[], paired: boolean): string {
  const family = versionOf(own) === 4 ? 'ip' : 'ip6'
  const from = ({ allowedCidrs }: WantedPool) => {
    if (allowedCidrs.length === 0) return ''
    const some = ranges(allowedCidrs, own)
    return some.length === 0 ? null : `${family} saddr { ${some.join(', ')} } `
  }
  const admitted = pools.flatMap((pool) => {
    const who = from(pool)
    return pool.mode === 'udp' || who === null ? [] : [`  ${who}tcp dport ${pool.port} accept`]
  })
  const passed = passing.flatMap((pool) => {
    const [who, to] = [from(pool), choice(pool, family)]
    if (who === null || to === null) return []
    return [`  ${who}${family} daddr ${own} udp dport ${pool.port} dnat ${family} addr . port to ${to}`]
  })
  return [
    ` chain passing { type nat hook prerouting priority dstnat; policy accept;`,
    ...passed,
    ` }
 chain source { type nat hook postrouting priority srcnat; policy accept;
  ct status dnat ${family} saddr != ${own} snat ${family} to ${own}`,
    ...(paired ? [`  iifname "${towardsOther}" oifname "${insideBalancer}" snat ${family} to ${own}`] : []),
    ` }
 chain forward { type filter hook forward priority filter; policy drop;
  ct state established,related accept
  ct status dnat accept`,
    ...(paired ? [`  iifname "${towardsOther}" oifname "${insideBalancer}" accept`] : []),
    ` }
 chain input { type filter hook input priority filter; policy drop;
  ct state established,related accept
  iifname "lo" accept
  icmp type echo-request accept
  meta l4proto ipv6-icmp accept`,
    ...(paired ? [`  iifname "${towardsOther}" accept`] : []),
    ...admitted,
    ` }`,
  ].join('\n')
}

/** Returns the ranges in the load balancer's IP version, except those contained in another range. */
function ranges(cidrs: readonly string[], own: string): string[] {
  const all = [...new Map(cidrs.map((text) => [cidrText(readCidr(text)), readCidr(text)])).values()]
  const isInOther = (one: (typeof all)[number]) =>
    all.some(
      (other) => other !== one && other.version === one.version && other.first <= one.first && one.last <= other.last,
    )
  return all.filter((one) => one.version === versionOf(own) && !isInOther(one)).map(cidrText)
}

/**
 * Returns the nft expression that selects a member: weighted round robin, or a hash of the source address. Null if
 * there are no members.
 */
function choice({ members, algorithm, memberPort }: WantedPool, family: 'ip' | 'ip6'): string | null {
  let total = 0
  const parts = members
    .filter(({ weight }) => weight > 0)
    .map(({ address, weight }) => {
      const range = weight === 1 ? String(total) : `${total}-${total + weight - 1}`
      total += weight
      return `${range} : ${bare(address)} . ${memberPort}`
    })
  if (total === 0) return null
  const number = algorithm === 'source' ? `jhash ${family} saddr mod ${total} seed 0x1` : `numgen inc mod ${total}`
  return `${number} map { ${parts.join(', ')} }`
}
