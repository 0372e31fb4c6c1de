import { expect, test } from 'vitest'
import { canonical, cidrText, isInside, linkLocalOf, overlap, readCidr } from './addresses'

test('each address has one canonical form, and each CIDR has one first address', () => {
  expect(
    ['10.0.0.9', 'FD00:0:0:0:0:0:0:1', '2001:db8:0:1:0:0:0:1', '::', '1::', '::ffff:10.0.0.1'].map(canonical),
  ).toEqual(['10.0.0.9', 'fd00::1', '2001:db8:0:1::1', '::', '1::', '::ffff:a00:1'])
  expect(['10.9.8.7/22', 'fd00::ff/64', '10.0.0.1', '0.0.0.0/0'].map((text) => cidrText(readCidr(text)))).toEqual([
    '10.9.8.0/22',
    'fd00::/64',
    '10.0.0.1/32',
    '0.0.0.0/0',
  ])
  for (const wrong of ['10.0.0', '10.0.0.256', '10.0.0.0/33', '10.0.0.0/x', 'fd00::/129', ''])
    expect(() => readCidr(wrong), wrong).toThrow(RangeError)
})

test('containment and overlap are never true across IP versions', () => {
  expect(isInside('10.0.3.255', readCidr('10.0.0.0/22'))).toBe(true)
  expect(isInside('10.0.4.0', readCidr('10.0.0.0/22'))).toBe(false)
  expect(isInside('::a00:1', readCidr('10.0.0.0/8'))).toBe(false)
  expect(overlap(readCidr('10.0.0.0/8'), readCidr('10.200.0.0/16'))).toBe(true)
  expect(overlap(readCidr('::/0'), readCidr('0.0.0.0/0'))).toBe(false)
})

test('derives the link-local address from the MAC (RFC 4291, appendix A)', () => {
  expect(linkLocalOf('52:54:00:12:34:56')).toBe('fe80::5054:ff:fe12:3456')
})
