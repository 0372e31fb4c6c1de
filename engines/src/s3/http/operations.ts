import type { Sql } from '../../ports/engines'
import type { Accounts } from '../accounts'
import type { Blobs } from '../store/blobs'
import type { Buckets } from '../store/buckets'
import type { Multipart } from '../store/multipart'
import type { Objects } from '../store/objects'
import type { S3Call } from './call'

/** With what calls are answered. */
export interface S3Store {
  sql: Sql
  accounts: Accounts
  blobs: Blobs
  buckets: Buckets
  objects: Objects
  multipart: Multipart
}

/** Answers a call on its response. Throws `S3Error` before anything was said. */
export type Operation = (call: S3Call, store: S3Store) => Promise<void>

/** Sends a document, or nothing but a status and headers. */
export function answer(
  { response }: S3Call,
  status: number,
  headers: Record<string, string | number>,
  body = '',
): void {
  const type = body === '' ? {} : { 'content-type': 'application/xml' }
  response.writeHead(status, { ...type, 'content-length': Buffer.byteLength(body), ...headers })
  response.end(body)
}
