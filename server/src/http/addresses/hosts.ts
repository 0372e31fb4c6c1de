import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { problem } from '@mainstay/contract/core/problems'
import { comparableHost } from '../../config-values'
import type { Peers } from './peers'

/** Whether a host name always refers to the local host. */
export const isOfLoopback = (name: string): boolean =>
  name === 'localhost' || name.endsWith('.localhost') || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'))

/** Normalized name from a Host header, without the port and brackets; null if it is malformed. */
export function hostName(host: string): string | null {
  if (!/^(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,255})(:\d{1,5})?$/.test(host)) return null
  const name = host.replace(/:\d+$/, '').replace(/^\[|\]$/g, '')
  return comparableHost(name)
}

export interface Hosts {
  /**
   * Refuses a request for a host name that the server does not accept. Throws a `validation` error if the Host header
   * is malformed or repeated, otherwise an `unknown_host` error.
   */
  check(request: IncomingMessage): void
}

/**
 * Host names that the server accepts: any if `names` is null, otherwise `names` and loopback names. This prevents DNS
 * rebinding, in which a page on an attacker's domain reaches 127.0.0.1. Requests from a trusted proxy may have any host
 * name.
 */
export const hostsOf = (names: readonly string[] | null, peers: Peers): Hosts => ({
  check({ headers, rawHeaders, socket }) {
    const given = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length
    if (given > 1) throw problem('core.host_twice')
    // HTTP/1.0 has no Host header, and browsers do not use it
    if (headers.host === undefined || headers.host === '') return
    const name = hostName(headers.host)
    if (name === null) throw problem('core.no_host')
    if (names === null || names.includes(name) || isOfLoopback(name) || peers.isProxy(socket.remoteAddress)) return
    throw problem('core.unknown_host', { name })
  },
})
