import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  addressText,
  freeRange,
  isInRange,
  overlap,
  parseAddress,
  parseRange,
  rangeText,
  slaacAddress,
  usable,
  versionOf,
  without,
  type IpRange,
} from './addresses'

/* The reference implementation is deliberately naive: bits as text, and ranges as lists of all their addresses. */

const octets = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 4, maxLength: 4 })
const bitsOf = (address: string): string =>
  address
    .split('.')
    .map((part) => Number(part).toString(2).padStart(8, '0'))
    .join('')
const small = fc
  .tuple(octets, fc.integer({ min: 24, max: 32 }))
  .map(([parts, prefix]) => `${parts.join('.')}/${prefix}`)
const all = ({ version, first, last }: IpRange): string[] =>
  Array.from({ length: Number(last - first) + 1 }, (_, at) => addressText({ version, value: first + BigInt(at) }))

test('parses IPv4 addresses of four numbers from 0 to 255, and formats them unchanged', () => {
  fc.assert(
    fc.property(octets, (parts) => {
      const text = parts.join('.')
      expect(versionOf(text)).toBe(4)
      expect(addressText(parseAddress(text)!)).toBe(text)
      expect(parseAddress(text)!.value.toString(2).padStart(32, '0')).toBe(bitsOf(text))
    }),
  )
  for (const bad of [
    '',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.256',
    '01.2.3.4',
    '1.2.3.4 ',
    '0x1.2.3.4',
    '1.2.3.-4',
    'a.b.c.d',
    '16909060',
  ])
    expect(versionOf(bad), bad).toBeNull()
})

test('parses any spelling of an IPv6 address and formats the shortest one', () => {
  const spellings: Record<string, string> = {
    '::': '::',
    '::1': '::1',
    'FD00::0001': 'fd00::1',
    '2001:db8:0:0:1:0:0:1': '2001:db8::1:0:0:1',
    'fe80:0000:0000:0000:0202:b3ff:fe1e:8329': 'fe80::202:b3ff:fe1e:8329',
  }
  for (const [given, short] of Object.entries(spellings)) expect(addressText(parseAddress(given)!), given).toBe(short)
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 }), (groups) => {
      const whole = groups.map((group) => group.toString(16)).join(':')
      const value = groups.reduce((sum, group) => sum * 0x10000n + BigInt(group), 0n)
      expect(parseAddress(whole)).toEqual({ version: 6, value })
      expect(parseAddress(addressText({ version: 6, value }))!.value).toBe(value)
    }),
  )
  for (const bad of [':', ':::', '1::2::3', 'fe80::1%eth0', 'g::1', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9', '12345::'])
    expect(versionOf(bad), bad).toBeNull()
})

test('a range contains the addresses with its prefix and is named after the first one', () => {
  fc.assert(
    fc.property(small, octets, (text, other) => {
      const range = parseRange(text)!
      const [base = '', prefix = ''] = text.split('/')
      const begins = (address: string) => bitsOf(address).startsWith(bitsOf(base).slice(0, Number(prefix)))
      expect(all(range).every(begins)).toBe(true)
      expect(all(range)).toHaveLength(2 ** (32 - Number(prefix)))
      expect(isInRange(parseAddress(other.join('.'))!, range)).toBe(begins(other.join('.')))
      expect(parseRange(rangeText(range))).toEqual(range)
      expect(rangeText(range)).toBe(`${all(range)[0]}/${prefix}`)
    }),
  )
  for (const bad of [
    '10.0.0.0',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    'fd00::/129',
    '/8',
    '10.0.0.0/ 8',
  ])
    expect(parseRange(bad), bad).toBeNull()
})

test('two ranges overlap if they share an address', () => {
  fc.assert(
    fc.property(small, small, fc.boolean(), (one, other, isNear) => {
      const a = parseRange(one)!
      const b = isNear
        ? parseRange(`${addressText({ version: 4, value: a.first })}/${other.split('/')[1]}`)!
        : parseRange(other)!
      const both = new Set(all(a))
      expect(overlap(a, b)).toBe(all(b).some((address) => both.has(address)))
      expect(overlap(b, a)).toBe(overlap(a, b))
    }),
  )
  expect(overlap(parseRange('0.0.0.0/0')!, parseRange('::/0')!)).toBe(false)
})

test('excludes the network and broadcast addresses, except in a /31 and a /32', () => {
  const text = (it: string) => {
    const range = parseRange(it)!
    const { first, last } = usable(range)
    return [first, last].map((value) => addressText({ version: range.version, value }))
  }
  expect(text('10.0.0.0/24')).toEqual(['10.0.0.1', '10.0.0.254'])
  expect(text('10.0.0.0/31')).toEqual(['10.0.0.0', '10.0.0.1'])
  expect(text('10.0.0.7/32')).toEqual(['10.0.0.7', '10.0.0.7'])
  expect(text('fd00::/64')).toEqual(['fd00::1', 'fd00::ffff:ffff:ffff:ffff'])
})

test('finds the first free range, or none if all are used', () => {
  const within = parseRange('10.0.0.0/24')!
  const part = fc.tuple(fc.integer({ min: 0, max: 255 }), fc.integer({ min: 26, max: 32 }))
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), fc.integer({ min: 26, max: 30 }), (parts, prefix) => {
      const used = parts.map(([last, bits]) => parseRange(`10.0.0.${last}/${bits}`)!)
      const candidates = Array.from({ length: 2 ** (prefix - 24) }, (_, at) =>
        parseRange(`10.0.0.${at * 2 ** (32 - prefix)}/${prefix}`)!,
      )
      const expected = candidates.find((it) => !used.some((other) => overlap(it, other))) ?? null
      expect(freeRange(within, prefix, used)).toEqual(expected)
    }),
  )
  expect(freeRange(within, 8, [])).toBeNull()
  expect(freeRange(within, 33, [])).toBeNull()
})

test('subtracts ranges from a range', () => {
  const bounds = fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 20 }))
  fc.assert(
    fc.property(fc.array(bounds, { maxLength: 6 }), (others) => {
      const taken = others.map(([first, more]) => ({ first: BigInt(first), last: BigInt(first + more) }))
      const left = without({ first: 10n, last: 50n }, taken)
      const listed = left.flatMap(({ first, last }) =>
        Array.from({ length: Number(last - first) + 1 }, (_, at) => Number(first) + at),
      )
      const expected = Array.from({ length: 41 }, (_, at) => at + 10).filter(
        (value) => !others.some(([first, more]) => value >= first && value <= first + more),
      )
      expect(listed).toEqual(expected)
    }),
  )
})

test('derives a SLAAC address from a MAC address', () => {
  expect(slaacAddress(parseRange('2001:db8:1::/64')!, '52:54:00:12:34:56')).toBe('2001:db8:1:0:5054:ff:fe12:3456')
  expect(slaacAddress(parseRange('fd00::/64')!, '02:00:00:00:00:01')).toBe('fd00::ff:fe00:1')
})
