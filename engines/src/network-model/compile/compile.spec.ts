import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { bridgeOf, edgeEndOf, networkSpaceOf, routerEndOf, routerSpaceOf, tapOf } from '../names'
import { floatingOf, networkOf, portOf, routerOf, ruleOf, subnetOf, wantedOf } from '../testing/wanted-examples'
import type { WantedNetworks } from '../wanted'
import { compile } from './compile'
import { ruleText } from './group-rules'
import { assignNumbers, noNumbers } from './numbers'

const compiled = (wanted: WantedNetworks) => compile(wanted, assignNumbers(wanted, noNumbers))
const spaceOf = (wanted: WantedNetworks, name: string) => compiled(wanted).spaces.find((it) => it.name === name)!

test('device names have at most 15 bytes and differ for different IDs', () => {
  const ids = Array.from({ length: 1000 }, () => randomUUID())
  const names = ids.flatMap((id) => [bridgeOf(id), tapOf(id), routerEndOf(id), edgeEndOf(id), networkSpaceOf(id)])
  expect(Math.max(...names.map((name) => name.length))).toBeLessThanOrEqual(15)
  expect(new Set(names).size).toBe(5000)
})

test('keeps the numbers of wanted objects, reuses freed numbers, and never assigns a number to two objects', () => {
  const [a, b, c] = [networkOf(['10.0.0.0/24']), networkOf(['10.0.0.0/24']), networkOf(['10.0.0.0/24'])]
  const first = assignNumbers(wantedOf({ networks: [a, b] }), noNumbers)
  const second = assignNumbers(wantedOf({ networks: [c, b] }), first)
  expect([first.zones[a.id], first.zones[b.id]]).toEqual([1, 2])
  expect([second.zones[b.id], second.zones[c.id]]).toEqual([2, 1])
  expect(Object.keys(second.zones)).toHaveLength(2)
})

test('translates a rule to the equivalent nft expression', () => {
  const texts = [
    ruleOf({ protocol: 'tcp', portMin: 80, portMax: 90, remote: { cidr: '10.0.0.7/8' } }),
    ruleOf({ protocol: '6', portMin: 22, portMax: 22 }),
    ruleOf({ direction: 'egress', version: 6, remote: { cidr: '::/0' } }),
    ruleOf({ protocol: 'icmp', portMin: 8, portMax: 0 }),
    ruleOf({ protocol: 'icmp', version: 6, portMin: 128 }),
    ruleOf({ protocol: '47' }),
  ].map((rule) => ruleText(rule))
  expect(texts).toEqual([
    'ip saddr 10.0.0.7/8 meta l4proto 6 th dport 80-90 accept',
    'meta nfproto ipv4 meta l4proto 6 th dport 22 accept',
    'meta nfproto ipv6 accept',
    'meta nfproto ipv4 icmp type 8 icmp code 0 accept',
    'meta nfproto ipv6 icmpv6 type 128 accept',
    'meta nfproto ipv4 meta l4proto 47 accept',
  ])
  for (const wrong of [{ protocol: 'tcp; drop' }, { protocol: '300' }, { remote: { cidr: 'fd00::/8' } }])
    expect(() => ruleText(ruleOf(wrong)), JSON.stringify(wrong)).toThrow(RangeError)
})

test('a port without security groups is open if spoofing protection is off, and closed if it is on', () => {
  const network = networkOf(['10.0.0.0/24'])
  const [open, closed] = [portOf(network, 11, { spoofingProtection: false }), portOf(network, 12)]
  const { rules } = compiled(wantedOf({ networks: [network], ports: [open, closed] }))
  expect([...rules.bridge.get('guarded')!]).toEqual([`"${tapOf(closed.id)}"`])
  expect(rules.inet.get('ingress')!.size).toBe(1)
  expect([...rules.chains.values()].every((lines) => lines.at(-1) === 'drop')).toBe(true)
})

test('omits invalid objects with a reason, and compiles the rest', () => {
  const good = networkOf(['10.0.0.0/24'])
  const bad = networkOf([subnetOf('10.9.0.0/24', { serviceAddress: '10.8.0.1' })])
  const [first, second] = [
    networkOf(['10.5.0.0/16'], { nat: true }),
    networkOf(['10.5.9.0/24'], { external: { vlan: 3 } }),
  ]
  const wrongMac = portOf(good, 12, { mac: "52:54:00:00:00:01'; reboot" })
  const router = routerOf([good, networkOf(['10.77.0.0/24'])], null)
  const wanted = wantedOf({
    networks: [good, bad, first, second],
    ports: [portOf(good, 11), wrongMac, portOf(bad, 13)],
    routers: [router],
  })
  const { bridges, taps, faults } = compiled(wanted)
  expect(bridges.map(({ name }) => name)).toEqual([bridgeOf(good.id), bridgeOf(first.id)])
  // a virtual machine may still hold the tap of an invalid port, so the tap is kept, but detached
  expect(taps.map(({ bridge, up }) => [bridge, up])).toEqual([
    [bridgeOf(good.id), true],
    [null, false],
    [null, false],
  ])
  expect(faults.networks.get(bad.id)).toBe('10.8.0.1 is not in 10.9.0.0/24')
  expect(faults.networks.get(second.id)).toMatch(/10\.5\.9\.0\/24 overlaps 10\.5\.0\.0\/16/)
  expect(faults.ports.get(wrongMac.id)).toMatch(/is not a MAC address/)
  expect(faults.routers.get(router.id)).toBe('One of its networks is not available')
})

test('keeps names that are not valid in DNS out of the dnsmasq configuration', () => {
  const network = networkOf(['10.0.0.0/24'], { dnsDomain: 'x\nport=0' })
  const ports = [
    portOf(network, 11, { hostname: 'web\naddress=/#/1.2.3.4' }),
    portOf(network, 12, { hostname: 'Web-2' }),
  ]
  const [daemon] = compiled(wantedOf({ networks: [network], ports })).daemons
  expect(daemon!.config + daemon!.hosts + daemon!.names).not.toMatch(/port=0|1\.2\.3\.4/)
  expect(daemon!.names).toBe('10.0.0.12 web-2\n')
  expect(daemon!.hosts).toContain(`${ports[1]!.mac},10.0.0.12,web-2,24h`)
})

test('compiles the routes, floating IPs and address translation of a router', () => {
  const external = networkOf(['203.0.113.0/24'], { external: { vlan: null } })
  const network = networkOf(['10.0.0.0/24'])
  const router = routerOf(
    [network],
    { network: external, at: 10 },
    { routes: [{ destination: '10.50.0.0/16', nexthop: '10.0.0.99' }] },
  )
  const port = portOf(network, 11)
  const floating = floatingOf('203.0.113.50', router, port)
  const wanted = wantedOf({ networks: [external, network], ports: [port], routers: [router], floating: [floating] })
  const { addresses, routes, rules } = spaceOf(wanted, routerSpaceOf(router.id))
  const [inside, outside] = [routerEndOf(router.interfaces[0]!.portId), routerEndOf(router.gateway!.portId)]
  expect([...addresses]).toEqual(
    expect.arrayContaining([
      `10.0.0.1/24 dev ${inside}`,
      `203.0.113.10/24 dev ${outside}`,
      `203.0.113.50/32 dev ${outside}`,
    ]),
  )
  expect([...routes]).toEqual([
    `default via 203.0.113.1 dev ${outside} table 254`,
    `10.50.0.0/16 via 10.0.0.99 dev ${inside} table 254`,
  ])
  expect(rules).toContain('ip daddr 203.0.113.50 dnat ip to 10.0.0.11')
  expect(rules!.indexOf('snat ip to 203.0.113.50')).toBeLessThan(rules!.indexOf('snat ip to 203.0.113.10'))
})

test('maps each IPv6 address mode to the matching dnsmasq range on the router', () => {
  const modes = ['slaac', 'dhcpv6-stateless', 'dhcpv6-stateful', 'none'] as const
  const networks = modes.map((mode, at) => networkOf([subnetOf(`fd00:${at + 1}::/64`, { mode })]))
  const ports = networks.map((network) => portOf(network, 11))
  const router = routerOf(networks, null)
  const daemon = compiled(wantedOf({ networks, ports, routers: [router] })).daemons.find(
    ({ ownerId }) => ownerId === router.id,
  )!
  const kinds = [...daemon.config.matchAll(/dhcp-range=set:\S+?,(fd00:\d)::,([a-z-]+),64/g)].map(([, prefix, kind]) => [
    prefix,
    kind,
  ])
  expect(kinds).toEqual([
    ['fd00:1', 'ra-only'],
    ['fd00:2', 'ra-stateless'],
    ['fd00:3', 'static'],
  ])
  expect(daemon.hosts).toBe(`${ports[2]!.mac},[fd00:3::11],host-11,24h\n`)
  expect(daemon.config.match(/mtu:1450/g)).toHaveLength(3)
})
