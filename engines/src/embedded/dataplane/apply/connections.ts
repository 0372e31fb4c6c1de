import { canonical } from '../../../network-model/addresses'
import { firstMatch, membersOfGroups, type Packet } from '../../../network-model/compile/match'
import { isOpen } from '../../../network-model/compile/switch-rules'
import type { WantedGroup, WantedNetworks, WantedPort } from '../../../network-model/wanted'

/*
 * Connection tracking lets established connections continue even after their rule is removed. Connections that are no
 * longer allowed by any rule are therefore deleted from the table, so that their next packet is treated as new and
 * refused.
 */

/**
 * The fields that are read from a line of `conntrack -L -o extended`, in the direction in which the connection was
 * opened.
 */
export interface Connection {
  packet: Packet
  zone: number
  /** Arguments for `conntrack -D` that match only this connection within its zone. */
  words: string
}

const protocols: Record<string, number> = {
  icmp: 1,
  tcp: 6,
  udp: 17,
  dccp: 33,
  gre: 47,
  icmpv6: 58,
  sctp: 132,
  udplite: 136,
}

export function readConnections(output: string): Connection[] {
  return output.split('\n').flatMap((line) => {
    const [family, , name = '', number] = line.trim().split(/\s+/)
    const value = (key: string) => new RegExp(` ${key}=(\\S+)`).exec(line)?.[1]
    const [source, destination] = [value('src'), value('dst')]
    if (!/^ipv[46]$/.test(family ?? '') || source === undefined || destination === undefined) return []
    const protocol = protocols[name] ?? Number(number)
    const ports = [value('sport'), value('dport')]
    const [type, code, id] = [value('type'), value('code'), value('id')]
    const packet: Packet = {
      version: family === 'ipv4' ? 4 : 6,
      source: canonical(source),
      destination: canonical(destination),
      protocol,
      port: ports[1] === undefined ? null : Number(ports[1]),
      icmp: type === undefined ? null : { type: Number(type), code: Number(code ?? 0) },
    }
    const words = [
      ...[
        '-D',
        ...(packet.version === 6 ? ['-f', 'ipv6'] : []),
        '-p',
        protocols[name] === undefined ? String(protocol) : name,
      ],
      ...['-s', source, '-d', destination],
      ...(ports[0] === undefined ? [] : ['--sport', ports[0], '--dport', ports[1]!]),
      ...(type === undefined
        ? []
        : ['--icmp-type', type, '--icmp-code', code ?? '0', ...(id === undefined ? [] : ['--icmp-id', id])]),
    ].map((word) => (packet.version === 6 && name === 'icmpv6' ? word.replace('--icmp-', '--icmpv6-') : word))
    return [{ packet, zone: Number(value('zone') ?? 0), words: words.join(' ') }]
  })
}

/** Whether the rules of the network's ports still allow a packet. Addresses that belong to no port are not checked. */
export function isStillAllowed(packet: Packet, ports: ReadonlyMap<string, WantedPort>, rules: Rules): boolean {
  const passes = (address: string, direction: 'egress' | 'ingress') => {
    const port = ports.get(address)
    return !port || firstMatch(port, direction, packet, rules.groups, rules.members).verdict
  }
  return passes(packet.source, 'egress') && passes(packet.destination, 'ingress')
}

interface Rules {
  groups: ReadonlyMap<string, WantedGroup>
  members: (groupId: string) => ReadonlySet<string>
}

/**
 * Returns the networks in which ports were removed or allow less traffic than before. Connections in them may have to
 * be closed.
 */
export function networksToLookAt(before: WantedNetworks, after: WantedNetworks): Set<string> {
  const less = groupsWithLess(before, after)
  const ports = new Map(after.ports.map((port) => [port.id, port]))
  const found = new Set<string>()
  for (const old of before.ports) {
    const now = ports.get(old.id)
    const lost = (was: readonly string[], is: readonly string[]) => was.some((item) => !is.includes(item))
    if (
      !now ||
      lost(old.addresses, now.addresses) ||
      lost(old.securityGroups, now.securityGroups) ||
      (isOpen(old) && !isOpen(now)) ||
      old.securityGroups.some((id) => less.has(id))
    )
      found.add(old.networkId)
  }
  return found
}

/** Returns the groups that lost a rule, or that have a rule whose remote group lost a member address. */
function groupsWithLess(before: WantedNetworks, after: WantedNetworks): Set<string> {
  const now = new Map(after.groups.map((group) => [group.id, group]))
  const [was, is] = [membersOfGroups(before), membersOfGroups(after)]
  const hasLostMembers = (id: string) => [...was(id)].some((address) => !is(id).has(address))
  const named = new Map<string, boolean>()
  const found = new Set<string>()
  for (const { id, rules } of before.groups) {
    const kept = new Set(now.get(id)?.rules.map((rule) => JSON.stringify(rule)))
    for (const rule of rules) {
      const remote = rule.remote && 'groupId' in rule.remote ? rule.remote.groupId : null
      if (remote !== null && !named.has(remote)) named.set(remote, hasLostMembers(remote))
      if (!kept.has(JSON.stringify(rule)) || (remote !== null && named.get(remote))) found.add(id)
    }
  }
  return found
}
