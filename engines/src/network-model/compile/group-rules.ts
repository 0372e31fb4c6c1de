import { bare, readCidr } from '../addresses'
import { ruleName } from '../names'
import type { WantedRule } from '../wanted'

/** Protocol names that rules may use, with their IANA numbers. */
const protocols: Record<string, number> = {
  ...{
    icmp: 1,
    igmp: 2,
    ipip: 4,
    tcp: 6,
    egp: 8,
    udp: 17,
    dccp: 33,
    'ipv6-encap': 41,
    'ipv6-route': 43,
    'ipv6-frag': 44,
  },
  ...{ rsvp: 46, gre: 47, esp: 50, ah: 51, icmpv6: 58, 'ipv6-icmp': 58, 'ipv6-nonxt': 59, 'ipv6-opts': 60, ospf: 89 },
  ...{ pgm: 113, vrrp: 112, sctp: 132, udplite: 136 },
}
const [icmp, icmpv6] = [1, 58]
const withPorts = [6, 17, 33, 132, 136]

/** Returns the protocol number of a rule; null for any protocol. Throws a `RangeError` for an unknown protocol. */
export function protocolOf({ protocol, version }: Pick<WantedRule, 'protocol' | 'version'>): number | null {
  if (protocol === null || protocol === 'any') return null
  const known = protocols[protocol] ?? (/^\d{1,3}$/.test(protocol) ? Number(protocol) : 256)
  if (known > 255) throw new RangeError(`${protocol} is not a protocol`)
  // the name `icmp` is used for both IP versions
  return known === icmp && version === 6 ? icmpv6 : known
}

export const membersOf = (groupId: string, version: 4 | 6) => ruleName(`m${version}`, groupId)

/** Returns the name of the set of IPv6 addresses that members of a group chose and open connections from. */
export const sendersOf = (groupId: string) => ruleName('s6', groupId)

/**
 * Formats a rule as an nft expression that accepts matching packets. `setOf` returns the name of the nft set that
 * contains a group's members.
 */
export function ruleText(rule: WantedRule, setOf: (groupId: string, version: 4 | 6) => string = membersOf): string {
  const { version, direction, remote } = rule
  const family = version === 4 ? 'ip' : 'ip6'
  const side = `${family} ${direction === 'ingress' ? 'saddr' : 'daddr'}`
  const who =
    remote === null || isEverybody(remote)
      ? `meta nfproto ipv${version}`
      : `${side} ${remoteText(remote, version, setOf)}`
  return [who, protocolText(rule), 'accept'].filter(Boolean).join(' ')
}

const isEverybody = (remote: object) => 'cidr' in remote && readCidr(remote.cidr as string).prefix === 0

function remoteText(
  remote: NonNullable<WantedRule['remote']>,
  version: 4 | 6,
  setOf: (groupId: string, version: 4 | 6) => string,
): string {
  if ('groupId' in remote) return `@${setOf(remote.groupId, version)}`
  const cidr = readCidr(remote.cidr)
  if (cidr.version !== version) throw new RangeError(`${remote.cidr} is not an IPv${version} range`)
  return `${bare(remote.cidr)}/${cidr.prefix}`
}

function protocolText(rule: WantedRule): string {
  const { portMin, portMax } = rule
  const protocol = protocolOf(rule)
  if (protocol === null) return ''
  const base = `meta l4proto ${protocol}`
  if (portMin === null) return base
  if (protocol === icmp || protocol === icmpv6) {
    const word = protocol === icmp ? 'icmp' : 'icmpv6'
    return [`${word} type ${portMin}`, ...(portMax === null ? [] : [`${word} code ${portMax}`])].join(' ')
  }
  if (!withPorts.includes(protocol)) return base
  return `${base} th dport ${portMax === null || portMax === portMin ? portMin : `${portMin}-${portMax}`}`
}
