import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { S3Signer, S3Upstream } from '@mainstay/engines/ports/object-storage'
import { canonicalQuery } from '@mainstay/engines/s3/signature/canonical'
import { S3_SOURCE_HEADER, sourceText, type S3Source } from '@mainstay/engines/s3/source'
import { signRequest } from '@mainstay/engines/s3/signature/sign'
import type { S3Address } from './address'
import { checkedBody, type SentBody } from './checked-body'
import { S3Refusal } from './s3-refusal'

/** Connections without traffic for this long are closed. */
export const S3_IDLE_MS = 60_000
/** Idle timeout for calls during which S3 may send nothing until it is done. */
const S3_WORK_MS = 3600_000

export interface Forwarding {
  /**
   * Signs a request and sends it to S3. Resolves when the response headers arrive. Rejects with an `S3Error` if the
   * body does not match its headers.
   */
  send(request: S3Request, gone: AbortSignal): Promise<IncomingMessage>
}

export interface S3Request {
  upstream: S3Upstream
  method: string
  address: Pick<S3Address, 'path' | 'query'>
  headers: Record<string, string>
  payload: string
  /** The request body; null if there is none. */
  body: Readable | null
  signer: S3Signer
  /** Where the caller's own request came from; null if unknown. */
  source: S3Source | null
}

const away = (cause: unknown): S3Refusal =>
  Object.assign(new S3Refusal(503, 'ServiceUnavailable', 'Object storage does not respond. Try again'), { cause })

/** Whether the call is a copy or completes a multipart upload. */
const isWork = ({ method, address, headers }: Pick<S3Request, 'method' | 'address' | 'headers'>): boolean =>
  headers['x-amz-copy-source'] !== undefined ||
  (method === 'POST' && address.query.some(([name]) => name === 'uploadId'))

/**
 * Streams requests and responses between callers and S3 without buffering them, with backpressure in both directions.
 */
export function createForwarding({ idleMs = S3_IDLE_MS, workMs = S3_WORK_MS } = {}): Forwarding {
  // a body cannot be sent twice, so requests with a body never use a kept connection, which S3 may be closing
  const kept = { keepAlive: true, maxFreeSockets: 32 }
  const agents = {
    'http:': { kept: new http.Agent(kept), fresh: new http.Agent({ keepAlive: false }) },
    'https:': { kept: new https.Agent(kept), fresh: new https.Agent({ keepAlive: false }) },
  }

  function once(request: S3Request, { headers, payload, bytes }: SentBody, gone: AbortSignal) {
    const { upstream, method, address, signer, source } = request
    const { path, query } = address
    const { protocol, hostname, port, host } = new URL(upstream.endpoint)
    if (protocol !== 'http:' && protocol !== 'https:') throw new Error(`unsupported S3 endpoint ${upstream.endpoint}`)
    const told = { ...headers, ...(upstream.takesSource && source && { [S3_SOURCE_HEADER]: sourceText(source) }), host }
    const signed = signRequest({ method, path, query, headers: told, payload }, signer, upstream.region)
    const sent = (protocol === 'http:' ? http : https).request({
      ...{ hostname: hostname.replaceAll(/[[\]]/g, ''), port, method, signal: gone },
      agent: agents[protocol][bytes ? 'fresh' : 'kept'],
      ...(upstream.ca !== null && { ca: upstream.ca }),
      path: query.length === 0 ? path : `${path}?${canonicalQuery(query)}`,
      // a gateway that responds early reads the rest of the body only on a keep-alive connection
      headers: { ...signed, ...(bytes && { connection: 'keep-alive' }) },
    })
    const stoodStill = () => sent.destroy(new S3Refusal(503, 'RequestTimeout', 'Object storage stalled'))
    sent.setTimeout(isWork(request) ? workMs : idleMs, stoodStill)
    const response = new Promise<IncomingMessage>((resolve, reject) => sent.on('response', resolve).on('error', reject))
    // the response determines the outcome, even if it arrives before the body has been sent
    const body: { fault: Error | null } = { fault: null }
    if (bytes) {
      pipeline(Readable.from(noting(bytes, body), { objectMode: false }), sent).catch(() => undefined)
      sent.once('response', (answer: IncomingMessage) => answer.once('end', () => sent.destroy()))
    } else sent.end()
    return { sent, response, body }
  }

  return {
    async send(request, gone) {
      const { upstream, headers, payload, body } = request
      const given = { headers, payload, bytes: body }
      const toSend: SentBody = body && !upstream.checksBodies ? await checkedBody(body, given) : given
      for (let attempt = 1; ; attempt++) {
        const { sent, response, body: sentBody } = once(request, toSend, gone)
        try {
          return await response
        } catch (error) {
          if (sentBody.fault) throw sentBody.fault
          if (sent.reusedSocket && !gone.aborted && attempt === 1) continue
          throw isOfConnection(error) ? away(error) : error
        }
      }
    },
  }
}

/** Passes bytes through and keeps the error that ends them, because an aborted request does not report its cause. */
async function* noting(bytes: AsyncIterable<Buffer>, body: { fault: Error | null }): AsyncGenerator<Buffer> {
  try {
    yield* bytes
  } catch (error) {
    body.fault = error as Error
    throw error
  }
}

const faultsOfConnection = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
])
const isOfConnection = (error: unknown): boolean => {
  const { code = '' } = error as NodeJS.ErrnoException
  return faultsOfConnection.has(code) || /CERT|SELF_SIGNED|TLS|SSL|UNABLE_TO/.test(code)
}
