import { readFile } from 'node:fs/promises'
import { toText } from '../../../network-model/addresses'

/** The kernel's routing tables of this network namespace; other programs need no right to read them. */
const tables = { 4: '/proc/net/fib_trie', 6: '/proc/net/ipv6_route' }

/** Addresses and networks at which this host itself would answer, as the kernel routes them now. */
export async function ownAddresses(): Promise<string[]> {
  // a host without IPv6 has no such file
  const six = await readFile(tables[6], 'utf8').catch(() => '')
  return [...addressesIn(await readFile(tables[4], 'utf8')), ...sixAddressesIn(six)]
}

/**
 * Reads what is local to the host, broadcast addresses included, from the text of `fib_trie`: an address on one line,
 * and below it a line for each length of prefix that has a route (`/32 host LOCAL`).
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

/** Flags of a route: to the host itself, and to an address that several hosts have (`RTF_LOCAL`, `RTF_ANYCAST`). */
const own = 0x8000_0000 + 0x0010_0000

/**
 * The same for IPv6, from the text of `ipv6_route`: destination, length of its prefix, and flags in the ninth column, all of
 * them in hexadecimal digits. Link-local addresses are left out, as nothing passes them on.
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
