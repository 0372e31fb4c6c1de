import { randomUUID } from 'node:crypto'
import http, { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import https from 'node:https'
import type { Log } from '../../ports/records'
import { S3Error, notImplemented } from '../errors'
import { verifyRequest } from '../signature/verify'
import { parameter, readAddress, type S3Call } from './call'
import * as buckets from './bucket-operations'
import * as multipart from './multipart-operations'
import * as objects from './object-operations'
import type { Operation, S3Store } from './operations'
import { writeError } from './xml'

/** A connection over which nothing comes or goes for so long is ended, milliseconds. */
const IDLE_MS = 60_000
const HEADERS_WITHIN_MS = 30_000
const MOST_CONNECTIONS = 2_000
const MOST_HEADER_BYTES = 32 * 1024

/** Words of a query that name what of a bucket or an object is meant, for which there is nothing here. */
const absent = new Set([
  ...['accelerate', 'analytics', 'cors', 'encryption', 'intelligent-tiering', 'inventory', 'lifecycle', 'logging'],
  ...[
    'metrics',
    'notification',
    'object-lock',
    'ownershipControls',
    'policyStatus',
    'publicAccessBlock',
    'replication',
  ],
  ...['requestPayment', 'tagging', 'versions', 'website', 'attributes', 'legal-hold', 'retention', 'restore', 'select'],
  ...['select-type', 'torrent'],
])

type Table = Readonly<Record<string, Operation>>
/** By the method, and the word of the query that says what is meant; without one by the method alone. */
const ofBucket: Table = {
  PUT: buckets.createBucket,
  HEAD: buckets.headBucket,
  GET: buckets.listBucket,
  DELETE: buckets.deleteBucket,
  'GET location': buckets.bucketLocation,
  'GET versioning': buckets.bucketVersioning,
  'GET acl': buckets.bucketAcl,
  'GET policy': buckets.getPolicy,
  'PUT policy': buckets.putPolicy,
  'DELETE policy': buckets.deletePolicy,
  'GET uploads': buckets.listUploads,
  'POST delete': buckets.deleteObjects,
}
const ofObject: Table = {
  PUT: objects.putObject,
  GET: objects.getObject,
  HEAD: objects.getObject,
  DELETE: objects.deleteObject,
  'GET acl': buckets.bucketAcl,
  'POST uploads': multipart.createUpload,
  'PUT uploadId': multipart.uploadPart,
  'GET uploadId': multipart.listParts,
  'POST uploadId': multipart.completeUpload,
  'DELETE uploadId': multipart.abortUpload,
}
const words = ['location', 'versioning', 'acl', 'policy', 'uploads', 'delete', 'uploadId']

function operationOf(call: S3Call): Operation {
  const { method, bucket, key, query, headers } = call
  if (bucket === null) {
    if (method === 'GET') return buckets.listBuckets
    throw new S3Error('MethodNotAllowed', 'The specified method is not allowed against this resource.')
  }
  const missing = query.find(([name]) => absent.has(name))
  if (missing) throw notImplemented(missing[0])
  const word = words.find((it) => parameter(call, it) !== undefined)
  const isCopy = method === 'PUT' && key !== null && headers['x-amz-copy-source'] !== undefined
  if (isCopy) return word === 'uploadId' ? multipart.copyPart : objects.copyObject
  const table = key === null ? ofBucket : ofObject
  const found = table[word === undefined ? method : `${method} ${word}`]
  if (found) return found
  if (word !== undefined || method === 'POST') throw notImplemented(`${method} ${word ?? 'forms'}`)
  throw new S3Error('MethodNotAllowed', 'The specified method is not allowed against this resource.')
}

/** Names come once; of those that may come several times the first counts. */
const plainHeaders = ({ headers }: IncomingMessage): S3Call['headers'] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]))

export interface S3Server {
  server: http.Server | https.Server
  /** Ends connections that do nothing, and waits a while for the others. */
  close(): Promise<void>
}

const CLOSE_WITHIN_MS = 5_000

/** Answers the calls of S3. `isAvailable`: whether there is object storage now. */
export function createS3Server(
  store: S3Store,
  options: { tls: { cert: string; key: string } | null; isAvailable: () => boolean; log: Log },
): S3Server {
  const { isAvailable, log } = options

  async function answerCall(request: IncomingMessage, response: ServerResponse, isWaiting: boolean): Promise<void> {
    const id = randomUUID().replaceAll('-', '').slice(0, 16).toUpperCase()
    response.setHeader('x-amz-request-id', id)
    response.setHeader('server', 'Mainstay')
    const url = request.url ?? '/'
    try {
      if (!isAvailable()) throw new S3Error('ServiceUnavailable', 'Object storage is switched off')
      const { path, ...address } = readAddress(url)
      const headers = plainHeaders(request)
      const method = request.method ?? 'GET'
      let userId: string | null = null
      const signed = await verifyRequest({ method, path, query: address.query, headers }, async (accessKey) => {
        const found = await store.accounts.signatory(accessKey)
        userId = found?.userId ?? null
        return found?.secret ?? null
      })
      const call: S3Call = { id, method, ...address, headers, request, isWaiting, response, signed, userId }
      const operation = operationOf(call)
      await operation(call, store)
    } catch (error) {
      refuse(error, { id, url, request, response })
    }
  }

  function refuse(
    error: unknown,
    { id, url, request, response }: { id: string; url: string; request: IncomingMessage; response: ServerResponse },
  ): void {
    if (response.headersSent || response.destroyed) {
      // what was said cannot be taken back: the client sees that it is cut off
      if (!response.destroyed && !isGone(error))
        log.warn({ err: error, request: id }, 'an answer of object storage was cut off')
      response.destroy()
      return
    }
    const isAway = (error as { code?: string }).code === 'database_unavailable'
    const known =
      error instanceof S3Error
        ? error
        : isAway
          ? new S3Error('SlowDown', 'Object storage cannot be reached now. Try again')
          : new S3Error('InternalError', 'We encountered an internal error. Please try again.')
    if (!(error instanceof S3Error)) log.error({ err: error, request: id }, 'a call of object storage failed')
    const isBare = request.method === 'HEAD' || known.status === 304
    const body = isBare ? '' : writeError(known, id, url.split('?')[0]!)
    // what is left of a body is not read: the connection ends
    const ends: Record<string, string> = request.complete || request.readableEnded ? {} : { connection: 'close' }
    response.writeHead(known.status, {
      ...known.headers,
      ...ends,
      ...(isBare ? {} : { 'content-type': 'application/xml', 'content-length': Buffer.byteLength(body) }),
    })
    response.end(body)
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
  server.setTimeout(IDLE_MS)
  server.maxConnections = MOST_CONNECTIONS

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

const isGone = (error: unknown): boolean =>
  ['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '')
