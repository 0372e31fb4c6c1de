import { says, type RuleText } from '@mainstay/contract/core/said'
import { createHash } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import { Readable } from 'node:stream'
import { MOST_IMPORT_BYTES } from '@mainstay/contract/compute/image-imports'
import { Problem, problem, problemOf } from '@mainstay/contract/core/problems'
import { isPublic } from './public-address'

/*
 * Fetches files from URLs given by tenants. To prevent SSRF, only public hosts are allowed: each name is resolved only
 * once, all of its addresses must be public, and the connection uses the address that was checked. The same applies to
 * every redirect.
 */

interface Limits {
  /** Maximum time until the response begins, in milliseconds. */
  answerMs: number
  /** Maximum time without receiving any bytes, in milliseconds. */
  idleMs: number
  /** Maximum time for the whole transfer, in milliseconds. */
  wholeMs: number
  mostBytes: number
}
const usual: Limits = { answerMs: 30_000, idleMs: 60_000, wholeMs: 6 * 3600_000, mostBytes: MOST_IMPORT_BYTES }
const MOST_REDIRECTS = 5
/** Maximum size of a checksum list, in bytes. */
const MOST_TEXT = 1024 * 1024

export interface OutsideOptions {
  /** Hosts that the operator trusts. Private addresses and plain HTTP are allowed for them. */
  trusted: readonly string[]
  limits?: Partial<Limits>
  /** Resolves a host name. Default: DNS. */
  resolve?: (host: string) => Promise<{ address: string; family: number }[]>
}

export interface FileWanted {
  signal: AbortSignal
  /** `sha256:` or `sha512:` followed by hex digits, or null to skip verification. */
  checksum: string | null
  /** Receives a percentage from 0 to 100. Not called if the size is unknown. */
  onProgress?(percent: number): void
}

export interface Outside {
  /**
   * Checks a URL before it is looked up. Throws `import_forbidden` for a scheme other than https and for a private
   * address.
   */
  check(address: URL): void
  /**
   * Downloads a file. The stream fails if the file is truncated, stalls, exceeds the size limit or does not match
   * `checksum`. Throws `import_forbidden`, `import_failed` or `too_large`.
   */
  file(address: URL, wanted: FileWanted): Promise<Readable>
  /** Downloads a short text, such as a checksum list. */
  text(address: URL, signal: AbortSignal): Promise<string>
}

const bare = (hostname: string): string => hostname.replaceAll(/[[\]]/g, '').toLowerCase()
const forbidden = (message: RuleText) => problemOf(message)
const failed = (message: RuleText, cause?: unknown) => problemOf(message, { cause })
const inner = (host: string) => forbidden(says('compute.import_inner', { host }))

export function openOutside({ trusted, limits: given, resolve }: OutsideOptions): Outside {
  const limits = { ...usual, ...given }
  const addressesOf = resolve ?? ((host: string) => lookup(host, { all: true }))
  const isTrusted = (host: string) => trusted.includes(host)

  function check(address: URL): void {
    const host = bare(address.hostname)
    if (isTrusted(host) && /^https?:$/.test(address.protocol)) return
    if (address.protocol !== 'https:') throw forbidden(says('compute.import_https', { origin: address.origin }))
    if (isIP(host) > 0 && !isPublic(host)) throw inner(host)
  }

  /** The address to which to connect. */
  async function placeOf(host: string, signal: AbortSignal): Promise<{ address: string; family: number }> {
    if (isIP(host) > 0) return { address: host, family: isIP(host) }
    const found = await unlessAborted(addressesOf(host), signal).catch((error: unknown) => {
      if (signal.aborted) throw error
      throw failed(says('compute.import_unknown_host', { host }), error)
    })
    if (!isTrusted(host) && found.some(({ address }) => !isPublic(address))) throw inner(host)
    if (!found[0]) throw failed(says('compute.import_unknown_host', { host }))
    return found[0]
  }

  async function ask(address: URL, signal: AbortSignal): Promise<IncomingMessage> {
    check(address)
    const host = bare(address.hostname)
    const place = await placeOf(host, signal)
    const { request } = address.protocol === 'https:' ? https : http
    return new Promise((done, refuse) => {
      const asking = request(
        {
          ...{ host: place.address, family: place.family, method: 'GET', signal, agent: false },
          path: `${address.pathname}${address.search}`,
          ...(address.port !== '' && { port: address.port }),
          // verify the certificate for the host name, not for the address
          ...(isIP(host) === 0 && { servername: host }),
          headers: { host: address.host, accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'Mainstay' },
        },
        done,
      )
      asking.on('error', (error) =>
        refuse(signal.aborted ? error : failed(says('compute.import_error', { reason: error.message, host }), error)),
      )
      asking.end()
    })
  }

  /** Follows redirects. Each target is checked in the same way as the first URL. */
  async function open(first: URL, signal: AbortSignal): Promise<IncomingMessage> {
    let address = first
    for (let hops = 0; hops <= MOST_REDIRECTS; hops++) {
      const answer = await ask(address, signal)
      const { statusCode: status = 0, headers } = answer
      if (status === 200) return answer
      answer.destroy()
      const { location } = headers
      if (![301, 302, 303, 307, 308].includes(status) || location === undefined)
        throw failed(says('compute.import_status', { host: address.host, status }))
      if (!URL.canParse(location, address))
        throw failed(says('compute.import_redirect_nowhere', { host: address.host }))
      address = new URL(location, address)
    }
    throw failed(says('compute.import_redirects', { most: MOST_REDIRECTS, host: first.host }))
  }

  /** Like `open`, but throws if there is no response in time. */
  async function answerOf(address: URL, signal: AbortSignal): Promise<IncomingMessage> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), limits.answerMs)
    try {
      // once the response has begun, only the idle timeout and the total timeout apply
      return await open(address, AbortSignal.any([signal, late.signal]))
    } catch (error) {
      if (late.signal.aborted && !signal.aborted) throw failed(says('compute.import_silent', { host: address.host }))
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    check,
    async file(address, { signal, checksum, onProgress }) {
      const whole = AbortSignal.any([signal, AbortSignal.timeout(limits.wholeMs)])
      const answer = await answerOf(address, whole)
      const { 'content-length': length, 'content-encoding': encoding } = answer.headers
      const sizeBytes = length === undefined ? null : Number(length)
      const refused =
        encoding !== undefined && encoding !== 'identity'
          ? failed(says('compute.import_packed', { host: address.host, encoding }))
          : sizeBytes !== null && sizeBytes > limits.mostBytes
            ? tooLarge(limits.mostBytes)
            : null
      if (refused) {
        answer.destroy()
        throw refused
      }
      const idle = () => answer.destroy(failed(says('compute.import_stopped', { host: address.host })))
      answer.setTimeout(limits.idleMs, idle)
      const onBytes = (size: number) => sizeBytes !== null && sizeBytes > 0 && onProgress?.((size / sizeBytes) * 100)
      const how = { mostBytes: limits.mostBytes, signal, whole, host: address.host, checksum, onBytes }
      return Readable.from(looked(answer, how), { objectMode: false })
    },
    async text(address, signal) {
      const whole = AbortSignal.any([signal, AbortSignal.timeout(limits.wholeMs)])
      const answer = await answerOf(address, whole)
      answer.setTimeout(limits.idleMs, () =>
        answer.destroy(failed(says('compute.import_stopped', { host: address.host }))),
      )
      const parts: Buffer[] = []
      const how = { mostBytes: MOST_TEXT, signal, whole, host: address.host, checksum: null }
      for await (const part of looked(answer, how)) parts.push(part)
      return Buffer.concat(parts).toString('utf8')
    },
  }
}

const tooLarge = (limit: number) => problem('compute.import_too_large', {}, { data: { limit } })

/** Passes the bytes of a response through and checks their size, checksum and completeness. */
async function* looked(
  answer: IncomingMessage,
  how: {
    mostBytes: number
    signal: AbortSignal
    /** Aborted when `signal` is aborted or the total timeout is reached. */
    whole: AbortSignal
    host: string
    checksum: string | null
    onBytes?(size: number): void
  },
): AsyncGenerator<Buffer, void, void> {
  const { mostBytes, signal, whole, host, checksum, onBytes } = how
  const [algorithm = '', wanted = ''] = checksum?.toLowerCase().split(':') ?? []
  const digest = checksum === null ? null : createHash(algorithm)
  let size = 0
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > mostBytes) throw tooLarge(mostBytes)
      digest?.update(chunk)
      onBytes?.(size)
      yield chunk
    }
  } catch (error) {
    if (error instanceof Problem || signal.aborted) throw error
    if (whole.aborted) throw failed(says('compute.import_late', { host }))
    throw failed(says('compute.import_broken', { host, size }), error)
  } finally {
    answer.destroy()
  }
  if (!answer.complete) throw failed(says('compute.import_broken', { host, size }))
  const found = digest?.digest('hex')
  if (found !== undefined && found !== wanted)
    throw problem(
      'compute.import_checksum',
      { algorithm, found },
      { data: { expected: checksum, found: `${algorithm}:${found}` } },
    )
}

function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted()
  return new Promise((done, refuse) => {
    const abort = () => refuse(signal.reason as Error)
    signal.addEventListener('abort', abort, { once: true })
    work.then(done, refuse).finally(() => signal.removeEventListener('abort', abort))
  })
}
