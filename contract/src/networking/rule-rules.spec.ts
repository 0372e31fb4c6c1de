import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SecurityGroupChange, SecurityGroupDraft } from './security-groups'
import { ruleFaults, ruleKey, ruleTemplates } from './rule-rules'
import { SecurityGroupRuleDraft } from './security-group-rules'

const rule = (said: object) => SecurityGroupRuleDraft.parse({ security_group_id: 'g', direction: 'ingress', ...said })
const faults = (said: object) => ruleFaults(rule(said)).map(({ field, code }) => `${field} ${code}`)
const ports = (protocol: string | null, min: number | null, max: number | null) => ({
  ...{ protocol, port_range_min: min, port_range_max: max },
})

test('reports every invalid field in a rule', () => {
  expect(faults({ remote_ip_prefix: '10.0.0.0/8', remote_group_id: 'g2' })).toEqual(['remote_group_id validation'])
  expect(faults({ remote_ip_prefix: 'fd00::/8' })).toEqual(['remote_ip_prefix validation'])
  expect(faults({ ethertype: 'IPv6', remote_ip_prefix: '10.0.0.0/8' })).toEqual(['remote_ip_prefix validation'])
  expect(faults({ protocol: 'icmpv6' })).toEqual(['protocol validation'])
  expect(faults(ports(null, 1, 2))).toEqual(['port_range_min invalid_port_range'])
  expect(faults(ports('gre', 1, 2))).toEqual(['port_range_min invalid_port_range'])
  expect(faults(ports('tcp', 22, null))).toEqual(['port_range_max invalid_port_range'])
  expect(faults(ports('udp', null, 22))).toEqual(['port_range_min invalid_port_range'])
  expect(faults(ports('tcp', 0, 22))).toEqual(['port_range_min invalid_port_range'])
  expect(faults(ports('icmp', null, 3))).toEqual(['port_range_min invalid_port_range'])
  expect(faults(ports('icmp', 256, 300))).toEqual([
    'port_range_min invalid_port_range',
    'port_range_max invalid_port_range',
  ])
  for (const good of [
    ports('tcp', 22, 22),
    ports('132', 1, 65_535),
    ports('icmp', 8, 0),
    ports('icmp', 8, null),
    ports(null, null, null),
  ])
    expect(faults(good), JSON.stringify(good)).toEqual([])
})

test('TCP ports must both be omitted, or both be set in ascending order', () => {
  const port = fc.option(fc.integer({ min: 0, max: 65_535 }))
  fc.assert(
    fc.property(port, port, (min, max) => {
      const isSound = (min === null && max === null) || (min !== null && max !== null && min >= 1 && min <= max)
      expect(faults(ports('tcp', min, max)).length === 0).toBe(isSound)
    }),
  )
})

test('accepts protocols by name or number, and converts any to null', () => {
  const said = (protocol: unknown) =>
    SecurityGroupRuleDraft.safeParse({ security_group_id: 'g', direction: 'egress', protocol })
  expect(['TCP', ' any ', '', 6, 'ipv6-icmp', 'vrrp'].map((it) => said(it).data?.protocol)).toEqual([
    ...['tcp', null, null, '6', 'icmpv6', 'vrrp'],
  ])
  for (const bad of ['tpc', 256, -1, '1.5']) expect(said(bad).success, String(bad)).toBe(false)
})

test('rules with the same effect have the same key, however they are written', () => {
  const key = (said: object) => ruleKey(rule(said))
  const https = ports('tcp', 443, 443)
  expect(key({ ...https, remote_ip_prefix: '10.1.2.3/8' })).toBe(key({ ...https, remote_ip_prefix: '10.0.0.0/8' }))
  expect(key({ ...https, remote_ip_prefix: '0.0.0.0/0' })).toBe(key(https))
  expect(key({ ...https, description: 'shop' })).toBe(key(https))
  for (const other of [
    { direction: 'egress' },
    { ethertype: 'IPv6' },
    ports('tcp', 443, 444),
    { remote_group_id: 'g' },
  ])
    expect(key({ ...https, ...other }), JSON.stringify(other)).not.toBe(key(https))
})

test('every template is a valid rule', () => {
  for (const [name, { protocol, min, max }] of Object.entries(ruleTemplates))
    expect(faults(ports(protocol, min, max)), name).toEqual([])
})

test("a security group must have a valid resource name other than the default group's", () => {
  const takes = (name: string) =>
    SecurityGroupDraft.safeParse({ name }).success && SecurityGroupChange.safeParse({ name }).success
  for (const name of ['web', 'Web servers 2']) expect(takes(name), name).toBe(true)
  for (const name of ['', 'a', '1a', ' web', '\u202Eevil', 'a\nb', 'Default', 'default ', 'x'.repeat(256)])
    expect(takes(name), JSON.stringify(name)).toBe(false)
})
