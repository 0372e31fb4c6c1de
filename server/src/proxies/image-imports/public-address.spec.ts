import { networkInterfaces } from 'node:os'
import { expect, it } from 'vitest'
import { isPublic } from './public-address'

it.each([
  ...['127.0.0.1', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '169.254.169.254', '100.64.0.1'],
  ...['0.0.0.0', '192.0.2.1', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
  ...['::', '::1', 'fe80::1', 'fc00::1', 'fd12::1', 'ff02::1', '2001:db8::1', '2002:7f00:1::', '64:ff9b::7f00:1'],
  ...['::ffff:127.0.0.1', '::ffff:8.8.8.8', '2001::1'],
])('%s is not a public address', (address) => {
  expect(isPublic(address)).toBe(false)
})

it.each(['8.8.8.8', '151.101.2.132', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a04:4e42::1'])(
  '%s is a public address',
  (address) => {
    expect(isPublic(address)).toBe(true)
  },
)

it("this machine's own addresses are not public", () => {
  const own = Object.values(networkInterfaces()).flatMap((it) => it ?? [])
  expect(own.length).toBeGreaterThan(0)
  for (const { address } of own) expect(isPublic(address), address).toBe(false)
  // addresses of this machine are not public even if they are globally routable
  expect(isPublic('8.8.8.8', ['8.8.8.8'])).toBe(false)
  expect(isPublic('2606:4700::1111', ['2606:4700:0::1111'])).toBe(false)
})
