import http, { type IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { S3Signer } from '@mainstay/engines/ports/object-storage'
import type { S3Address } from './address'
import { S3Refusal } from './s3-refusal'
import { signS3 } from './sign'

/** A connection over which nothing comes or goes for so long is given up. */
export const S3_IDLE_MS = 60_000

export interface Forwarding {
  /** Sends a request on to S3, signed anew, and answers what S3 answers as soon as its headers are there. */
  send(request: S3Request, gone: AbortSignal): Promise<IncomingMessage>
}

export interface S3Request {
  /** Where S3 is, without a slash at the end. */
  upstream: string
  method: string
  address: Pick<S3Address, 'path' | 'query'>
  headers: Record<string, string>
  payload: string
  /** Null for a request without one. */
  body: Readable | null
  signer: S3Signer
}

const away = (cause: unknown): S3Refusal =>
  Object.assign(new S3Refusal(503, 'ServiceUnavailable', 'Object storage does not answer. Try again'), { cause })

/** Streams between callers and S3: nothing is kept, and whoever is slow slows the other side down. */
export function createForwarding(idleMs = S3_IDLE_MS): Forwarding {
  // a body is sent once, so never over a connection that S3 may just be closing
  const kept = new http.Agent({ keepAlive: true, maxFreeSockets: 32 })
  const fresh = new http.Agent({ keepAlive: false })

  function once({ upstream, method, address, headers, payload, body, signer }: S3Request, gone: AbortSignal) {
    const { protocol, hostname, port, host } = new URL(upstream)
    if (protocol !== 'http:') throw new Error(`S3 is asked by HTTP, and not at ${upstream}`)
    const sent = http.request({
      ...{ hostname: hostname.replaceAll(/[[\]]/g, ''), port, method, agent: body ? fresh : kept, signal: gone },
      path: address.query === '' ? address.path : `${address.path}?${address.query}`,
      headers: signS3({ method, address, headers: { ...headers, host }, payload }, signer),
    })
    sent.setTimeout(idleMs, () => sent.destroy(new S3Refusal(503, 'RequestTimeout', 'Object storage stood still')))
    const response = new Promise<IncomingMessage>((resolve, reject) => sent.on('response', resolve).on('error', reject))
    // how it ends is told by the answer, also where that comes before the body has gone
    if (body) pipeline(body, sent).catch(() => undefined)
    else sent.end()
    return { sent, response }
  }

  return {
    async send(request, gone) {
      for (let attempt = 1; ; attempt++) {
        const { sent, response } = once(request, gone)
        try {
          return await response
        } catch (error) {
          if (sent.reusedSocket && !gone.aborted && attempt === 1) continue
          throw isOfConnection(error) ? away(error) : error
        }
      }
    },
  }
}

const isOfConnection = (error: unknown): boolean =>
  ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH'].includes(
    (error as NodeJS.ErrnoException).code ?? '',
  )
