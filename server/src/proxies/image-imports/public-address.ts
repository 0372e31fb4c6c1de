import { BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Non-public IPv4 ranges, from the IANA special-purpose address registry. */
const closed = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // this range includes the metadata services of cloud providers
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  closed.addSubnet(network, prefix, 'ipv4')

/** Public IPv6 addresses: global unicast, except tunnels, documentation and addresses with an embedded IPv4 address. */
const open = new BlockList()
open.addSubnet('2000::', 3, 'ipv6')
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  closed.addSubnet(network, prefix, 'ipv6')

const ownAddresses = () => Object.values(networkInterfaces()).flatMap((it) => it?.map(({ address }) => address) ?? [])

/** Whether an address is public and does not belong to this machine. */
export function isPublic(address: string, ofThisMachine: readonly string[] = ownAddresses()): boolean {
  const family = familyOf(address)
  if (closed.check(address, family)) return false
  if (family === 'ipv6' && !open.check(address, 'ipv6')) return false
  const own = new BlockList()
  for (const it of ofThisMachine) own.addAddress(it, familyOf(it))
  return !own.check(address, family)
}
