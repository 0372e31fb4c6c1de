import { canonical, cidrText, linkLocalOf, readCidr, toBigInt, versionOf } from '../addresses'
import { bridgeOf, ruleName, tapOf } from '../names'
import type { WantedGroup, WantedNetworks, WantedPort, WantedRule } from '../wanted'
import { assignedElements, segmentElement, segmentsFor, segmentsOf, type Segment } from './chosen-addresses'
import { membersOf, ruleText, sendersOf } from './group-rules'
import type { Numbers } from './numbers'
import type { CablePlan, SpacePlan, SwitchRules } from './plan'

/*
 * Elements of the switch rules: anti-spoofing in the bridge family, and security groups in the inet family, which sees
 * bridged packets through br_netfilter. The fixed rules in `switch-tables.ts` refer to these sets. Packets are marked
 * with a port number: the sender's before the bridge selects the output port, and the receiver's afterwards.
 */

const setNames = {
  bridge: [
    'guarded',
    'macs',
    'from4',
    'pairs4',
    'own6',
    'pairs6',
    'segments6',
    'assigned6',
    'numbered',
    'in_number',
    'out_number',
    'limits',
  ],
  inet: ['zones', 'egress', 'ingress'],
}

export function switchRules(
  wanted: WantedNetworks,
  numbers: Numbers,
  legs: { cables: readonly CablePlan[]; spaces: readonly SpacePlan[] },
): SwitchRules {
  const empty = (names: string[]) => new Map(names.map((name) => [name, new Set<string>()] as const))
  const rules: SwitchRules = {
    bridge: empty(setNames.bridge),
    limits: new Map(),
    inet: empty(setNames.inet),
    members: new Map(),
    chains: new Map(),
  }
  const groups = new Map(wanted.groups.map((group) => [group.id, group]))
  for (const { id } of wanted.networks) rules.inet.get('zones')!.add(`"${bridgeOf(id)}" : ${numbers.zones[id]}`)
  const segments = new Map(wanted.networks.map((network) => [network.id, segmentsOf(network, numbers)]))
  rules.bridge.set('assigned6', assignedElements(wanted, segments, legs))
  fillMembers(rules, wanted)
  for (const port of wanted.ports) {
    // these ports have no taps, and no rules apply to them
    if (port.owner === 'router' || port.owner === 'balancer') continue
    const its = port.spoofingProtection ? segmentsFor(port, segments.get(port.networkId)!) : []
    guard(rules, port, numbers.ports[port.id]!, its)
    admit(rules, port, numbers.ports[port.id]!, groups, its.length > 0)
  }
  return rules
}

/**
 * Adds a port's anti-spoofing rules, number and rate limit. `segments` are the segments in which it may choose
 * addresses.
 */
function guard({ bridge, limits }: SwitchRules, port: WantedPort, number: number, segments: readonly Segment[]): void {
  const name = `"${tapOf(port.id)}"`
  const add = (set: string, element: string) => bridge.get(set)!.add(element)
  add('in_number', `${name} : ${number}`)
  add('out_number', `${name} : ${number}`)
  const speed = port.rate?.fromGuestBits ?? null
  if (speed !== null) {
    const limit = ruleName('l', `${port.id} ${speed}`)
    limits.set(limit, speed)
    add('limits', `${name} : "${limit}"`)
  }
  const own = [...port.addresses, linkLocalOf(port.mac)].map(canonical)
  // required even without spoofing protection: metadata requests are allowed only from these addresses
  for (const address of own) if (versionOf(address) === 4) add('from4', `${name} . ${address}`)
  if (!port.spoofingProtection) return
  add('guarded', name)
  add('macs', `${name} . ${port.mac}`)
  for (const address of own) if (versionOf(address) === 6) add('own6', `${name} . ${asNumber(toBigInt(address))}`)
  if (segments.length > 0) add('numbered', `${name} . ${number}`)
  for (const segment of segments) add('segments6', segmentElement(tapOf(port.id), segment))
  for (const { cidr, mac } of port.alsoFrom ?? []) {
    if (mac !== null) {
      add('macs', `${name} . ${mac}`)
      add('own6', `${name} . ${asNumber(toBigInt(linkLocalOf(mac)))}`)
    }
    const { version, first, last } = readCidr(cidr)
    const range = first === last ? asNumber(first) : `${asNumber(first)}-${asNumber(last)}`
    add(`pairs${version}`, `${name} . ${version === 4 ? cidrText(readCidr(cidr)) : range}`)
  }
}

const asNumber = (value: bigint) => `0x${value.toString(16).padStart(32, '0')}`

/**
 * Adds a port's security group rules. Without groups, the port is open if spoofing protection is off, and closed
 * otherwise. When the port opens a connection from an address it chose, the rules add the address to its groups' member
 * addresses, provided that other rules refer to these groups.
 */
function admit(
  rules: SwitchRules,
  port: WantedPort,
  number: number,
  groups: Map<string, WantedGroup>,
  chooses: boolean,
): void {
  if (isOpen(port)) return
  const own = port.securityGroups.filter((id) => groups.has(id)).sort()
  const senders = chooses ? own.map(sendersOf).filter((set) => rules.members.has(set)) : []
  for (const set of senders) rules.members.get(set)!.senders!.add(port.id)
  for (const direction of ['egress', 'ingress'] as const) {
    const made = direction === 'egress' ? senders : []
    const chain = ruleName(`p${direction[0]}`, [...own, ...made].join())
    rules.inet.get(direction)!.add(`${number} : jump ${chain}`)
    if (rules.chains.has(chain)) continue
    const known = made.map((set) => `ip6 saddr != fe80::/10 update @${set} { ip6 saddr }`)
    const jumps = own.map((id) => `jump ${ruleName(`g${direction[0]}`, id)}`)
    rules.chains.set(chain, [...known, ...jumps, `update @refused_${direction} { meta mark }`, 'drop'])
    for (const id of own) {
      const ofGroup = groups.get(id)!.rules.filter((rule) => rule.direction === direction)
      rules.chains.set(ruleName(`g${direction[0]}`, id), [...new Set(ofGroup.flatMap(ruleTexts))])
    }
  }
}

/**
 * Returns the nft texts of a rule. An IPv6 rule for a group matches both the assigned and the chosen addresses of its
 * members.
 */
const ruleTexts = (rule: WantedRule): string[] =>
  rule.version === 6 && rule.remote && 'groupId' in rule.remote
    ? [ruleText(rule), ruleText(rule, sendersOf)]
    : [ruleText(rule)]

export const isOpen = ({ spoofingProtection, securityGroups }: WantedPort) =>
  !spoofingProtection && securityGroups.length === 0

/** Fills the address sets of groups that rules refer to. Ignores the rules in groups that no port uses. */
function fillMembers(rules: SwitchRules, { groups, ports }: WantedNetworks): void {
  const inUse = new Set(ports.flatMap(({ securityGroups }) => securityGroups))
  for (const group of groups) {
    if (!inUse.has(group.id)) continue
    for (const { remote, version } of group.rules) {
      if (!remote || !('groupId' in remote)) continue
      const name = membersOf(remote.groupId, version)
      if (!rules.members.has(name)) rules.members.set(name, { version, addresses: new Set() })
      if (version === 6)
        rules.members.set(sendersOf(remote.groupId), { version, addresses: new Set(), senders: new Set() })
    }
  }
  for (const port of ports) {
    for (const groupId of port.securityGroups) {
      for (const address of port.addresses.map(canonical)) {
        const version = versionOf(address)
        rules.members.get(membersOf(groupId, version))?.addresses.add(address)
      }
    }
  }
}
