import type { Subnet } from '@mainstay/contract/networking/subnets'
import { describe, expect, test } from 'vitest'
import { networkConfig, networkData, type GuestLink } from './guest-config'
import { network, port, subnet } from './testing/rows'

const four = (more: Partial<Subnet> = {}) =>
  subnet('s4', '10.91.0.0/24', { gateway_ip: '10.91.0.1', dns_nameservers: ['9.9.9.9'], ...more })
const six = (mode: string | null, more: Partial<Subnet> = {}) =>
  subnet('s6', 'fd00:93::/64', { gateway_ip: 'fd00:93::1', ipv6_address_mode: mode, ipv6_ra_mode: mode, ...more })

function link(subnets: Subnet[], addresses: [subnet: string, address: string][], name = 'n', mac = '01'): GuestLink {
  const fixed_ips = addresses.map(([subnet_id, ip_address]) => ({ subnet_id, ip_address }))
  return {
    port: port(`port-of-${name}`, { network_id: name, fixed_ips, mac_address: `52:54:00:00:00:${mac}` }),
    network: network(name, { subnets }),
  }
}
const ip4: [string, string] = ['s4', '10.91.0.77']
const ip6: [string, string] = ['s6', 'fd00:93::77']
/** Returns the configuration lines for an interface, without its MAC address and MTU. */
const said = (given: GuestLink) =>
  networkConfig([given])
    .split('\n')
    .slice(6, -1)
    .map((line) => line.slice(4))

const static6 = ['addresses:', '  - "fd00:93::77/64"', 'routes:', '  - to: "::/0"', '    via: "fd00:93::1"']
const net = { link: 'link0', network_id: 'n', id: 'network0-0' }
const told4 = { ip_address: '10.91.0.77', netmask: '255.255.255.0' }
const told6 = { ip_address: 'fd00:93::77', netmask: 'ffff:ffff:ffff:ffff::' }
const route4 = { network: '0.0.0.0', netmask: '0.0.0.0', gateway: '10.91.0.1' }
const route6 = { network: '::', netmask: '::', gateway: 'fd00:93::1' }
const dns = { services: [{ type: 'dns', address: '9.9.9.9' }] }
const plain6 = { routes: [route6], services: [] }

describe('configures an interface for its subnets', () => {
  test.each<[what: string, given: GuestLink, seed: string[], data: object[]]>([
    ['IPv4 with DHCP', link([four()], [ip4]), ['dhcp4: true'], [{ ...net, type: 'ipv4_dhcp' }]],
    [
      'IPv4 without DHCP',
      link([four({ enable_dhcp: false })], [ip4]),
      [
        ...[
          'dhcp4: false',
          'addresses:',
          '  - "10.91.0.77/24"',
          'routes:',
          '  - to: "0.0.0.0/0"',
          '    via: "10.91.0.1"',
        ],
        ...['nameservers:', '  addresses:', '    - "9.9.9.9"'],
      ],
      [{ ...net, type: 'ipv4', ...told4, routes: [route4], ...dns }],
    ],
    [
      'IPv4 without DHCP, gateway and name servers',
      link([four({ enable_dhcp: false, gateway_ip: null, dns_nameservers: [] })], [ip4]),
      ['dhcp4: false', 'addresses:', '  - "10.91.0.77/24"'],
      [{ ...net, type: 'ipv4', ...told4, routes: [], services: [] }],
    ],
    [
      'IPv6 with SLAAC',
      link([six('slaac')], [ip6]),
      ['dhcp4: false', 'dhcp6: false', 'accept-ra: true'],
      [{ ...net, type: 'ipv6_slaac', ...told6, ...plain6 }],
    ],
    [
      'IPv6 with SLAAC, without an address on record',
      link([six('slaac')], []),
      ['dhcp4: false', 'dhcp6: false', 'accept-ra: true'],
      [{ ...net, type: 'ipv6_slaac', ...plain6 }],
    ],
    [
      'IPv6 with SLAAC and stateless DHCP',
      link([six('dhcpv6-stateless')], [ip6]),
      ['dhcp4: false', 'dhcp6: true', 'accept-ra: true'],
      [{ ...net, type: 'ipv6_dhcpv6-stateless', ...told6, ...plain6 }],
    ],
    [
      'IPv6 with stateful DHCP',
      link([six('dhcpv6-stateful')], [ip6]),
      ['dhcp4: false', 'dhcp6: true', 'accept-ra: true'],
      [{ ...net, type: 'ipv6_dhcpv6-stateful', ...told6, ...plain6 }],
    ],
    ...[null, 'none'].map((mode): [string, GuestLink, string[], object[]] => [
      `static IPv6 (${mode})`,
      link([six(mode)], [ip6]),
      ['dhcp4: false', 'dhcp6: false', 'accept-ra: false', ...static6],
      [{ ...net, type: 'ipv6', ...told6, ...plain6 }],
    ]),
    [
      'both IP versions',
      link([four(), six('slaac')], [ip4, ip6]),
      ['dhcp4: true', 'dhcp6: false', 'accept-ra: true'],
      [
        { ...net, type: 'ipv4_dhcp' },
        { ...net, id: 'network0-1', type: 'ipv6_slaac', ...told6, ...plain6 },
      ],
    ],
    ['no address in the subnet', link([four()], []), ['dhcp4: false'], []],
    ['no subnets', link([], []), ['dhcp4: true', 'optional: true'], []],
  ])('%s', (_, given, seed, data) => {
    expect(said(given)).toEqual(seed)
    expect(networkData([given]).networks).toEqual(data)
  })
})

test('matches interfaces by MAC, waits only for the first one at boot, and sets one default route', () => {
  const links = [
    link([four({ enable_dhcp: false })], [ip4], 'one', '01'),
    link(
      [subnet('s4', '10.92.0.0/24', { gateway_ip: '10.92.0.1', enable_dhcp: false })],
      [['s4', '10.92.0.5']],
      'two',
      '02',
    ),
  ]
  expect(networkConfig(links)).toBe(`version: 2
ethernets:
  nic0:
    match:
      macaddress: "52:54:00:00:00:01"
    mtu: 1450
    dhcp4: false
    addresses:
      - "10.91.0.77/24"
    routes:
      - to: "0.0.0.0/0"
        via: "10.91.0.1"
    nameservers:
      addresses:
        - "9.9.9.9"
  nic1:
    match:
      macaddress: "52:54:00:00:00:02"
    mtu: 1450
    dhcp4: false
    addresses:
      - "10.92.0.5/24"
    optional: true
`)
  expect(networkData(links)).toMatchObject({
    links: [
      { id: 'link0', vif_id: 'port-of-one', ethernet_mac_address: '52:54:00:00:00:01', mtu: 1450, type: 'phy' },
      { id: 'link1', vif_id: 'port-of-two' },
    ],
    networks: [{ link: 'link0' }, { link: 'link1', ip_address: '10.92.0.5' }],
    services: [{ type: 'dns', address: '9.9.9.9' }],
  })
})

test('configures each static address of an interface', () => {
  const given = link([four({ enable_dhcp: false })], [ip4, ['s4', '10.91.0.78']])
  expect(said(given).slice(1, 4)).toEqual(['addresses:', '  - "10.91.0.77/24"', '  - "10.91.0.78/24"'])
  expect(networkData([given]).networks).toMatchObject([
    { id: 'network0-0', ip_address: '10.91.0.77' },
    { id: 'network0-0-1', ip_address: '10.91.0.78' },
  ])
})
