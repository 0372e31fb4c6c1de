import { expect, test } from 'vitest'
import { addressesIn, ownAddresses, sixAddressesIn } from './own-addresses'

test('lists the host’s IPv4 addresses from its routing table, but not those of connected networks', () => {
  const trie = `Main:
  +-- 0.0.0.0/0 3 0 5
     |-- 0.0.0.0
        /0 universe UNICAST
     +-- 127.0.0.0/8 2 0 2
        +-- 127.0.0.0/31 1 0 0
           |-- 127.0.0.0
              /8 host LOCAL
           |-- 127.0.0.1
              /32 host LOCAL
     +-- 192.0.2.0/24 2 0 2
        |-- 192.0.2.0
           /24 link UNICAST
        |-- 192.0.2.2
           /32 host LOCAL
        |-- 192.0.2.255
           /32 link BROADCAST
        |-- 203.0.113.0
           /24 link UNICAST
           /25 host LOCAL
`
  expect(addressesIn(trie)).toEqual(['127.0.0.0/8', '127.0.0.1', '192.0.2.2', '192.0.2.255', '203.0.113.0/25'])
})

test('lists the host’s IPv6 addresses, except link-local ones', () => {
  const none = '0'.repeat(32)
  const line = (destination: string, length: string, flags: string, device = 'eth0') =>
    `${destination.padEnd(32, '0')} ${length} ${none} 00 ${none} 00000100 00000001 00000000 ${flags}     ${device}`
  const routes = [
    line('20010db8', '40', '00000001'),
    line('', '00', '00000003'),
    line('00000000000000000000000000000001', '80', '80200001', 'lo'),
    line('20010db8000000000000000000000002', '80', '80200001'),
    line('20010db8000000000000000000000000', '80', '80100001'),
    line('20010db800010000', '40', '80200001'),
    line('fe800000000000000000000000000001', '80', '80200001'),
    line('', '00', '00200200', 'lo'),
  ]
  expect(sixAddressesIn(routes.join('\n'))).toEqual(['::1', '2001:db8::2', '2001:db8::', '2001:db8:1::/64'])
})

test('finds at least this host’s loopback range', async () => {
  expect(await ownAddresses()).toContain('127.0.0.0/8')
})
