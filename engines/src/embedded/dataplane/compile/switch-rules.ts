import { canonical, cidrText, linkLocalOf, readCidr, toBigInt, versionOf } from '../addresses'
import { bridgeOf, ruleName, tapOf } from '../names'
import type { WantedGroup, WantedNetworks, WantedPort } from '../wanted'
import { membersOf, ruleText } from './group-rules'
import type { Numbers } from './numbers'
import type { SwitchRules } from './plan'

/*
 * Who may send as whom on the switches (bridge family), and what security groups let pass (inet family, which sees the
 * switches' packets by br_netfilter). What the texts of `switch-tables.ts` say of all ports refers to sets; here is what
 * is in them. A port's number marks its packets: that of the sender before the switch, that of the receiver behind it.
 */

const setNames = {
  bridge: [
    'guarded',
    'macs',
    'from4',
    'pairs4',
    'from6',
    'pairs6',
    'nd6',
    'nd_open',
    'in_number',
    'out_number',
    'limits',
  ],
  inet: ['zones', 'egress', 'ingress'],
}

export function switchRules(wanted: WantedNetworks, numbers: Numbers): SwitchRules {
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
  for (const port of wanted.ports) {
    // theirs are no taps, and are asked nothing
    if (port.owner === 'router' || port.owner === 'balancer') continue
    guard(rules, port, numbers.ports[port.id]!)
    admit(rules, port, numbers.ports[port.id]!, groups)
  }
  fillMembers(rules, wanted)
  return rules
}

/** What it may send as, its number, and how fast it may send. */
function guard({ bridge, limits }: SwitchRules, port: WantedPort, number: number): void {
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
  // without protection too, as it asks for metadata from these alone
  for (const address of own) if (versionOf(address) === 4) add('from4', `${name} . ${address}`)
  if (!port.spoofingProtection) return
  add('guarded', name)
  add('macs', `${name} . ${port.mac}`)
  for (const address of own) {
    if (versionOf(address) === 4) continue
    add('from6', `${name} . ${address}`)
    add('nd6', `${name} . 0x${toBigInt(address).toString(16).padStart(32, '0')}`)
  }
  for (const { cidr, mac } of port.alsoFrom ?? []) {
    if (mac !== null) {
      add('macs', `${name} . ${mac}`)
      add('from6', `${name} . ${linkLocalOf(mac)}`)
    }
    const { version } = readCidr(cidr)
    add(`pairs${version}`, `${name} . ${cidrText(readCidr(cidr))}`)
    if (version === 6 || mac !== null) add('nd_open', name)
  }
}

/** What its groups let pass. A port without protection and groups is open; with protection and no groups, closed. */
function admit(rules: SwitchRules, port: WantedPort, number: number, groups: Map<string, WantedGroup>): void {
  if (isOpen(port)) return
  const own = port.securityGroups.filter((id) => groups.has(id)).sort()
  for (const direction of ['egress', 'ingress'] as const) {
    const chain = ruleName(`p${direction[0]}`, own.join())
    rules.inet.get(direction)!.add(`${number} : jump ${chain}`)
    if (rules.chains.has(chain)) continue
    const jumps = own.map((id) => `jump ${ruleName(`g${direction[0]}`, id)}`)
    rules.chains.set(chain, [...jumps, `update @refused_${direction} { meta mark }`, 'drop'])
    for (const id of own) {
      const ofGroup = groups.get(id)!.rules.filter((rule) => rule.direction === direction)
      rules.chains.set(ruleName(`g${direction[0]}`, id), [...new Set(ofGroup.map(ruleText))])
    }
  }
}

export const isOpen = ({ spoofingProtection, securityGroups }: WantedPort) =>
  !spoofingProtection && securityGroups.length === 0

/** Addresses of the members of groups that rules name; those of the groups in use only. */
function fillMembers(rules: SwitchRules, { groups, ports }: WantedNetworks): void {
  const inUse = new Set(ports.flatMap(({ securityGroups }) => securityGroups))
  for (const group of groups) {
    if (!inUse.has(group.id)) continue
    for (const { remote, version } of group.rules) {
      if (!remote || !('groupId' in remote)) continue
      const name = membersOf(remote.groupId, version)
      if (!rules.members.has(name)) rules.members.set(name, { version, addresses: new Set() })
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
