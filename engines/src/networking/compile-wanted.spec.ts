import type { FloatingIp } from '@mainstay/contract/networking/floating-ips'
import { deviceOwners } from '@mainstay/contract/networking/ports'
import type { Router } from '@mainstay/contract/networking/routers'
import type { SecurityGroup } from '@mainstay/contract/networking/security-groups'
import { expect, test } from 'vitest'
import { compileWanted, type NetworkRows } from './compile-wanted'
import { network, owner, port, subnet } from './testing/rows'

const compile = (some: Partial<NetworkRows>) =>
  compileWanted(
    { networks: [network('n')], ports: [], routers: [], groups: [], floating: [], ...some },
    { snatSix: true },
  )

test('compiles tenant networks, external VLAN networks, and the default network with NAT', () => {
  const { networks } = compile({
    networks: [
      network('private'),
      network('lab', { type: 'vlan', router_external: true, physical_network: 'public', vlan_id: 7 }),
      network('start', { type: 'flat', mtu: 1500 }),
      network('off', { status: 'DOWN' }),
      network('broken', { status: 'ERROR', fault: 'no bridge' }),
    ],
  })
  expect(networks.map(({ external, nat, up }) => [external, nat, up])).toEqual([
    [null, false, true],
    [{ vlan: 7 }, false, true],
    [null, true, true],
    [null, false, false],
    [null, false, true],
  ])
})

test('compiles the service address of a subnet, and omits the service port', () => {
  const [four, six] = [
    subnet('s4', '10.0.0.0/24', { gateway_ip: '10.0.0.1', dns_nameservers: ['10.0.0.2', '9.9.9.9'] }),
    subnet('s6', 'fd00::/64', { ipv6_address_mode: 'dhcpv6-stateful' }),
  ]
  const { networks, ports } = compile({
    networks: [network('n', { subnets: [four, six, subnet('other', 'fd01::/64')] })],
    ports: [
      port('dhcp', { device_owner: 'network:dhcp', fixed_ips: [{ subnet_id: 's4', ip_address: '10.0.0.2' }] }),
      port('fip', { device_owner: 'network:floatingip' }),
      port('elsewhere', { network_id: 'unknown' }),
    ],
  })
  expect(networks[0]!.subnets).toMatchObject([
    { version: 4, gateway: '10.0.0.1', serviceAddress: '10.0.0.2', nameServers: ['9.9.9.9'], mode: null },
    { version: 6, serviceAddress: null, mode: 'dhcpv6-stateful' },
    { mode: 'none' },
  ])
  expect(ports).toEqual([])
})

test('sets port names and owners, and allows any address if address management is off', () => {
  const { ports } = compile({
    networks: [network('n', { subnets: [subnet('s', '10.0.0.0/24')] }), network('bare')],
    ports: [
      port('vm', {
        device_owner: deviceOwners.instance,
        ...{ device_name: 'Web 1', dns_name: 'web-1' },
        fixed_ips: [{ subnet_id: 's', ip_address: '10.0.0.5' }],
      }),
      port('leg', { device_owner: 'network:router_interface', spoofing_protection: false }),
      port('spare', { admin_state_up: false }),
      port('free', { network_id: 'bare', device_owner: deviceOwners.instance, device_name: 'x' }),
    ],
  })
  expect(ports).toMatchObject([
    { owner: 'instance', hostname: 'web-1', addresses: ['10.0.0.5'], up: true },
    { owner: 'router', hostname: null, spoofingProtection: false },
    { owner: 'service', up: false },
    { owner: 'instance', alsoFrom: [{ cidr: '0.0.0.0/0' }, { cidr: '::/0' }] },
  ])
  expect(ports[0]!.alsoFrom).toBeUndefined()
})

test('compiles router addresses with their prefix lengths, and the SNAT setting of the gateway', () => {
  const leg = (network_id: string, subnet_id: string, ip_address: string) => ({
    ...{ port_id: `p-${network_id}`, network_id, network_name: '', mac_address: '52:54:00:00:00:02', status: 'ACTIVE' },
    ...{ is_external: false, fixed_ips: [{ subnet_id, ip_address }] },
  })
  const router: Router = {
    ...{ id: 'r', name: 'r', status: 'ACTIVE', routes: [{ destination: '172.16.0.0/16', nexthop: '10.0.0.9' }] },
    interfaces_info: [leg('n', 's', '10.0.0.1')],
    external_interface: leg('ext', 'e', '203.0.113.9'),
    external_gateway_info: { network_id: 'ext', network_name: 'ext', external_fixed_ips: [], enable_snat: false },
    ...owner,
  }
  const networks = [
    network('n', { subnets: [subnet('s', '10.0.0.0/24')] }),
    network('ext', { router_external: true, subnets: [subnet('e', '203.0.113.0/26')] }),
  ]
  const { routers } = compile({ networks, routers: [router, { ...router, id: 'going', status: 'PENDING_DELETE' }] })
  expect(routers[0]).toEqual({
    ...{ id: 'r', up: true, routes: router.routes },
    interfaces: [{ portId: 'p-n', networkId: 'n', mac: '52:54:00:00:00:02', addresses: ['10.0.0.1/24'] }],
    gateway: {
      portId: 'p-ext',
      networkId: 'ext',
      mac: '52:54:00:00:00:02',
      addresses: ['203.0.113.9/26'],
      snat: false,
      snatSix: false,
    },
  })
  expect(routers[1]!.up).toBe(false)
})

test('keeps the IP version, ports and remote of rules, and omits unassigned floating IPs', () => {
  const rule = (id: string, more: object) => ({
    ...{ id, security_group_id: 'g', direction: 'ingress' as const, ethertype: 'IPv4' as const, protocol: null },
    ...{ port_range_min: null, port_range_max: null, remote_ip_prefix: null, remote_group_id: null, description: '' },
    ...{ ...owner, ...more },
  })
  const group: SecurityGroup = {
    ...{ id: 'g', name: 'g', description: '', port_count: 0, ...owner },
    security_group_rules: [
      rule('1', { protocol: 'tcp', port_range_min: 22, port_range_max: 23, remote_ip_prefix: '10.0.0.0/8' }),
      rule('2', { ethertype: 'IPv6', protocol: 'icmp', remote_group_id: 'g' }),
      rule('3', { direction: 'egress' }),
    ],
  }
  const floating: FloatingIp = {
    ...{ id: 'f', description: '', floating_ip_address: '203.0.113.7', floating_network_id: 'ext' },
    ...{ floating_network_name: '', fixed_ip_address: '10.0.0.5', port_id: 'vm', router_id: 'r', attachment: null },
    ...{ attached_to: null, status: 'ACTIVE', ...owner },
    published_ports: [{ port: 80, protocol: 'tcp', host_address: '127.50.1.1', host_port: 8080, fault: null }],
  }
  const wanted = compile({ groups: [group], floating: [floating, { ...floating, id: 'idle', port_id: null }] })
  expect(wanted.groups[0]!.rules).toEqual([
    ...[
      {
        id: '1',
        direction: 'ingress',
        version: 4,
        protocol: 'tcp',
        portMin: 22,
        portMax: 23,
        remote: { cidr: '10.0.0.0/8' },
      },
    ],
    ...[
      {
        id: '2',
        direction: 'ingress',
        version: 6,
        protocol: 'icmpv6',
        portMin: null,
        portMax: null,
        remote: { groupId: 'g' },
      },
    ],
    ...[{ id: '3', direction: 'egress', version: 4, protocol: null, portMin: null, portMax: null, remote: null }],
  ])
  expect(wanted.floating).toEqual([
    {
      ...{ id: 'f', address: '203.0.113.7', routerId: 'r', portId: 'vm', fixedAddress: '10.0.0.5' },
      published: [{ port: 80, protocol: 'tcp', hostAddress: '127.50.1.1', hostPort: 8080 }],
    },
  ])
})
