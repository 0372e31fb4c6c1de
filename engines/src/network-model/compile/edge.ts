import { bare, bitsOf, cidrText, readCidr } from '../addresses'
import { dnsLegOf, edgeEndOf, edgeSpace } from '../names'
import { insideTable, publishedMark, uplink } from '../uplink'
import type { WantedNetwork } from '../wanted'
import type { Numbers } from './numbers'
import type { ForwardPlan, SpacePlan } from './plan'

/*
 * The edge connects external and NAT networks to the uplink. It is the capsule's own IP stack, which contains `up0`.
 * Routes into the networks are in a table that is looked up before the table of refused addresses (`uplink.ts`), so
 * that a network may contain an address that the host also has.
 */

/**
 * Returns the addresses of the link between the edge and a network's name server: two addresses from 198.18.128.0/17,
 * selected by the network's zone.
 */
export function dnsLegAddresses(zone: number): { edge: string; network: string } {
  const first = 198 * 2 ** 24 + 18 * 2 ** 16 + 128 * 2 ** 8 + zone * 2
  const text = (value: number) => [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.')
  return { edge: text(first), network: text(first + 1) }
}

/** Whether the edge is the gateway of a network. */
export const leadsOutside = ({ external, nat }: WantedNetwork) => external !== null || nat

export interface EdgeParts {
  networks: WantedNetwork[]
  /** Networks with a name server. */
  named: WantedNetwork[]
  forwards: ForwardPlan[]
  numbers: Numbers
}

export function edgeSpacePlan({ networks, named, forwards, numbers }: EdgeParts): SpacePlan {
  const addresses = new Set<string>()
  const routes = new Set<string>()
  for (const network of networks) {
    const device = edgeEndOf(network.id)
    for (const subnet of network.subnets) {
      if (subnet.gateway === null) continue
      const cidr = readCidr(subnet.cidr)
      addresses.add(`${bare(subnet.gateway)}/${cidr.prefix} dev ${device}`)
      routes.add(`${cidrText(cidr)} dev ${device} table ${insideTable}`)
      routes.add(`local ${bare(subnet.gateway)}/${bitsOf(cidr.version)} dev ${device} table ${insideTable}`)
    }
  }
  for (const { id } of named) addresses.add(`${dnsLegAddresses(numbers.zones[id]!).edge}/31 dev ${dnsLegOf(id)}`)
  if (networks.length > 0) addresses.add('169.254.169.254/32 dev lo')
  return {
    name: edgeSpace,
    addresses,
    routes,
    settings: new Map([
      ['ipv4/ip_forward', '1'],
      ['ipv4/conf/all/arp_ignore', '1'],
      ['ipv4/conf/all/arp_announce', '2'],
      ['ipv6/conf/all/forwarding', '1'],
    ]),
    rules: rulesOf(networks, named, forwards),
  }
}

const list = (names: string[]) => names.map((name) => `"${name}"`).join(', ')
const declared = (name: string, type: string, elements: string) =>
  ` set ${name} { type ${type}\n${elements === '' ? '' : `  elements = { ${elements} }\n`} }`

function rulesOf(networks: WantedNetwork[], named: WantedNetwork[], forwards: ForwardPlan[]): string {
  const ends = (some: WantedNetwork[]) => list(some.map(({ id }) => edgeEndOf(id)))
  const external = networks.filter((network) => network.external !== null)
  const nat = networks.filter((network) => network.external === null)
  const published = forwards.map(
    ({ protocol, edgePort, floatingAddress, port }) =>
      `  iifname "${uplink.device}" ${protocol} dport ${edgePort} ct mark set ${publishedMark} dnat ip to ${floatingAddress}:${port}`,
  )
  return [
    declared('external', 'ifname', ends(external)),
    declared('nat', 'ifname', ends(nat)),
    declared('naming', 'ifname', list(named.map(({ id }) => dnsLegOf(id)))),
    ` chain mark_answers { type filter hook prerouting priority mangle; policy accept;
  ct mark ${publishedMark} ct direction reply meta mark set ${publishedMark}
 }
 chain published { type nat hook prerouting priority dstnat; policy accept;
${published.join('\n')}
 }
 chain masquerading { type nat hook postrouting priority srcnat; policy accept;
  oifname "${uplink.device}" masquerade
  iifname "${uplink.device}" oifname @external ct status dnat masquerade
  iifname @nat oifname @external masquerade
 }
 chain forward { type filter hook forward priority filter; policy drop;
  ct state established,related accept
  iifname @naming oifname "${uplink.device}" ip daddr ${uplink.nameServer} meta l4proto { tcp, udp } th dport 53 accept
  iifname @external oifname { "${uplink.device}" } accept
  iifname @nat oifname { "${uplink.device}" } accept
  iifname @external oifname @external accept
  iifname @nat oifname @external accept
  iifname "${uplink.device}" oifname @external ct status dnat accept
 }
 chain input { type filter hook input priority filter; policy accept;
  ct state established,related accept
  icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert, nd-router-solicit } accept
  iifname @external jump service
  iifname @nat jump service
  iifname @naming drop
  iifname "${uplink.device}" ct state new drop
 }
 chain service {
  icmp type echo-request accept
  icmpv6 type echo-request accept
  ip daddr 169.254.169.254 tcp dport 80 accept
  drop
 }
 chain output { type filter hook output priority filter; policy accept;
  oifname @nat ct state new meta l4proto != ipv6-icmp drop
 }`,
  ].join('\n')
}
