import { englishText } from '../core/english'
import { expect, test } from 'vitest'
import { IpAddress, MachineAddress, NetworkCidr } from './address-fields'
import { PortDraft } from './ports'
import { SubnetDraft } from './subnets'
import { ConnectionChange } from '../vpn/connections'
import { EndpointGroupDraft } from '../vpn/endpoint-groups'

interface Schema {
  safeParse(value: unknown): { error?: { issues: { path: PropertyKey[]; message: string }[] } | undefined }
}
const told = (schema: Schema, value: unknown) =>
  (schema.safeParse(value).error?.issues ?? []).map(({ path, message }) => englishText(`${path.join('.')}: ${message}`))

test('refuses subnets in ranges that are not forwarded or that the product uses, and gives the reason', () => {
  const subnet = (cidr: string) => told(SubnetDraft, { network_id: 'n', cidr })
  for (const cidr of [
    ...['127.0.0.0/24', '224.0.0.0/24', '169.254.0.0/16', '169.254.169.0/24', '240.0.0.0/24', '0.0.0.0/8'],
    ...['255.255.255.0/24', '198.18.128.0/17', '198.18.0.0/15', '198.18.127.0/25', '169.0.0.0/8'],
    ...['fe80::/64', 'ff02::/64', '::/64', 'FE80:0::/64'],
  ])
    expect(subnet(cidr), cidr).toEqual([expect.stringMatching(/^cidr: \S+\/\d+ cannot be used: /)])
  expect(subnet('127.0.0.0/24')).toEqual(['cidr: 127.0.0.0/8 cannot be used: it is reserved for loopback addresses'])
  for (const cidr of [
    ...['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16', '198.18.0.0/24', '198.51.100.0/24'],
    ...['203.0.113.0/24', 'fd00::/64', '2001:db8::/64', '64:ff9b:1::/64'],
  ])
    expect(subnet(cidr), cidr).toEqual([])
})

test('refuses reserved addresses for hosts', () => {
  const port = (ip_address: string) => told(PortDraft, { network_id: 'n', fixed_ips: [{ ip_address }] })
  expect(port('169.254.169.254')).toEqual([
    'fixed_ips.0.ip_address: 169.254.169.254/32 cannot be used: it is used by the metadata service',
  ])
  expect(port('10.0.0.5')).toEqual([])
  for (const address of ['0.0.0.1', '::1', '::', '::ffff:10.0.0.1', '255.255.255.255'])
    expect(told(MachineAddress, address), address).toHaveLength(1)
})

test('refuses reserved addresses for VPN peers and the ranges behind them, except as part of a larger range', () => {
  const peer = (peer_address: string) => told(ConnectionChange, { ipsec_site_connection: { peer_address } })
  for (const address of ['127.0.0.1', '169.254.1.1', '224.0.0.5', '255.255.255.255', '::1', 'FE80::1', 'ff02::1'])
    expect(peer(address), address).toEqual([expect.stringContaining('cannot be used')])
  for (const address of ['203.0.113.9', 'vpn.example.com', '2001:db8::9']) expect(peer(address), address).toEqual([])
  const behind = (...endpoints: string[]) => told(EndpointGroupDraft, { name: 'there', type: 'cidr', endpoints })
  expect(behind('0.0.0.0/0')).toEqual([])
  expect(behind('10.0.0.0/8', '169.254.169.254/32')).toEqual([expect.stringMatching(/^endpoints\.1: .*metadata/)])
})

test('reports malformed addresses and ranges only once', () => {
  expect(told(MachineAddress, 'x')).toEqual(told(IpAddress, 'x'))
  expect(told(SubnetDraft.shape.cidr, '127.0.0.0')).toEqual(told(NetworkCidr, '127.0.0.0'))
})
