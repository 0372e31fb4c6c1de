import { englishText } from '../core/english'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { routerForFloatingIp } from './floating-ip-rules'
import { overlapFault, routeFaults, conflictingRoute, type ConnectedSubnet } from './router-rules'

const subnet = (id: string, cidr: string, address: string): ConnectedSubnet => ({
  ...{ id, cidr, network_id: `net-${id}`, network_name: `net ${id}`, addresses: [address] },
})
const connected = [subnet('a', '10.1.0.0/24', '10.1.0.1'), subnet('b', 'fd00:1::/64', 'fd00:1::1')]

test('refuses overlapping ranges behind a router and names the other network', () => {
  const added = (cidr: string) => overlapFault([{ cidr, network_name: 'new' }], connected, 'network_id')
  expect(added('10.1.0.128/25')).toMatchObject({ field: 'network_id', code: 'overlapping_subnet' })
  expect(englishText(added('10.0.0.0/8')!.message)).toContain('net a')
  expect(added('10.2.0.0/24')).toBeNull()
  expect(added('fd00:1::/80')).toMatchObject({ code: 'overlapping_subnet' })
})

const faults = (...routes: [string, string][]) =>
  routeFaults(
    routes.map(([destination, nexthop]) => ({ destination, nexthop })),
    connected,
  ).map(({ field, code }) => `${field} ${code}`)

test('the next hop must be a host in a connected network, of the same IP version and not the router itself', () => {
  expect(faults(['172.16.0.0/16', '10.1.0.9'], ['fd99::/64', 'fd00:1::9'])).toEqual([])
  expect(faults(['172.16.0.0/16', '10.9.0.9'])).toEqual(['routes.0.nexthop nexthop_unreachable'])
  expect(faults(['172.16.0.0/16', 'fd00:1::9'])).toEqual(['routes.0.nexthop validation'])
  expect(faults(['172.16.0.0/16', '10.1.0.1'])).toEqual(['routes.0.nexthop validation'])
  expect(faults(['fd99::/64', 'FD00:1:0::0:1'])).toEqual(['routes.0.nexthop validation'])
  expect(faults(['172.16.0.0/16', '10.1.0.9'], ['172.16.7.7/16', '10.1.0.8'])).toEqual([
    'routes.1.destination validation',
  ])
})

test('refuses routes to reserved ranges and connected networks, and unusable next hops', () => {
  const destination = ['routes.0.destination validation']
  for (const reserved of ['127.0.0.0/8', '224.0.0.0/4', '169.254.169.254/32', '255.255.255.255/32'])
    expect(faults([reserved, '10.1.0.9']), reserved).toEqual(destination)
  for (const there of ['10.1.0.0/24', '10.1.0.0/25', '10.1.0.9/32'])
    expect(faults([there, '10.1.0.9']), there).toEqual(destination)
  for (const wide of ['0.0.0.0/0', '10.0.0.0/8', '198.18.0.0/15']) expect(faults([wide, '10.1.0.9']), wide).toEqual([])
  expect(faults(['fe80::/64', 'fd00:1::9'])).toEqual(destination)
  for (const hop of ['10.1.0.0', '10.1.0.255'])
    expect(faults(['172.16.0.0/16', hop])).toEqual(['routes.0.nexthop validation'])
  // existing routes are kept
  const old = [{ destination: '127.0.0.0/8', nexthop: '10.1.0.9' }]
  expect(routeFaults(old, connected, old)).toEqual([])
})

test('refuses to connect a network that is covered by a static route', () => {
  const routes = [{ destination: '10.9.0.0/24', nexthop: '10.1.0.9' }]
  const added = (cidr: string) => conflictingRoute([{ cidr, network_name: 'new' }], routes)
  for (const cidr of ['10.9.0.0/24', '10.0.0.0/8']) expect(added(cidr), cidr).toContain('10.9.0.0/24')
  for (const cidr of ['10.9.0.0/25', '10.8.0.0/24']) expect(added(cidr), cidr).toBeNull()
})

test('a next hop is reachable if and only if it is in a connected range', () => {
  const octet = fc.integer({ min: 0, max: 3 })
  fc.assert(
    fc.property(octet, octet, fc.integer({ min: 2, max: 254 }), (second, third, last) => {
      const isInside = second === 1 && third === 0
      expect(faults(['172.16.0.0/16', `10.${second}.${third}.${last}`]).length === 0).toBe(isInside)
    }),
  )
})

const router = (id: string, address: string, outside: string | null) => ({
  id,
  interfaces_info: [
    {
      ...{
        port_id: `p-${id}`,
        network_id: 'n',
        network_name: 'n',
        mac_address: null,
        status: 'ACTIVE',
        is_external: false,
      },
      fixed_ips: [{ subnet_id: 's', ip_address: address }],
    },
  ],
  external_gateway_info:
    outside === null ? null : { network_id: outside, network_name: outside, external_fixed_ips: [], enable_snat: true },
})

test("a floating IP uses the subnet's gateway router, or the reason why there is none is reported", () => {
  const target = { id: 's', gateway_ip: '10.0.0.1' }
  const to = (...routers: ReturnType<typeof router>[]) => {
    const found = routerForFloatingIp(target, 'ext', routers)
    return found.reason ?? found.router?.id
  }
  expect(to()).toBe('no_router')
  expect(to(router('r', '10.0.0.1', null))).toBe('router_without_gateway')
  expect(to(router('r', '10.0.0.1', 'other'))).toBe('other_external_network')
  expect(to(router('r', '10.0.0.1', 'ext'))).toBe('r')
  expect(to(router('second', '10.0.0.9', 'ext'), router('gateway', '10.0.0.1', 'ext'))).toBe('gateway')
  expect(routerForFloatingIp(target, 'ext', [router('lacking', '10.0.0.1', null)]).router?.id).toBe('lacking')
  expect(routerForFloatingIp({ id: 'another', gateway_ip: null }, 'ext', [router('r', '10.0.0.1', 'ext')]).reason).toBe(
    'no_router',
  )
})
