import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

/** Who is at the other end of a connection. */
export interface Peers {
  /** Whether an address is that of a proxy in front (MAINSTAY_PROXIES), whose word on who calls is taken. */
  isProxy(address: string | undefined): boolean
  /** Takes from a request what only a proxy in front may say: for whom, from where and under which name it came. */
  dropUntrusted(request: IncomingMessage): void
}

const forwarded = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-port']

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** `proxies`: addresses and networks, as the configuration has them. */
export function peersOf(proxies: readonly string[]): Peers {
  const known = new BlockList()
  for (const proxy of proxies) {
    const [address = '', bits] = proxy.split('/')
    if (bits === undefined) known.addAddress(address, familyOf(address))
    else known.addSubnet(address, Number(bits), familyOf(address))
  }
  const isProxy: Peers['isProxy'] = (address) => {
    // an IPv4 peer of a socket that takes both
    const plain = address?.replace(/^::ffff:(?=\d+\.)/, '') ?? ''
    return isIP(plain) > 0 && known.check(plain, familyOf(plain))
  }
  return {
    isProxy,
    dropUntrusted(request) {
      if (isProxy(request.socket.remoteAddress)) return
      for (const name of forwarded) delete request.headers[name]
    },
  }
}
