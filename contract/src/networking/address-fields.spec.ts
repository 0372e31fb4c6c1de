import { englishText } from '../core/english'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  Cidr,
  IpAddress,
  Ipv4,
  Ipv4Cidr,
  Ipv6Cidr,
  NetworkCidr,
  PortNumber,
  PortNumberOrZero,
  VlanId,
} from './address-fields'
import { cidrFault, ipv4CidrFault, ipv6CidrFault, parsePortRange } from './address-texts'
import { MemberDrafts } from '../load-balancing/members'
import { EndpointGroupDraft } from '../vpn/endpoint-groups'
import { ConnectionDraft } from '../vpn/connections'
import { MacAddress } from './mac-address'
import { FloatingIpChange, FloatingIpDraft, floatingIps } from './floating-ips'
import { PrivateNetworkDraft, VlanNetworkDraft } from './networks'
import { PortDraft } from './ports'
import { ruleFaults } from './rule-rules'
import { SecurityGroupRuleDraft } from './security-group-rules'
import { ipv6Modes, SubnetDraft } from './subnets'

const takes = (schema: { safeParse(value: unknown): { success: boolean } }, value: unknown) =>
  schema.safeParse(value).success
const faultsOf = (schema: { safeParse(value: unknown): unknown }, value: unknown): string[] => {
  const { error } = schema.safeParse(value) as { error?: { issues: { path: (string | number)[] }[] } }
  return (error?.issues ?? []).map(({ path }) => path.join('.'))
}
const rule = { security_group_id: 'g', direction: 'ingress' as const, protocol: 'tcp' }
/** Returns the fields of a rule that are invalid with these ports, syntactically or semantically. */
function faultsOfPorts(port_range_min: unknown, port_range_max: unknown): string[] {
  const parsed = SecurityGroupRuleDraft.safeParse({ ...rule, port_range_min, port_range_max })
  if (!parsed.success) return parsed.error.issues.map(({ path }) => path.join('.'))
  return ruleFaults(parsed.data).map(({ field }) => field)
}

test('an IPv4 field accepts only IPv4 addresses [VA-030]', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 4, maxLength: 4 }), (parts) => {
      expect(takes(Ipv4, parts.join('.'))).toBe(true)
    }),
  )
  for (const bad of ['', '1.2.3', '1.2.3.4.5', '256.1.1.1', '1.2.3.4/24', 'fd00::1', 'host', '1.2.3.04', 5]) {
    expect(takes(Ipv4, bad), String(bad)).toBe(false)
    const draft = { floating_network_id: 'n', fixed_ip_address: bad, floating_ip_address: bad }
    expect(faultsOf(FloatingIpDraft, draft), String(bad)).toEqual(['fixed_ip_address', 'floating_ip_address'])
  }
  expect(takes(FloatingIpDraft, { floating_network_id: 'n', fixed_ip_address: '10.0.0.5' })).toBe(true)
})

test('normalizes addresses and ranges to one spelling', () => {
  for (const text of ['FD00:20:0:0::1', 'fd00:0020::1', 'fd00:20::0.0.0.1', 'fd00:20:0:0:0:0:0:1'])
    expect(IpAddress.parse(text), text).toBe('fd00:20::1')
  for (const field of [Ipv6Cidr, NetworkCidr, Cidr]) expect(field.parse('FD00:20:0::/64')).toBe('fd00:20::/64')
  expect(NetworkCidr.parse(' 10.0.0.0/24 ')).toBe('10.0.0.0/24')
  expect(Cidr.parse('10.0.0.9/24')).toBe('10.0.0.0/24')
  const member = { address: 'FD00:0::7' }
  expect(MemberDrafts.parse([member])).toMatchObject([{ address: 'fd00::7' }])
  const [ikepolicy, ipsecpolicy] = [{ name: 'branch-ike' }, { name: 'branch-ipsec' }]
  const [local_ep_group, peer_ep_group] = [
    { name: 'here', endpoints: ['s'] },
    { name: 'there', endpoints: ['fd77::/64'] },
  ]
  const parts = { vpnservice: { router_id: 'r' }, ikepolicy, ipsecpolicy, local_ep_group, peer_ep_group }
  const branch = { ...{ name: 'branch', psk: 'a key that both ends know' }, peer_address: '2001:DB8:0::9' }
  expect(ConnectionDraft.parse({ ...parts, ipsec_site_connection: branch })).toMatchObject({
    ipsec_site_connection: { peer_address: '2001:db8::9' },
  })
  const twice = { name: 'there', type: 'cidr', endpoints: ['fd77::/64', 'FD77:0::/64'] }
  expect(faultsOf(EndpointGroupDraft, twice)).toEqual(['endpoints.1'])
})

test('an IPv4 range has a prefix length of 1 to 32, or any address with /0 [VA-031]', () => {
  for (let prefix = 0; prefix <= 32; prefix++) expect(ipv4CidrFault(`10.1.2.3/${prefix}`)).toBeNull()
  for (const bad of ['10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0', '10.0.0.0/', '10.0.0/8', '10.0.0.0/a', 'fd00::/8'])
    expect(takes(Ipv4Cidr, bad), bad).toBe(false)
  for (const good of ['10.0.0.0/1', '10.0.0.5/32', '10.1.2.3/0'])
    expect(takes(SecurityGroupRuleDraft, { ...rule, remote_ip_prefix: good }), good).toBe(true)
  for (const bad of ['10.0.0.0/33', '10.0.0.0', '10.0.0/8'])
    expect(faultsOf(SecurityGroupRuleDraft, { ...rule, remote_ip_prefix: bad }), bad).toEqual(['remote_ip_prefix'])
  for (const bad of ['10.0.0.0/33', '10.0.0.0'])
    expect(faultsOf(SubnetDraft, { network_id: 'n', cidr: bad }), bad).toEqual(['cidr'])
  expect(takes(Ipv4Cidr, '0.0.0.0/0')).toBe(true)
})

test('an IPv6 range has a prefix length of at most 128 [VA-032]', () => {
  for (let prefix = 0; prefix <= 128; prefix++) expect(ipv6CidrFault(`fd00::/${prefix}`)).toBeNull()
  for (const bad of ['fd00::/129', 'fd00::', 'fd00::/', 'fd00:::/64', '10.0.0.0/8'])
    expect(takes(Ipv6Cidr, bad), bad).toBe(false)
  for (const good of ['fd00::/0', 'fd00::5/128'])
    expect(takes(SecurityGroupRuleDraft, { ...rule, remote_ip_prefix: good }), good).toBe(true)
  expect(faultsOf(SecurityGroupRuleDraft, { ...rule, remote_ip_prefix: 'fd00::/129' })).toEqual(['remote_ip_prefix'])
  expect(faultsOf(SubnetDraft, { network_id: 'n', cidr: 'fd00::/129' })).toEqual(['cidr'])
})

test('a MAC address in a draft is a unicast address, in upper or lower case [VA-033]', () => {
  expect(MacAddress.parse('52:54:00:AB:cd:0F')).toBe('52:54:00:ab:cd:0f')
  const bad = [
    '',
    '52:54:00:ab:cd',
    '52:54:00:ab:cd:0g',
    '52-54-00-ab-cd-0f',
    '00:00:00:00:00:00',
    '53:54:00:ab:cd:0f',
    '52:54:00:ab:cd:0f:00',
  ]
  for (const mac of bad) {
    expect(takes(MacAddress, mac), mac).toBe(false)
    expect(faultsOf(PortDraft, { network_id: 'n', mac_address: mac })).toEqual(['mac_address'])
  }
})

test('a port is 1 to 65535, as a number or as text [VA-034]', () => {
  for (const good of [1, 80, 65_535, '443']) expect(takes(PortNumber, good), String(good)).toBe(true)
  for (const bad of [0, -1, 65_536, 1.5, '', 'http']) {
    expect(takes(PortNumber, bad), String(bad)).toBe(false)
    expect(faultsOf(floatingIps.publish.body, { port: bad }), String(bad)).toEqual(['port'])
  }
  // the same for TCP rules, where port 0 is invalid
  expect([1, 65_535].map((port) => faultsOfPorts(port, port))).toEqual([[], []])
  expect(faultsOfPorts(0, 80)).toEqual(['port_range_min'])
})

test('accepts 0 to 65535 in fields where 0 means any port [VA-035]', () => {
  for (const good of [0, 1, 65_535]) expect(takes(PortNumberOrZero, good), String(good)).toBe(true)
  for (const bad of [-1, 65_536, 0.5]) {
    expect(takes(PortNumberOrZero, bad), String(bad)).toBe(false)
    expect(faultsOf(SecurityGroupRuleDraft, { ...rule, port_range_max: bad }), String(bad)).toEqual(['port_range_max'])
  }
  // for ICMP, 0 is the type of an echo reply
  expect(takes(SecurityGroupRuleDraft, { ...rule, protocol: 'icmp', port_range_min: 0 })).toBe(true)
  expect(takes(SecurityGroupRuleDraft, { ...rule, port_range_min: 0, port_range_max: 65_535 })).toBe(true)
})

test('a port range is two ports in ascending order, or a single port [VA-036]', () => {
  fc.assert(
    fc.property(fc.integer({ min: -2, max: 70_000 }), fc.integer({ min: -2, max: 70_000 }), (min, max) => {
      const isRange = min >= 1 && max <= 65_535 && min <= max
      expect(parsePortRange(`${min}-${max}`)).toEqual(isRange ? { min, max } : null)
    }),
  )
  expect(parsePortRange('80')).toEqual({ min: 80, max: 80 })
  expect(parsePortRange(' 8000 - 8999 ')).toEqual({ min: 8000, max: 8999 })
  for (const bad of ['', '0', '80-', '-80', '1-2-3', '80,81', 'a-b']) expect(parsePortRange(bad), bad).toBeNull()
  expect(faultsOfPorts(8000, 8999)).toEqual([])
  expect(faultsOfPorts(9000, 8000)).toEqual(['port_range_max'])
  expect(faultsOfPorts(8000, 65_536)).toEqual(['port_range_max'])
})

test('asks for a range if the field is empty [VA-053]', () => {
  expect(['', '   '].map(cidrFault)).toEqual([{ kind: 'empty' }, { kind: 'empty' }])
  expect(englishText(NetworkCidr.safeParse('').error!.issues[0]!.message)).toBe('Enter an address range')
})

test('reports a malformed range as invalid [VA-054]', () => {
  for (const bad of ['10.0.0.0', '10.0.0.0/33', 'ten', '10.0.0.0/8 or so', 'fd00::/200'])
    expect(cidrFault(bad), bad).toEqual({ kind: 'invalid' })
  expect(englishText(NetworkCidr.safeParse('ten').error!.issues[0]!.message)).toContain('192.168.10.0/24')
})

test('suggests the network range for an address inside it [VA-055]', () => {
  expect(cidrFault('192.168.10.7/24')).toEqual({ kind: 'incorrect', suggestion: '192.168.10.0/24' })
  expect(cidrFault('fd00::7/64')).toEqual({ kind: 'incorrect', suggestion: 'fd00::/64' })
  expect(cidrFault('192.168.10.0/24')).toBeNull()
  expect(englishText(NetworkCidr.safeParse('10.1.2.3/8').error!.issues[0]!.message)).toContain('10.0.0.0/8')
  expect(faultsOf(SubnetDraft, { network_id: 'n', cidr: '10.1.2.3/8' })).toEqual(['cidr'])
})

test('a VLAN ID is 1 to 4094 [VA-056]', () => {
  for (const good of [1, 4094, '7']) expect(takes(VlanId, good), String(good)).toBe(true)
  const draft = { name: 'lab', vlan_network: 'public' }
  for (const bad of [0, 4095, -1, 1.5, 'x'])
    expect(faultsOf(VlanNetworkDraft, { ...draft, vlan_id: bad }), String(bad)).toEqual(['vlan_id'])
})

const mtuOf = (mtu: number) => faultsOf(PrivateNetworkDraft, { name: 'net', mtu })
test('an MTU is at least 60', () => {
  expect([59, 60].map(mtuOf)).toEqual([['mtu'], []])
})
test('an MTU is at most 9000', () => {
  expect([9001, 9000].map(mtuOf)).toEqual([['mtu'], []])
})

test('supports four modes of IPv6 address assignment [CO-071]', () => {
  expect(ipv6Modes).toEqual(['none', 'slaac', 'dhcpv6-stateful', 'dhcpv6-stateless'])
  const draft = { network_id: 'n', cidr: 'fd00::/64' }
  for (const mode of ipv6Modes) expect(takes(SubnetDraft, { ...draft, ipv6_address_mode: mode })).toBe(true)
  expect(faultsOf(SubnetDraft, { ...draft, ipv6_address_mode: 'auto' })).toEqual(['ipv6_address_mode'])
})

test('validates the fields of a floating IP update', () => {
  expect(faultsOf(FloatingIpChange, { fixed_ip_address: 'x' })).toEqual(['fixed_ip_address'])
  expect(takes(FloatingIpChange, { port_id: null })).toBe(true)
})
