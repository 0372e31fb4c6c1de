import { canonical } from '../addresses'
import { firstMatch, type Packet } from '../compile/match'
import type { WantedGroup, WantedNetworks, WantedPort } from '../wanted'

/*
 * Connections that exist go on by themselves, whatever the rules say by now. Those that no rule lets pass any more are
 * deleted from the tracking, so that their next packet is a new connection's and is refused.
 */

/** A line of `conntrack -L -o extended`, as far as it is needed: the direction in which it was opened. */
export interface Connection {
  packet: Packet
  /** Words for `conntrack -D` that mean this one alone. */
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
    return [{ packet, words: words.join(' ') }]
  })
}

/** Whether the ports of this network still let it pass. Where nobody has an address of it, it may. */
export function mayGoOn(packet: Packet, ports: ReadonlyMap<string, WantedPort>, rules: Rules): boolean {
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

/** Networks whose ports are asked more, or are fewer, than before: there connections may have to end. */
export function networksToLookAt(before: WantedNetworks, after: WantedNetworks): Set<string> {
  const print = (wanted: WantedNetworks) => {
    const groups = new Map(wanted.groups.map((group) => [group.id, JSON.stringify(group.rules)]))
    const named = new Set(
      wanted.groups.flatMap(({ rules }) =>
        rules.flatMap(({ remote }) => (remote && 'groupId' in remote ? [remote.groupId] : [])),
      ),
    )
    const members = new Map<string, string[]>()
    for (const { securityGroups, addresses } of wanted.ports)
      for (const id of securityGroups) if (named.has(id)) members.set(id, [...(members.get(id) ?? []), ...addresses])
    const remotes = (id: string) =>
      wanted.groups
        .find((group) => group.id === id)
        ?.rules.map(({ remote }) => (remote && 'groupId' in remote ? members.get(remote.groupId) : null))
    const texts = new Map<string, string>()
    const groupText = (id: string) => {
      const known = texts.get(id) ?? `${groups.get(id)} ${JSON.stringify(remotes(id))}`
      texts.set(id, known)
      return known
    }
    return new Map(
      wanted.ports.map((port) => [
        port.id,
        {
          networkId: port.networkId,
          text: `${port.addresses.join()} ${port.spoofingProtection} ${[...port.securityGroups].sort().map(groupText).join('|')}`,
        },
      ]),
    )
  }
  const now = print(after)
  const found = new Set<string>()
  for (const [id, { networkId, text }] of print(before)) if (now.get(id)?.text !== text) found.add(networkId)
  return found
}
