import { readFile } from 'node:fs/promises'
import { toText } from '../../../network-model/addresses'

/** The kernel's routing tables for this network namespace, which can be read without privileges. */
const tables = { 4: '/proc/net/fib_trie', 6: '/proc/net/ipv6_route' }

/** Returns the addresses and networks that are local to this host, according to its current routing tables. */
export async function ownAddresses(): Promise<string[]> {
  // the file is missing on a host without IPv6
  const six = await readFile(tables[6], 'utf8').catch(() => '')
  return [...addressesIn(await readFile(tables[4], 'utf8')), ...sixAddressesIn(six)]
}

/**
 * Parses the local addresses, including broadcast addresses, from `fib_trie`. Each address has its own line, followed
 * by one line for each routed prefix length (`/32 host LOCAL`).
 */
export function addressesIn(trie: string): string[] {
  const found = new Set<string>()
  let address = ''
  for (const line of trie.split('\n')) {
    address = /\|-- (\d+\.\d+\.\d+\.\d+)/.exec(line)?.[1] ?? address
    const route = /^\s*\/(\d+) \S+ (LOCAL|BROADCAST|ANYCAST)/.exec(line)
    if (route) found.add(route[1] === '32' ? address : `${address}/${route[1]}`)
  }
  return [...found]
}

/** Route flags for local and anycast addresses (`RTF_LOCAL`, `RTF_ANYCAST`). */
const own = 0x8000_0000 + 0x0010_0000

/**
 * Parses the local IPv6 addresses from `ipv6_route`. Its columns are the destination, the prefix length and, in column
 * 9, the flags, all hexadecimal. Skips link-local addresses, which are never routed.
 */
export function sixAddressesIn(routes: string): string[] {
  const found = new Set<string>()
  for (const line of routes.split('\n')) {
    const [destination = '', length = '', , , , , , , flags = ''] = line.trim().split(/\s+/)
    if (!/^[0-9a-f]{32}$/.test(destination) || (Number.parseInt(flags, 16) & own) === 0) continue
    if (/^fe[89ab]/.test(destination)) continue
    const prefix = Number.parseInt(length, 16)
    const address = toText(BigInt(`0x${destination}`), 6)
    found.add(prefix === 128 ? address : `${address}/${prefix}`)
  }
  return [...found]
}
