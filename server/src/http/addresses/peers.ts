import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

/** Identifies trusted proxies, and the clients behind them. */
export interface Peers {
  /** Whether an address belongs to a trusted proxy (MAINSTAY_PROXIES), whose forwarding headers are used. */
  isProxy(address: string | undefined): boolean
  /**
   * Removes forwarding headers that do not come from a trusted proxy. From a proxy, keeps only the IP addresses after
   * the last invalid entry in X-Forwarded-For: an invalid entry would count as another address in rate limits and in
   * the audit log.
   */
  dropUntrusted(request: IncomingMessage): void
  /**
   * Client address of a request, and whether the client used TLS. With trusted proxies, the address is the last one in
   * X-Forwarded-For that does not belong to a proxy.
   */
  sourceOf(request: IncomingMessage): { address: string; isSecure: boolean }
}

const forwarded = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-port']

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Some proxies write `192.0.2.7:1234` or `[2001:db8::7]:1234` instead of a bare address. */
function withoutPort(text: string): string {
  const [, v6, v4] = /^(?:\[([^\]]*)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(text.trim()) ?? []
  return v6 ?? v4 ?? text.trim()
}

/** The addresses after the last invalid entry. */
function addressesIn(header: string | string[] | undefined): string[] {
  const told = String(header ?? '')
    .split(',')
    .map(withoutPort)
  return told.slice(told.findLastIndex((it) => isIP(it) === 0) + 1)
}

/**
 * Identifies the trusted proxies among the peers. `proxies`: addresses and networks in CIDR notation, as configured.
 */
export function peersOf(proxies: readonly string[]): Peers {
  const known = new BlockList()
  for (const proxy of proxies) {
    const [address = '', bits] = proxy.split('/')
    if (bits === undefined) known.addAddress(address, familyOf(address))
    else known.addSubnet(address, Number(bits), familyOf(address))
  }
  const isProxy: Peers['isProxy'] = (address) => {
    // an IPv4 peer on a dual-stack socket
    const plain = address?.replace(/^::ffff:(?=\d+\.)/, '') ?? ''
    return isIP(plain) > 0 && known.check(plain, familyOf(plain))
  }
  return {
    isProxy,
    dropUntrusted(request) {
      const { headers } = request
      if (isProxy(request.socket.remoteAddress)) {
        const addresses = addressesIn(headers['x-forwarded-for'])
        if (addresses.length > 0) headers['x-forwarded-for'] = addresses.join(', ')
        else delete headers['x-forwarded-for']
        return
      }
      for (const name of forwarded) delete headers[name]
    },
    sourceOf({ headers, socket }) {
      const [peer, isEncrypted] = [socket.remoteAddress ?? '', 'encrypted' in socket]
      if (!isProxy(peer)) return { address: peer, isSecure: isEncrypted }
      const told = addressesIn(headers['x-forwarded-for'])
      const protocol = String(headers['x-forwarded-proto'] ?? '')
        .split(',')
        .at(-1)!
        .trim()
        .toLowerCase()
      return {
        address: told.findLast((it) => !isProxy(it)) ?? told[0] ?? peer,
        isSecure: protocol === '' ? isEncrypted : protocol === 'https',
      }
    },
  }
}
