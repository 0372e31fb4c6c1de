import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { Agent, request } from 'undici'
import { NoAnswer } from './no-answer'
import { trustIn, type TlsChoice } from './trust'

/** Connections by what they are for, so that long lists and long transfers leave room for short calls. */
export type Lane = 'calls' | 'lists' | 'streams'
export type Verb = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface Outgoing {
  verb: Verb
  url: URL
  headers: Record<string, string>
  body?: string | Readable
  signal: AbortSignal
}

/** The beginning of an answer; its octets are still to come. */
export interface Incoming {
  status: number
  headers: IncomingHttpHeaders
  octets: Readable
}

export interface Transport {
  restMs: number
  /** Sends once. Redirects are answers like any other. Throws `NoAnswer`, or the signal's reason. */
  open(lane: Lane, outgoing: Outgoing): Promise<Incoming>
  close(): Promise<void>
}

export interface TransportOptions {
  tls?: TlsChoice
  userAgent?: string
  /** What a transfer may rest, milliseconds, before it is given up; 60 s where left out. Calls and lists have deadlines. */
  restMs?: number
}

/** Connections that a lane may have to each address. */
const connections: Record<Lane, number> = { calls: 24, lists: 8, streams: 16 }
const connectMs = 5_000
/** Time that the cloud may take to store what was sent to it before it answers. */
const digestMs = 600_000

export function createTransport({ tls = {}, userAgent = 'mainstay', restMs = 60_000 }: TransportOptions): Transport {
  const connect = { timeout: connectMs, ...trustIn(tls) }
  const agentOf = (lane: Lane) =>
    new Agent({
      connect,
      connections: connections[lane],
      headersTimeout: lane === 'streams' ? digestMs : 0,
      bodyTimeout: lane === 'streams' ? restMs : 0,
    })
  const lanes = { calls: agentOf('calls'), lists: agentOf('lists'), streams: agentOf('streams') }

  return {
    restMs,
    async open(lane, { verb, url, headers, body, signal }) {
      try {
        const {
          statusCode,
          headers: told,
          body: octets,
        } = await request(url, {
          method: verb,
          headers: { 'user-agent': userAgent, ...headers },
          body: body ?? null,
          dispatcher: lanes[lane],
          signal,
        })
        // who reads hears of failures; who does not read must not fail by them
        octets.on('error', () => undefined)
        return { status: statusCode, headers: told, octets }
      } catch (error) {
        throw signal.aborted ? signal.reason : new NoAnswer(error)
      }
    },
    async close() {
      await Promise.all(Object.values(lanes).map((agent) => agent.destroy()))
    },
  }
}

/** Reads an answer to its end. Throws `NoAnswer` when it breaks off or is longer than `mostBytes`. */
export async function textOf({ octets }: Incoming, mostBytes: number, signal: AbortSignal): Promise<string> {
  const parts: Buffer[] = []
  let sizeBytes = 0
  try {
    for await (const part of octets as AsyncIterable<Buffer>) {
      sizeBytes += part.length
      if (sizeBytes > mostBytes) break
      parts.push(part)
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : new NoAnswer(error)
  }
  if (sizeBytes > mostBytes) throw new NoAnswer({ code: 'TOO_LONG' })
  return Buffer.concat(parts).toString('utf8')
}
