import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { Agent, request } from 'undici'
import { TransportError } from './transport-error'
import { trustIn, type TlsChoice } from './trust'

/** Connection pools by purpose, so that long lists and transfers leave connections free for short calls. */
export type Pool = 'calls' | 'lists' | 'streams'
export type Verb = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface Outgoing {
  verb: Verb
  url: URL
  headers: Record<string, string>
  body?: string | Readable
  signal: AbortSignal
}

/** A response whose body has not been read yet. */
export interface Incoming {
  status: number
  headers: IncomingHttpHeaders
  bytes: Readable
}

export interface Transport {
  restMs: number
  /** Sends the request once and does not follow redirects. Throws a `TransportError` or the signal's abort reason. */
  open(pool: Pool, outgoing: Outgoing): Promise<Incoming>
  close(): Promise<void>
}

export interface TransportOptions {
  tls?: TlsChoice
  userAgent?: string
  /** Idle timeout of a transfer in milliseconds, 60 s by default. Calls and lists have deadlines instead. */
  restMs?: number
}

/** Maximum number of connections per pool and host. */
const connections: Record<Pool, number> = { calls: 24, lists: 8, streams: 16 }
const connectMs = 5_000
/** Time the cloud may take to store an upload before it responds, in milliseconds. */
const digestMs = 600_000

export function createTransport({ tls = {}, userAgent = 'mainstay', restMs = 60_000 }: TransportOptions): Transport {
  const connect = { timeout: connectMs, ...trustIn(tls) }
  const agentOf = (pool: Pool) =>
    new Agent({
      connect,
      connections: connections[pool],
      headersTimeout: pool === 'streams' ? digestMs : 0,
      bodyTimeout: pool === 'streams' ? restMs : 0,
    })
  const pools = { calls: agentOf('calls'), lists: agentOf('lists'), streams: agentOf('streams') }

  return {
    restMs,
    async open(pool, { verb, url, headers, body, signal }) {
      try {
        const {
          statusCode,
          headers: told,
          body: bytes,
        } = await request(url, {
          method: verb,
          headers: { 'user-agent': userAgent, ...headers },
          body: body ?? null,
          dispatcher: pools[pool],
          signal,
        })
        // a reader gets the error anyway; without a reader, it must not crash the process
        bytes.on('error', () => undefined)
        return { status: statusCode, headers: told, bytes }
      } catch (error) {
        throw signal.aborted ? signal.reason : new TransportError(error)
      }
    },
    async close() {
      await Promise.all(Object.values(pools).map((agent) => agent.destroy()))
    },
  }
}

/**
 * Reads a response to its end. Throws a `TransportError` if the connection breaks or the response exceeds `mostBytes`.
 */
export async function textOf({ bytes }: Incoming, mostBytes: number, signal: AbortSignal): Promise<string> {
  const parts: Buffer[] = []
  let sizeBytes = 0
  try {
    for await (const part of bytes as AsyncIterable<Buffer>) {
      sizeBytes += part.length
      if (sizeBytes > mostBytes) break
      parts.push(part)
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : new TransportError(error)
  }
  if (sizeBytes > mostBytes) throw new TransportError({ code: 'TOO_LONG' })
  return Buffer.concat(parts).toString('utf8')
}
