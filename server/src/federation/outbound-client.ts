import { AsyncLocalStorage } from 'node:async_hooks'
import { lookup as resolve, type LookupAddress } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'
import { Agent, fetch } from 'undici'

/*
 * Requests to addresses that tenants name. What answers at the server's own addresses is not theirs to ask: whoever names a
 * provider would see by its answer what listens there.
 */

/** A provider's address that is not asked. */
export class ForbiddenAddress extends Error {}
/** An answer that is longer than any of a provider. */
export class LongAnswer extends Error {}

/** The longest answer that is read, bytes: metadata, keys, tokens. */
const MOST_BYTES = 256 * 1024

const closed = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
  // where clouds tell a machine its own secrets
  ['169.254.0.0', 16],
  ['224.0.0.0', 4],
  ['255.255.255.255', 32],
] as const)
  closed.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of [
  ['::', 127],
  ['fe80::', 10],
  ['ff00::', 8],
  // IPv4 by another spelling
  ['64:ff9b::', 96],
  ['2002::', 16],
] as const)
  closed.addSubnet(network, prefix, 'ipv6')

/** Networks of operators, where nobody who names a provider is to learn what listens: private, shared and unique local addresses. */
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

/** Whether an address is of this machine, of its link alone, or of many. */
export function isClosed(address: string): boolean {
  if (closed.check(address, familyOf(address))) return true
  const own = new BlockList()
  for (const it of Object.values(networkInterfaces()).flat()) if (it) own.addAddress(it.address, familyOf(it.address))
  return own.check(address, familyOf(address))
}

const bare = (hostname: string): string => hostname.replaceAll(/[[\]]/g, '').toLowerCase()

export interface OutboundClient {
  /** Throws `ForbiddenAddress` for what is not asked: another scheme than https, and this machine by its address. */
  check(address: URL): void
  /** As `fetch`, without redirects. Throws `ForbiddenAddress`, `LongAnswer`, or what the connection ends with. */
  fetch(address: string | URL, init: { signal: AbortSignal } & Record<string, unknown>): Promise<Response>
  /**
   * Does what asks providers. Where it fails after it has asked a host inside, at an address of a private network, `onInside` is thrown
   * instead: whatever went wrong there, it is one answer. A host that the operator trusts is not inside. `shared`: an address that the work
   * may not ask itself, because another one is asking it already.
   */
  withOneAnswerInside<Result>(
    work: () => Promise<Result>,
    onInside: (cause: unknown) => Error,
    shared?: string | null,
  ): Promise<Result>
  close(): Promise<void>
}

/** The most hosts that are remembered as inside. */
const MOST_INSIDE = 10_000

/** `trusted`: names of hosts that are asked wherever they are, and without TLS. The operator says them. */
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

  // what is connected to is what was looked at, whatever the name means a moment later
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
        return answer(error ?? new ForbiddenAddress(`${hostname} is an address of this machine`), '', 0)
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
    if (address.protocol !== 'https:') throw new ForbiddenAddress('Only https is asked')
    if (isIP(host) > 0 && isClosed(host)) throw new ForbiddenAddress(`${host} is an address of this machine`)
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
      // also what was packed: a little of it may be very much
      for await (const part of answer.body ?? []) {
        size += part.length
        if (size > MOST_BYTES) throw new LongAnswer(`The answer has more than ${MOST_BYTES} bytes`)
        parts.push(part)
      }
      const headers = new Headers([...answer.headers].filter(([name]) => !/^content-(encoding|length)$/.test(name)))
      const isEmpty = answer.status === 204 || answer.status === 205 || answer.status === 304
      return new Response(isEmpty ? null : Buffer.concat(parts), { status: answer.status, headers })
    },
    close: () => agent.close(),
  }
}
