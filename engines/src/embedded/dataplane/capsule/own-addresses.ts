import { readFile } from 'node:fs/promises'

/** The kernel's routing tables of this network namespace; other programs need no right to read them. */
const tables = '/proc/net/fib_trie'

/** IPv4 addresses and networks at which this host itself would answer, as the kernel routes them now. */
export const ownAddresses = async (): Promise<string[]> => addressesIn(await readFile(tables, 'utf8'))

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
