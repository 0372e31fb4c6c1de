import type { Sql } from '../../ports/engines'
import type { Accounts } from '../accounts'
import type { Grantees } from '../grantees'
import type { Blobs } from '../store/blobs'
import type { Buckets } from '../store/buckets'
import type { EncryptionKeys } from '../store/encryption-keys'
import type { Files } from '../store/files'
import type { Multipart } from '../store/multipart'
import type { Objects } from '../store/objects'
import type { S3Call } from './call'

/** Dependencies of the operations. */
export interface S3Store {
  sql: Sql
  accounts: Accounts
  grantees: Grantees
  blobs: Blobs
  files: Files
  buckets: Buckets
  keys: EncryptionKeys
  objects: Objects
  multipart: Multipart
  /** Whether version 2 signatures are accepted. */
  signatureV2: boolean
}

/** Handles a request and writes its response. Throws an `S3Error` before the response has started. */
export type Operation = (call: S3Call, store: S3Store) => Promise<void>

/** Sends a response with an XML document or without a body. */
export async function answer(
  call: S3Call,
  status: number,
  headers: Record<string, string | number>,
  body = '',
): Promise<void> {
  await call.told?.(status, body)
  const type = body === '' ? {} : { 'content-type': 'application/xml' }
  call.begin(status, { ...type, 'content-length': Buffer.byteLength(body), ...headers })
  call.response.end(body)
}
