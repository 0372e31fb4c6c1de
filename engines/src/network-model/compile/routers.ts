import { bare, bitsOf, cidrText, isInside, readCidr, versionOf } from '../addresses'
import { routerEndOf, routerLegOf, routerSpaceOf, switchSpace, bridgeOf } from '../names'
import type { WantedFloatingIp, WantedNetwork, WantedRouter } from '../wanted'
import type { CablePlan, SpacePlan } from './plan'
import { noVpnRules, type VpnRules } from './vpns'

/*
 * The namespace of a router is connected to each of its networks by a veth pair. It owns the router's floating IPs on
 * the external network and translates them. It has its own connection tracking, so tenants can use overlapping
 * addresses.
 */

export const mainTable = 254

export function routerCables(router: WantedRouter, networks: Map<string, WantedNetwork>): CablePlan[] {
  const legs = [...router.interfaces, ...(router.gateway ? [router.gateway] : [])]
  return legs.map(({ portId, networkId, mac }) => ({
    outer: { space: switchSpace, name: routerLegOf(portId), bridge: bridgeOf(networkId) },
    inner: { space: routerSpaceOf(router.id), name: routerEndOf(portId), mac },
    mtu: networks.get(networkId)!.mtu,
  }))
}

export function routerSpacePlan(
  router: WantedRouter,
  networks: Map<string, WantedNetwork>,
  floating: WantedFloatingIp[],
  vpn: VpnRules = noVpnRules,
): SpacePlan {
  // guests with only a default route send metadata requests to their router
  const addresses = new Set(['169.254.169.254/32 dev lo'])
  const routes = new Set<string>()
  for (const { portId, addresses: own } of router.interfaces) {
    for (const address of own) addresses.add(`${prefixed(address)} dev ${routerEndOf(portId)}`)
  }
  const { gateway } = router
  if (gateway) {
    const device = routerEndOf(gateway.portId)
    for (const address of gateway.addresses) addresses.add(`${prefixed(address)} dev ${device}`)
    for (const { address } of floating) addresses.add(`${bare(address)}/${bitsOf(versionOf(address))} dev ${device}`)
    for (const hop of gatewaysOf(gateway, networks)) routes.add(`default via ${hop} dev ${device} table ${mainTable}`)
  }
  for (const { destination, nexthop } of router.routes) {
    const device = deviceTowards(router, nexthop)
    if (device === null) continue
    const { prefix, ...cidr } = readCidr(destination)
    const to = prefix === 0 ? 'default' : cidrText({ ...cidr, prefix })
    // a configured default route replaces the one to the gateway
    if (to === 'default') dropDefault(routes, versionOf(nexthop))
    routes.add(`${to} via ${bare(nexthop)} dev ${device} table ${mainTable}`)
  }
  return {
    name: routerSpaceOf(router.id),
    addresses,
    routes,
    settings: new Map([
      ['ipv4/ip_forward', router.up ? '1' : '0'],
      ['ipv6/conf/all/forwarding', router.up ? '1' : '0'],
      ['ipv4/conf/all/arp_ignore', '1'],
      ['ipv4/conf/all/arp_announce', '2'],
      ['ipv4/conf/all/send_redirects', '0'],
      ['ipv4/conf/default/send_redirects', '0'],
    ]),
    rules: rulesOf(router, floating, vpn),
  }
}

const prefixed = (address: string) => `${bare(address)}/${readCidr(address).prefix}`

function dropDefault(routes: Set<string>, version: 4 | 6): void {
  for (const route of routes) {
    const hop = /^default via (\S+)/.exec(route)?.[1]
    if (hop !== undefined && versionOf(hop) === version) routes.delete(route)
  }
}

/**
 * Returns the next hops on the external network, one per IP version, taken from the subnets that contain the gateway's
 * addresses.
 */
export function gatewaysOf(
  gateway: NonNullable<WantedRouter['gateway']>,
  networks: Map<string, WantedNetwork>,
): string[] {
  const found = new Map<number, string>()
  for (const subnet of networks.get(gateway.networkId)?.subnets ?? []) {
    const isIn = gateway.addresses.some((address) => isInside(bare(address), readCidr(subnet.cidr)))
    if (subnet.gateway !== null && isIn && !found.has(subnet.version)) found.set(subnet.version, bare(subnet.gateway))
  }
  return [...found.values()]
}

/** Returns the interface whose subnet contains the next hop, or null if there is none. */
function deviceTowards(router: WantedRouter, nexthop: string): string | null {
  const legs = [...router.interfaces, ...(router.gateway ? [router.gateway] : [])]
  const leg = legs.find(({ addresses }) => addresses.some((address) => isInside(bare(nexthop), readCidr(address))))
  return leg ? routerEndOf(leg.portId) : null
}

/** Returns the address on the external network used for SNAT. */
export const ownOutside = (gateway: NonNullable<WantedRouter['gateway']>, version: 4 | 6): string | undefined =>
  gateway.addresses.map(bare).find((address) => versionOf(address) === version)

function rulesOf({ gateway, interfaces }: WantedRouter, floating: WantedFloatingIp[], vpn: VpnRules): string {
  const dnat = floating.map(({ address, fixedAddress }) => {
    const family = versionOf(address) === 4 ? 'ip' : 'ip6'
    return `  ${family} daddr ${bare(address)} dnat ${family} to ${bare(fixedAddress)}`
  })
  const outside = gateway ? `"${routerEndOf(gateway.portId)}"` : null
  const own = gateway ? ownOutside(gateway, 4) : undefined
  const ownSix = gateway?.snatSix ? ownOutside(gateway, 6) : undefined
  const snat = floating.map(({ address, fixedAddress }) => {
    const family = versionOf(address) === 4 ? 'ip' : 'ip6'
    return `  oifname ${outside} ${family} saddr ${bare(fixedAddress)} snat ${family} to ${bare(address)}`
  })
  const inside = interfaces.map(({ portId }) => `"${routerEndOf(portId)}"`).join(', ')
  return [
    ...vpn.counters,
    ` chain floating { type nat hook prerouting priority dstnat; policy accept;`,
    ...(outside ? dnat : []),
    ` }
 chain source { type nat hook postrouting priority srcnat; policy accept;`,
    ...vpn.source,
    ...(outside ? snat : []),
    ...(outside && own && gateway?.snat ? [`  oifname ${outside} meta nfproto ipv4 snat ip to ${own}`] : []),
    ...(outside && ownSix ? [`  oifname ${outside} meta nfproto ipv6 snat ip6 to ${ownSix}`] : []),
    // hairpin: a guest uses a floating IP on its own router, so replies must pass through the router
    ...(outside && own && inside
      ? [`  iifname { ${inside} } oifname { ${inside} } ct status dnat snat ip to ${own}`]
      : []),
    ` }
 chain forward { type filter hook forward priority filter; policy accept;`,
    ...vpn.forward,
    `  ct state established,related accept`,
    // otherwise hosts on the external network could bypass the translation
    ...(outside && gateway?.snat ? [`  iifname ${outside} meta nfproto ipv4 ct status & dnat != dnat drop`] : []),
    ...(outside && ownSix ? [`  iifname ${outside} meta nfproto ipv6 ct status & dnat != dnat drop`] : []),
    ` }
 chain input { type filter hook input priority filter; policy drop;
  ct state established,related accept
  iifname "lo" accept
  icmp type echo-request accept
  meta l4proto ipv6-icmp accept
  udp sport 546 udp dport 547 accept
  ip daddr 169.254.169.254 tcp dport 80 accept`,
    ...vpn.input,
    ` }`,
  ].join('\n')
}
