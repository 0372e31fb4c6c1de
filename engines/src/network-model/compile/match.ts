import { canonical, isInside, readCidr } from '../addresses'
import type { WantedGroup, WantedNetworks, WantedPort, WantedRule } from '../wanted'
import { protocolOf } from './group-rules'
import { isOpen } from './switch-rules'

/** The first packet of a connection, as security groups see it. */
export interface Packet {
  version: 4 | 6
  source: string
  destination: string
  protocol: number
  /** Destination port; null if the protocol has none. */
  port: number | null
  icmp: { type: number; code: number } | null
}

export interface Match {
  verdict: boolean
  /** Null if no rule matches; with the verdict `true`, the packet is allowed without a rule. */
  by: { groupId: string; ruleId: string } | null
}

const [icmp, icmpv6] = [1, 58]
const withPorts = [6, 17, 33, 132, 136]

/**
 * Evaluates a port's security groups for the first packet of a connection. Equivalent to the rules that `switchRules`
 * compiles.
 */
export function firstMatch(
  port: WantedPort,
  direction: 'ingress' | 'egress',
  packet: Packet,
  groups: ReadonlyMap<string, WantedGroup>,
  members: (groupId: string) => ReadonlySet<string>,
): Match {
  if (isOpen(port) || isEssential(packet, direction)) return { verdict: true, by: null }
  for (const groupId of [...port.securityGroups].sort()) {
    for (const rule of groups.get(groupId)?.rules ?? []) {
      if (rule.direction === direction && matches(rule, packet, members))
        return { verdict: true, by: { groupId, ruleId: rule.id } }
    }
  }
  return { verdict: false, by: null }
}

/** Whether a packet belongs to neighbor or router discovery, which is always allowed. */
const isEssential = ({ icmp: said, protocol }: Packet, direction: 'ingress' | 'egress') =>
  protocol === icmpv6 &&
  said !== null &&
  (direction === 'egress' ? [131, 132, 133, 135, 136, 143] : [130, 134, 135, 136]).includes(said.type)

function matches(rule: WantedRule, packet: Packet, members: (groupId: string) => ReadonlySet<string>): boolean {
  if (rule.version !== packet.version) return false
  const other = rule.direction === 'ingress' ? packet.source : packet.destination
  const { remote, portMin, portMax } = rule
  if (remote && 'groupId' in remote && !members(remote.groupId).has(other)) return false
  if (remote && 'cidr' in remote && !isInside(other, readCidr(remote.cidr))) return false
  const protocol = protocolOf(rule)
  if (protocol === null) return true
  if (protocol !== packet.protocol) return false
  if (portMin === null) return true
  if (protocol === icmp || protocol === icmpv6)
    return packet.icmp?.type === portMin && (portMax === null || packet.icmp.code === portMax)
  if (!withPorts.includes(protocol)) return true
  return packet.port !== null && packet.port >= portMin && packet.port <= (portMax ?? portMin)
}

/**
 * Returns a function that looks up the addresses of a group's members. `chosen` adds the addresses that guests chose,
 * by network.
 */
export function membersOfGroups(
  { ports }: WantedNetworks,
  chosen: ReadonlyMap<string, ReadonlyMap<string, WantedPort>> = new Map(),
): (groupId: string) => ReadonlySet<string> {
  const found = new Map<string, Set<string>>()
  const add = ({ securityGroups }: WantedPort, addresses: readonly string[]) => {
    for (const id of securityGroups) {
      const members = found.get(id) ?? new Set()
      for (const address of addresses) members.add(canonical(address))
      found.set(id, members)
    }
  }
  for (const port of ports) add(port, port.addresses)
  for (const its of chosen.values()) for (const [address, port] of its) add(port, [address])
  const none = new Set<string>()
  return (groupId) => found.get(groupId) ?? none
}
