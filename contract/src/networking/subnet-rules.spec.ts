import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addressText, isInRange, parseAddress, parseRange, usable } from './addresses'
import { changedSubnet, firstOverlap, subnetFaults, wholePool, wholeSubnet, type WholeSubnet } from './subnet-rules'
import { NetworkSubnetDraft } from './subnets'

const whole = (draft: object): WholeSubnet => wholeSubnet(NetworkSubnetDraft.parse(draft))
const faults = (draft: object) => subnetFaults(whole(draft)).map(({ field, code }) => `${field} ${code}`)
const v4 = { cidr: '192.168.10.0/24' }
const v6 = { cidr: 'fd00::/64' }

test('by default, the first address is the gateway and all others are in the allocation pool', () => {
  expect(whole(v4)).toEqual({
    ...{ cidr: '192.168.10.0/24', ip_version: 4, gateway_ip: '192.168.10.1', enable_dhcp: true },
    allocation_pools: [{ start: '192.168.10.2', end: '192.168.10.254' }],
    ...{ dns_nameservers: [], ipv6_address_mode: null, ipv6_ra_mode: null },
  })
  expect(whole(v6)).toMatchObject({
    ...{ ip_version: 6, gateway_ip: 'fd00::1', ipv6_address_mode: 'slaac', ipv6_ra_mode: 'slaac' },
    allocation_pools: [{ start: 'fd00::2', end: 'fd00::ffff:ffff:ffff:ffff' }],
  })
  expect(whole({ ...v4, gateway_ip: null }).allocation_pools).toEqual([
    { start: '192.168.10.1', end: '192.168.10.254' },
  ])
  expect(whole({ ...v4, gateway_ip: '192.168.10.9' }).allocation_pools).toEqual([
    { start: '192.168.10.1', end: '192.168.10.8' },
    { start: '192.168.10.10', end: '192.168.10.254' },
  ])
  // as sent by command-line clients
  expect(faults({ ...v4, ip_version: 4, ipv6_ra_mode: null, ipv6_address_mode: 'none' })).toEqual([])
})

test('reports every invalid field', () => {
  const wrong: [object, string[]][] = [
    [{ cidr: '10.0.0.0/7' }, ['cidr validation']],
    [{ cidr: '10.0.0.0/30' }, ['cidr validation']],
    [{ cidr: 'fd00::/47', ipv6_address_mode: 'none' }, ['cidr validation']],
    [{ cidr: 'fd00::/65' }, ['cidr validation']],
    [{ cidr: 'fd00::/80', ipv6_address_mode: 'dhcpv6-stateless' }, ['cidr validation']],
    [{ ...v4, ip_version: 6 }, ['ip_version validation']],
    [{ ...v6, ip_version: 4 }, ['ip_version validation']],
    [{ ...v4, ipv6_address_mode: 'slaac' }, ['ipv6_address_mode validation', 'ipv6_ra_mode validation']],
    [{ ...v6, ipv6_address_mode: 'slaac', ipv6_ra_mode: 'dhcpv6-stateful' }, ['ipv6_ra_mode validation']],
    [{ ...v6, enable_dhcp: false }, ['enable_dhcp validation']],
    [{ ...v4, gateway_ip: '192.168.11.1' }, ['gateway_ip validation']],
    [{ ...v4, gateway_ip: 'fd00::1' }, ['gateway_ip validation']],
    [{ ...v4, gateway_ip: '192.168.10.255' }, ['gateway_ip validation']],
    [{ ...v4, dns_nameservers: ['9.9.9.9', '9.9.9.9'] }, ['dns_nameservers validation']],
    [{ ...v6, dns_nameservers: ['fd00::1', 'FD00:0::1'] }, ['dns_nameservers validation']],
    [pool('192.168.10.1', '192.168.10.9'), ['allocation_pools.0 gateway_in_pool']],
    [pool('192.168.10.9', '192.168.10.3'), ['allocation_pools.0 validation']],
    [pool('192.168.10.9', '192.168.11.3'), ['allocation_pools.0 validation']],
    [pool('192.168.10.9', '192.168.10.255'), ['allocation_pools.0 validation']],
    [pool('fd00::1', 'fd00::2'), ['allocation_pools.0 validation']],
  ]
  for (const [draft, expected] of wrong) expect(faults(draft), JSON.stringify(draft)).toEqual(expected)
  for (const prefix of [8, 29]) expect(faults({ cidr: `10.0.0.0/${prefix}` })).toEqual([])
  for (const prefix of [48, 64, 126])
    expect(faults({ cidr: `fd00::/${prefix}`, ipv6_address_mode: 'dhcpv6-stateful' })).toEqual([])
})
const pool = (start: string, end: string) => ({ ...v4, allocation_pools: [{ start, end }] })

const last = fc.integer({ min: 0, max: 255 })
test('pools are valid if their addresses are usable and unique and do not include the gateway', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(last, last), { maxLength: 4 }), fc.option(last), (bounds, gateway) => {
      const draft = {
        ...v4,
        gateway_ip: gateway === null ? null : `192.168.10.${gateway}`,
        allocation_pools: bounds.map(([a, b]) => ({ start: `192.168.10.${a}`, end: `192.168.10.${b}` })),
      }
      const given = bounds.flatMap(([a, b]) => Array.from({ length: Math.max(0, b - a + 1) }, (_, at) => a + at))
      const isSound =
        bounds.every(([a, b]) => a <= b) &&
        new Set(given).size === given.length &&
        given.every((it) => it >= 1 && it <= 254 && it !== gateway) &&
        (gateway === null || (gateway >= 1 && gateway <= 254))
      expect(faults(draft).length === 0, JSON.stringify(draft)).toBe(isSound)
    }),
    { numRuns: 400 },
  )
})

test('the default pool contains all usable addresses except the gateway', () => {
  fc.assert(
    fc.property(fc.integer({ min: 24, max: 29 }), last, (prefix, gateway) => {
      const range = parseRange(`10.0.0.0/${prefix}`)!
      const address = `10.0.0.${gateway}`
      const listed = wholePool(range, address).flatMap(({ start, end }) => {
        const [from, to] = [parseAddress(start)!.value, parseAddress(end)!.value]
        return Array.from({ length: Number(to - from) + 1 }, (_, at) =>
          addressText({ version: 4, value: from + BigInt(at) }),
        )
      })
      const { first, last: end } = usable(range)
      const all = Array.from({ length: Number(end - first) + 1 }, (_, at) =>
        addressText({ version: 4, value: first + BigInt(at) }),
      )
      expect(listed).toEqual(all.filter((it) => it !== address))
      expect(listed.every((it) => isInRange(parseAddress(it)!, range))).toBe(true)
    }),
  )
})

test('default pools are adapted to a new gateway, and custom pools are kept', () => {
  const moved = changedSubnet(whole(v4), { gateway_ip: '192.168.10.254' })
  expect(moved.allocation_pools).toEqual([{ start: '192.168.10.1', end: '192.168.10.253' }])
  const chosen = whole(pool('192.168.10.20', '192.168.10.30'))
  expect(changedSubnet(chosen, { gateway_ip: '192.168.10.254' }).allocation_pools).toEqual(chosen.allocation_pools)
  expect(subnetFaults(changedSubnet(chosen, { gateway_ip: '192.168.10.25' }))).toMatchObject([
    { code: 'gateway_in_pool' },
  ])
  expect(changedSubnet(whole(v4), { gateway_ip: null }).gateway_ip).toBeNull()
})

test('finds the first overlapping range', () => {
  const others = [{ cidr: '10.0.0.0/24' }, { cidr: '10.0.1.0/24' }, { cidr: 'fd00::/64' }]
  expect(firstOverlap('10.0.1.128/25', others)).toBe(others[1])
  expect(firstOverlap('10.0.0.0/16', others)).toBe(others[0])
  expect(firstOverlap('10.1.0.0/16', others)).toBeNull()
})
