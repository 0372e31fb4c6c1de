import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { problem } from '@mainstay/contract/core/problems'
import { comparableHost } from '../../config-values'
import type { Peers } from './peers'

/** Whether a host name means the machine itself, wherever it is asked. */
export const isOfLoopback = (name: string): boolean =>
  name === 'localhost' || name.endsWith('.localhost') || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'))

/** The name in a Host header without port and brackets, in the form in which hosts are compared; null for what is none. */
export function hostName(host: string): string | null {
  if (!/^(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,255})(:\d{1,5})?$/.test(host)) return null
  const name = host.replace(/:\d+$/, '').replace(/^\[|\]$/g, '')
  return comparableHost(name)
}

export interface Hosts {
  /**
   * Refuses a request that was sent to another name than ours. Throws `validation` where the Host header is none, or
   * is there twice, and `unknown_host`.
   */
  check(request: IncomingMessage): void
}

/**
 * The names under which the server answers. `names` null: any. Else those, and those of the machine itself: a page of
 * the attacker's, whose name has come to mean 127.0.0.1, gets nothing. A proxy in front chooses what it sends here.
 */
export const hostsOf = (names: readonly string[] | null, peers: Peers): Hosts => ({
  check({ headers, rawHeaders, socket }) {
    const given = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length
    if (given > 1) throw problem('core.host_twice')
    // HTTP/1.0 knows no Host, and no browser speaks it
    if (headers.host === undefined || headers.host === '') return
    const name = hostName(headers.host)
    if (name === null) throw problem('core.no_host')
    if (names === null || names.includes(name) || isOfLoopback(name) || peers.isProxy(socket.remoteAddress)) return
    throw problem('core.unknown_host', { name })
  },
})
