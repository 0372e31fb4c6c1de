import type { Log } from '../../ports/records'
import { S3Error, insufficientStorage } from '../errors'
import type { S3Call } from './call'
import { writeError } from './xml'

const isGone = (error: unknown): boolean =>
  ['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'ECONNRESET', 'EPIPE'].includes(
    (error as NodeJS.ErrnoException).code ?? '',
  )

function known(error: unknown): S3Error {
  if (error instanceof S3Error) return error
  const { code = '' } = error as { code?: string }
  if (code === 'database_unavailable') return new S3Error('SlowDown', 'Object storage is not available. Try again')
  // 53100: PostgreSQL error code for a full disk
  return ['disk_full', '53100'].includes(code)
    ? insufficientStorage()
    : new S3Error('InternalError', 'We encountered an internal error. Please try again.')
}

/**
 * Sends an error response, or closes the connection if a response has already started. `path`: the path as received.
 */
export async function refuse(
  error: unknown,
  call: Pick<S3Call, 'id' | 'method' | 'response' | 'begin' | 'told'> & { path: string; isRead: boolean },
  log: Log,
): Promise<void> {
  const { id, method, path, isRead, response } = call
  if (response.headersSent) {
    // part of the response has been sent, so the error can only be signalled by closing the connection
    if (!response.destroyed && !isGone(error))
      log.warn({ err: error, request: id }, 'an object storage response was cut off')
    response.destroy()
    return
  }
  const refusal = known(error)
  const document = writeError(refusal, id, path)
  await call.told?.(refusal.status, document)
  if (response.destroyed) return
  if (!(error instanceof S3Error)) log.error({ err: error, request: id }, 'an object storage request failed')
  const isBare = method === 'HEAD' || refusal.status === 304
  call.begin(refusal.status, {
    ...refusal.headers,
    // the rest of the body is not read, so the connection cannot be reused
    ...(!isRead && { connection: 'close' }),
    ...(!isBare && { 'content-type': 'application/xml', 'content-length': Buffer.byteLength(document) }),
  })
  response.end(isBare ? '' : document)
}
