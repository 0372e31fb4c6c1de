import { AsyncLocalStorage } from 'node:async_hooks'
import { lookup as resolve, type LookupAddress } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'
import { Agent, fetch } from 'undici'

/*
 * Requests to URLs chosen by tenants. They must not reach the server's own addresses: the response would reveal to the
 * tenant which services listen there.
 */

/** A URL that may not be requested. */
export class ForbiddenAddress extends Error {}
/** A response that exceeds the size limit. */
export class LongAnswer extends Error {}

/** Maximum size of a response in bytes: metadata, keys and tokens. */
const MOST_BYTES = 256 * 1024

const closed = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
  // link-local, where clouds serve instance metadata with secrets
  ['169.254.0.0', 16],
  ['224.0.0.0', 4],
  ['255.255.255.255', 32],
] as const)
  closed.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of [
  ['::', 127],
  ['fe80::', 10],
  ['ff00::', 8],
  // NAT64 and 6to4, which embed IPv4 addresses
  ['64:ff9b::', 96],
  ['2002::', 16],
] as const)
  closed.addSubnet(network, prefix, 'ipv6')

/**
 * Private, shared and unique local addresses. They belong to the operator's networks, whose services tenants must not
 * be able to discover.
 */
const inside = new BlockList()
for (const [network, prefix] of [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  inside.addSubnet(network, prefix, 'ipv4')
inside.addSubnet('fc00::', 7, 'ipv6')

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Whether an address belongs to this host or is link-local, multicast or broadcast. */
export function isClosed(address: string): boolean {
  if (closed.check(address, familyOf(address))) return true
  const own = new BlockList()
  for (const it of Object.values(networkInterfaces()).flat()) if (it) own.addAddress(it.address, familyOf(it.address))
  return own.check(address, familyOf(address))
}

const bare = (hostname: string): string => hostname.replaceAll(/[[\]]/g, '').toLowerCase()

export interface OutboundClient {
  /**
   * Checks a URL before it is requested. Throws `ForbiddenAddress` for a scheme other than HTTPS, and for an IP address
   * of this host.
   */
  check(address: URL): void
  /** Like `fetch`, without redirects. Throws `ForbiddenAddress`, `LongAnswer` or the connection error. */
  fetch(address: string | URL, init: { signal: AbortSignal } & Record<string, unknown>): Promise<Response>
  /**
   * Runs work that sends requests. If it fails after a request to a host in a private network, throws `onInside`,
   * regardless of the failure. Hosts that the operator trusts do not count as private. `shared`: a URL that counts as
   * requested because another call is already requesting it.
   */
  withOneAnswerInside<Result>(
    work: () => Promise<Result>,
    onInside: (cause: unknown) => Error,
    shared?: string | null,
  ): Promise<Result>
  close(): Promise<void>
}

/** Maximum number of private hosts to remember. */
const MOST_INSIDE = 10_000

/**
 * Creates a client for URLs that tenants choose. `trusted`: host names, configured by the operator, that may resolve to
 * any address and be requested without TLS.
 */
export function createOutboundClient(trusted: readonly string[]): OutboundClient {
  const isTrusted = (hostname: string) => trusted.includes(bare(hostname))

  const asked = new AsyncLocalStorage<string[]>()
  const hostsInside = new Set<string>()
  const isInside = (host: string) =>
    !isTrusted(host) && (isIP(host) > 0 ? inside.check(host, familyOf(host)) : hostsInside.has(host))
  const noteInside = (hostname: string, addresses: readonly string[]) => {
    if (hostsInside.size >= MOST_INSIDE) hostsInside.clear()
    if (addresses.some((it) => inside.check(it, familyOf(it)))) hostsInside.add(bare(hostname))
  }

  // connect to the address that was checked, so that DNS cannot change in between
  const lookup: LookupFunction = (hostname, options, answer) =>
    resolve(hostname, { ...options, all: true }, (error, answers: LookupAddress[] | undefined) => {
      const found = answers ?? []
      noteInside(
        hostname,
        found.map((it) => it.address),
      )
      const refused = found.some((it) => !isTrusted(hostname) && isClosed(it.address))
      const [first] = found
      if (error || refused || !first)
        return answer(error ?? new ForbiddenAddress(`${hostname} is an address of this server`), '', 0)
      if (options.all) return answer(null, found)
      return answer(null, first.address, first.family)
    })
  const agent = new Agent({
    connect: { lookup, timeout: 10_000 },
    keepAliveTimeout: 1000,
    keepAliveMaxTimeout: 1000,
  })

  function check(address: URL): void {
    const host = bare(address.hostname)
    if (isTrusted(host) && /^https?:$/.test(address.protocol)) return
    if (address.protocol !== 'https:') throw new ForbiddenAddress('Only HTTPS is allowed')
    if (isIP(host) > 0 && isClosed(host)) throw new ForbiddenAddress(`${host} is an address of this server`)
  }

  return {
    check,
    async withOneAnswerInside(work, onInside, shared = null) {
      const hosts = shared !== null && URL.canParse(shared) ? [bare(new URL(shared).hostname)] : []
      try {
        return await asked.run(hosts, work)
      } catch (error) {
        throw hosts.some(isInside) ? onInside(error) : error
      }
    },
    async fetch(address, init) {
      const url = new URL(address)
      asked.getStore()?.push(bare(url.hostname))
      check(url)
      const answer = await fetch(address, { ...init, redirect: 'manual', dispatcher: agent } as never)
      const parts: Uint8Array[] = []
      let size = 0
      // count decompressed bytes, because a small body may decompress to a very large one
      for await (const part of answer.body ?? []) {
        size += part.length
        if (size > MOST_BYTES) throw new LongAnswer(`The response has more than ${MOST_BYTES} bytes`)
        parts.push(part)
      }
      const headers = new Headers([...answer.headers].filter(([name]) => !/^content-(encoding|length)$/.test(name)))
      const isEmpty = answer.status === 204 || answer.status === 205 || answer.status === 304
      return new Response(isEmpty ? null : Buffer.concat(parts), { status: answer.status, headers })
    },
    close: () => agent.close(),
  }
}
