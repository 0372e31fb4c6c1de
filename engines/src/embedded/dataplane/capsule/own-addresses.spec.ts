import { expect, test } from 'vitest'
import { addressesIn, ownAddresses } from './own-addresses'

test('the addresses of a host are read from its routing tables, those of networks around it are not', () => {
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

test('this host has at least its loopback', async () => {
  expect(await ownAddresses()).toContain('127.0.0.0/8')
})
