import { expect, test } from 'vitest'
import { compile } from '../../../network-model/compile/compile'
import { assignNumbers, noNumbers } from '../../../network-model/compile/numbers'
import { tapOf } from '../../../network-model/names'
import { groupOf, networkOf, openOut, portOf, wantedOf } from '../../../network-model/testing/wanted-examples'
import type { WantedNetworks } from '../../../network-model/wanted'
import { changedRules, noRules, wholeLoad } from './tables'

const rulesOf = (wanted: WantedNetworks) => compile(wanted, assignNumbers(wanted, noNumbers)).rules

test('ports with the same groups share chains, and a new group member adds one set element', () => {
  const network = networkOf(['10.0.0.0/24'])
  const group = groupOf([...openOut(), {}])
  group.rules[2]!.remote = { groupId: group.id }
  const ports = [11, 12, 13].map((at) => portOf(network, at, { securityGroups: [group.id] }))
  const before = rulesOf(wantedOf({ networks: [network], ports: ports.slice(0, 2), groups: [group] }))
  const after = rulesOf(wantedOf({ networks: [network], ports, groups: [group] }))
  expect([...after.chains.keys()]).toEqual([...before.chains.keys()])
  const change = changedRules(before, after, 'a')
  expect(change).toHaveLength(1)
  expect(change[0]).toContain('10.0.0.13')
  expect(change[0]).not.toMatch(/chain|10\.0\.0\.1[12]/)
  expect(changedRules(after, after, 'a')).toEqual([])
})

test('a port may request metadata only from its own addresses, with or without spoofing protection', () => {
  const network = networkOf(['10.0.0.0/24'])
  const [open, guarded] = [
    portOf(network, 11, { spoofingProtection: false }),
    portOf(network, 12, { alsoFrom: [{ cidr: '10.0.0.0/24', mac: null }] }),
  ]
  const rules = rulesOf(wantedOf({ networks: [network], ports: [open, guarded] }))
  expect([...rules.bridge.get('from4')!]).toEqual([
    `"${tapOf(open.id)}" . 10.0.0.11`,
    `"${tapOf(guarded.id)}" . 10.0.0.12`,
  ])
  const hooks = wholeLoad(rules, 'a').at(-1)!
  expect(hooks).toMatch(
    /meta mark set iifname map @in_number\n\s*meta mark != 0 ip daddr 169\.254\.169\.254 iifname \. ip saddr != @from4 jump forgery/,
  )
  expect(hooks).toMatch(
    /meta mark set oifname map @out_number\n\s*meta mark != 0 ip saddr 169\.254\.169\.254 tcp sport 80 oifname \. ip daddr != @from4 drop/,
  )
})

test('splits the rules of 1,000 ports into transactions that an unprivileged user may load, with the hooks last', () => {
  const network = networkOf(['10.0.0.0/16'])
  const group = groupOf(Array.from({ length: 900 }, (_, at) => ({ protocol: 'tcp', portMin: at + 1, portMax: at + 1 })))
  const ports = Array.from({ length: 1000 }, (_, at) =>
    portOf(network, 10, { addresses: [`10.0.${(at >> 8) + 1}.${at & 255}`], securityGroups: [group.id] }),
  )
  const rules = rulesOf(wantedOf({ networks: [network], ports, groups: [group] }))
  const texts = wholeLoad(rules, 'a')
  const rulesIn = (text: string) => text.match(/^add rule/gm)?.length ?? 0
  expect(Math.max(...texts.map(rulesIn))).toBeLessThanOrEqual(300)
  expect(texts.reduce((sum, text) => sum + rulesIn(text), 0)).toBeGreaterThan(900)
  const hooked = texts.map((text) => text.includes(' hook '))
  expect(hooked.indexOf(true)).toBe(texts.length - 1)
  expect(texts.at(-1)).toContain('delete table inet ms_b')
  expect(changedRules(noRules(), rules, 'b').every((text) => !text.includes('ms_a'))).toBe(true)
})
