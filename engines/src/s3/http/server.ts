import http, { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import https from 'node:https'
import type { Log } from '../../ports/records'
import { S3Error } from '../errors'
import { readSource, S3_SOURCE_HEADER, type S3Source } from '../source'
import { withPresigned } from '../signature/presigned'
import { verifyRequest } from '../signature/verify'
import { newCallId, readAddress, type S3Call } from './call'
import { answerPreflight, setCorsHeaders } from './cors'
import { perform } from './dispatch'
import { bucketOfHost, isOwnHost, sandboxed, type S3Names } from './host'
import type { S3Store } from './operations'
import { refuse } from './refuse'

const HEADERS_WITHIN_MS = 30_000
const MOST_HEADER_BYTES = 32 * 1024

/** Returns the headers with a single value each; for repeated headers, the first value is used. */
const plainHeaders = ({ headers }: IncomingMessage): S3Call['headers'] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]))

export interface S3Server {
  server: http.Server | https.Server
  /** Closes idle connections and waits up to 5 s for the others. */
  close(): Promise<void>
}

const CLOSE_WITHIN_MS = 5_000

/**
 * Whether an idle connection is waiting for the server rather than the client: the whole request has arrived, or
 * received data has not been read yet, and everything written so far has been sent. Copies and slow disks may take
 * longer than the idle timeout.
 */
const isBusy = (request: IncomingMessage, response: ServerResponse): boolean =>
  (request.complete || request.readableLength > 0) && response.writableLength === 0

interface S3ServerOptions {
  tls: { cert: string; key: string } | null
  /** Whether object storage is currently enabled. */
  isAvailable: () => boolean
  names: S3Names
  /** Idle timeout for connections in milliseconds. Does not apply while the client is waiting for the server. */
  idleMs: number
  /** Counts a request from an address. Returns 0 if it is allowed, otherwise the number of seconds to wait. */
  takeRequest: (address: string) => number
  sourceOf: (request: IncomingMessage) => S3Source
  log: Log
}

/** Creates the HTTP server for S3 requests. */
export function createS3Server(store: S3Store, options: S3ServerOptions): S3Server {
  const { isAvailable, names, sourceOf, takeRequest, log } = options

  async function answerCall(request: IncomingMessage, response: ServerResponse, isWaiting: boolean): Promise<void> {
    const id = newCallId()
    response.setHeader('x-amz-request-id', id)
    response.on('timeout', () => {
      // a socket reports a timeout only once, so restart its timer
      if (isBusy(request, response)) request.socket.setTimeout(options.idleMs)
      else response.destroy()
    })
    response.setHeader('server', 'Mainstay')
    const isOwn = isOwnHost(request.headers.host, names)
    const begin: S3Call['begin'] = (status, headers) =>
      void response.writeHead(status, isOwn ? headers : sandboxed(headers))
    const [url, method] = [request.url ?? '/', request.method ?? 'GET']
    try {
      const wait = takeRequest(sourceOf(request).address)
      if (wait > 0) {
        response.setHeader('retry-after', wait)
        throw new S3Error('SlowDown', `Too many requests from your address. Try again in ${wait} s.`)
      }
      if (!isAvailable()) throw new S3Error('ServiceUnavailable', 'Object storage is disabled')
      const { path, rawPath, ...address } = readAddress(url, bucketOfHost(request.headers.host, names))
      const sent = plainHeaders(request)
      if (method === 'OPTIONS') {
        await answerPreflight({ bucket: address.bucket, headers: sent }, store.buckets, response)
        return
      }
      await setCorsHeaders({ bucket: address.bucket, headers: sent, method }, store.buckets, response)
      let userId: string | null = null
      let isConsole = false
      const signed = await verifyRequest(
        { method, path, rawPath, query: address.query, headers: sent },
        async (accessKey) => {
          const found = await store.accounts.signatory(accessKey)
          userId = found?.userId ?? null
          isConsole = found?.isConsole ?? false
          return found?.secret ?? null
        },
        { acceptsV2: store.signatureV2 },
      )
      const headers = signed?.isInQuery ? withPresigned({ query: address.query, headers: sent }) : sent
      const source = (isConsole ? readSource(headers[S3_SOURCE_HEADER]) : null) ?? sourceOf(request)
      const call = {
        id,
        method,
        ...address,
        headers,
        source,
        body: request,
        isWaiting,
        response,
        begin,
        signed,
        userId,
      }
      await perform(call, store)
    } catch (error) {
      const isRead = request.complete || request.readableEnded
      await refuse(error, { id, method, path: url.split('?')[0]!, isRead, response, begin }, log)
    }
  }

  const listener: RequestListener = (request, response) => void answerCall(request, response, false)
  const settings = {
    maxHeaderSize: MOST_HEADER_BYTES,
    headersTimeout: HEADERS_WITHIN_MS,
    requestTimeout: 0,
    noDelay: true,
  }
  const server = options.tls
    ? https.createServer({ ...settings, ...options.tls }, listener)
    : http.createServer(settings, listener)
  server.on(
    'checkContinue',
    (request: IncomingMessage, response: ServerResponse) => void answerCall(request, response, true),
  )
  server.setTimeout(options.idleMs)

  return {
    server,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeIdleConnections()
      const late = setTimeout(() => server.closeAllConnections(), CLOSE_WITHIN_MS)
      await closed
      clearTimeout(late)
    },
  }
}
