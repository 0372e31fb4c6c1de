import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import type { ConnectionSecurity } from '@mainstay/contract/settings/notifications'
import type { Secret } from '@mainstay/engines/ports/secret'
import { BindRequest, ExtendedRequest, PagedResultsControl, SearchRequest, UnbindRequest, type Filter } from 'ldapts'
import { says } from '@mainstay/contract/core/said'
import { extentOf, Malformed, MOST_MESSAGE_BYTES, readAnswer, type LdapAnswer, type LdapEntry } from './answers'
import { bindFailed, problemOf, refused, silent, unreachable, untrusted } from './problems'

/** Address and TLS options of a directory. */
interface LdapTarget {
  host: string
  port: number
  security: ConnectionSecurity
  /** PEM CA certificates to trust instead of the system's; empty: trust the system's. */
  ca: string
}

/** Timeouts and size limit for a connection. */
export interface LdapPatience {
  /** Maximum lifetime of the connection, in milliseconds. */
  withinMs: number
  /** Maximum wait for the next data, in milliseconds. */
  quietMs: number
  /** Maximum number of bytes read in total; 512 MiB by default. */
  mostBytes?: number
}

interface LdapSearch {
  base: string
  filter: Filter
  attributes: readonly string[]
  /** Maximum number of entries. The search fails with an `ldap_refused` error if the directory sends more. */
  most: number
  pageSize?: number
}

export interface LdapConnection {
  /**
   * Binds as a user. Throws an `ldap_bind_failed` error if the name or the password is wrong or empty: directories
   * treat a bind with an empty password as anonymous, regardless of the name (RFC 4513, section 5.1.2).
   */
  bind(dn: string, password: Secret): Promise<void>
  /**
   * Calls `found` for each entry. Throws an `ldap_base_not_found` error if the search base does not exist, or an
   * `ldap_refused` error if the result would be incomplete.
   */
  search(search: LdapSearch, found: (entry: LdapEntry) => void): Promise<void>
  close(): void
}

const PAGE_SIZE = 500
const MOST_BYTES = 512 * 1024 * 1024
const START_TLS = '1.3.6.1.4.1.1466.20037'

/** Result codes (RFC 4511, section 4.1.9). */
const SUCCESS = 0
const SASL_IN_PROGRESS = 14
const badNames: readonly number[] = [34, 48, 49, 53]

type Waiting = { id: number; entry?: (entry: LdapEntry) => void; done(answer: LdapAnswer & { type: 'result' }): void }

/** Splits the byte stream into messages. Throws `Malformed` if it is not LDAP. */
function framed(take: (message: Buffer) => void): { add(chunk: Buffer): void; isEmpty(): boolean } {
  let chunks: Buffer[] = []
  let length = 0
  let wanted: number | null = null
  function joined(): Buffer {
    if (chunks.length > 1) chunks = [Buffer.concat(chunks)]
    return chunks[0]!
  }
  return {
    isEmpty: () => length === 0,
    add(chunk) {
      chunks.push(chunk)
      length += chunk.length
      while (length > 0) {
        if (wanted === null) {
          const bytes = joined()
          if (bytes[0] !== 0x30) throw new Malformed()
          wanted = extentOf(bytes, 0)?.end ?? null
          if (wanted === null) return
          if (wanted > MOST_MESSAGE_BYTES) throw new Malformed()
        }
        if (length < wanted) return
        const bytes = joined()
        const message = bytes.subarray(0, wanted)
        chunks = [bytes.subarray(wanted)]
        length -= wanted
        wanted = null
        take(message)
      }
    },
  }
}

/** Opens a connection. Throws an `ldap_unreachable` or `ldap_untrusted` error. */
export async function connect(
  target: LdapTarget,
  patience: LdapPatience,
  signal?: AbortSignal,
): Promise<LdapConnection> {
  const { host, port, security, ca } = target
  const { mostBytes = MOST_BYTES } = patience
  let socket: Socket | null = null
  let messageId = 0
  let bytesRead = 0
  let waiting: Waiting | null = null
  let fault: Error | null = null
  let giveUp: ((error: Error) => void) | null = null
  let quiet: NodeJS.Timeout | undefined
  const frames = framed((message) => {
    const answer = readAnswer(message)
    if (!waiting || answer.id !== waiting.id) {
      // the response is unsolicited: a notice of disconnection (ID 0), or a bogus response
      fail(answer.id === 0 ? unreachable() : new Malformed())
    } else if (answer.type === 'entry') waiting.entry?.(answer.entry)
    else if (answer.type === 'result') {
      const { done } = waiting
      waiting = null
      done(answer)
    }
  })

  function fail(error: Error): void {
    fault ??= error
    clearTimeout(quiet)
    clearTimeout(deadline)
    socket?.destroy()
    giveUp?.(fault)
  }
  const listen = (): void => {
    clearTimeout(quiet)
    quiet = setTimeout(() => fail(silent()), patience.quietMs)
  }
  const onData = (chunk: Buffer): void => {
    bytesRead += chunk.length
    try {
      if (bytesRead > mostBytes) throw new Malformed()
      listen()
      frames.add(chunk)
    } catch (error) {
      fail(error as Error)
    }
  }

  /** Waits for an operation started by `begin`; rejects if the connection fails. */
  function during<Result>(begin: (resolve: (result: Result) => void) => void): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      if (fault) return reject(fault)
      giveUp = reject
      listen()
      begin(resolve)
    }).finally(() => {
      giveUp = null
      clearTimeout(quiet)
    })
  }

  const securely = {
    ...{ host, minVersion: 'TLSv1.2' as const, ...(isIP(host) === 0 && { servername: host }) },
    ...(ca !== '' && { ca }),
  }
  /** Starts TLS on the given socket, or on a new one. */
  function secure(below?: Socket): Promise<void> {
    return during((resolve) => {
      socket = connectSecurely(below ? { ...securely, socket: below } : { ...securely, port }, () => resolve())
      watch(socket)
    })
  }
  function watch(socket: Socket): void {
    socket.on('data', onData)
    socket.on('error', (error) => fail(error))
    socket.on('close', () => fail(unreachable()))
  }

  function ask(
    request: (id: number) => { write(): Buffer },
    entry?: (entry: LdapEntry) => void,
  ): Promise<LdapAnswer & { type: 'result' }> {
    messageId += 1
    const id = messageId
    return during<LdapAnswer & { type: 'result' }>((resolve) => {
      waiting = { id, done: resolve, ...(entry && { entry }) }
      socket?.write(request(id).write())
    }).finally(() => (waiting = null))
  }

  async function startTls(): Promise<void> {
    const { code } = await ask((id) => new ExtendedRequest({ messageId: id, oid: START_TLS }))
    // plaintext bytes after the response would be mistaken for data protected by TLS
    if (code !== SUCCESS || !frames.isEmpty()) throw untrusted('starttls')
    const below = socket!
    for (const event of ['data', 'error', 'close']) below.removeAllListeners(event)
    below.on('error', (error) => fail(error))
    await secure(below)
  }

  const onAbort = () => fail(silent())
  const deadline = setTimeout(onAbort, patience.withinMs)
  signal?.addEventListener('abort', onAbort, { once: true })
  function close(): void {
    signal?.removeEventListener('abort', onAbort)
    clearTimeout(quiet)
    clearTimeout(deadline)
    fault ??= unreachable()
    if (!socket || socket.destroyed) return
    const ending = socket
    ending.end(new UnbindRequest({ messageId: messageId + 1 }).write(), () => ending.destroy())
  }
  const told = async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      return await work
    } catch (error) {
      throw problemOf(error)
    }
  }

  try {
    if (security === 'SSL') await secure()
    else {
      await during<void>((resolve) => {
        socket = connectPlain({ host, port }, () => resolve())
        watch(socket)
      })
      if (security === 'STARTTLS') await startTls()
    }
    if (signal?.aborted) throw silent()
  } catch (error) {
    close()
    throw problemOf(error)
  }

  return {
    bind: (dn, password) =>
      told(
        (async () => {
          if (password.reveal() === '' || dn === '') throw bindFailed()
          const { code } = await ask((id) => new BindRequest({ messageId: id, dn, password: password.reveal() }))
          if (code === SUCCESS) return
          throw badNames.includes(code) || code === SASL_IN_PROGRESS ? bindFailed() : refused(code)
        })(),
      ),

    search: ({ base, filter, attributes, most, pageSize = PAGE_SIZE }, found) =>
      told(
        (async () => {
          let count = 0
          let cookie = Buffer.alloc(0)
          for (;;) {
            const pages = new PagedResultsControl({ value: { size: Math.min(pageSize, most + 1), cookie } })
            const options = { baseDN: base, filter, attributes: [...attributes], timeLimit: 0 }
            const { code, page } = await ask(
              (id) => new SearchRequest({ messageId: id, controls: [pages], ...options }),
              (entry) => {
                count += 1
                if (count > most) fail(refused(null, says('settings.directory_too_many', { most })))
                else found(entry)
              },
            )
            if (code !== SUCCESS) throw refused(code)
            if (page === null || page.length === 0) return
            // a repeated cookie would cause an endless loop
            if (page.equals(cookie)) throw new Malformed()
            cookie = Buffer.from(page)
          }
        })(),
      ),
    close,
  }
}
