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

/** With what calls are answered. */
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
  /** Whether signatures of version 2 are accepted. */
  signatureV2: boolean
}

/** Answers a call on its response. Throws `S3Error` before anything was said. */
export type Operation = (call: S3Call, store: S3Store) => Promise<void>

/** Sends a document, or nothing but a status and headers. */
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
