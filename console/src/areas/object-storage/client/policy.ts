import { S3_VALIDATE_HEADER } from '@mainstay/contract/object-storage/s3-proxy'
import { changeDocument, readDocument, type HeldDocument } from './held'
import { sendS3 } from './send'

/** The most of a policy, bytes (S3). */
export const MOST_POLICY_BYTES = 20 * 1024

const query = { policy: '' }

/** The policy of a bucket as JSON; null where it has none. */
export const holdPolicy = (bucket: string, signal?: AbortSignal) =>
  readDocument({ bucket }, 'policy', 'NoSuchBucketPolicy', signal)

const headers = { 'content-type': 'application/json' }

/** Asks whether the server would take it; nothing is changed. Rejects with `MalformedPolicy`. */
export const validatePolicy = (bucket: string, body: string) =>
  sendS3({ verb: 'PUT', bucket, query, body, headers: { ...headers, [S3_VALIDATE_HEADER]: 'true' } })

/** `held`: it is replaced only while it is still this. Rejects with `Changed` where it is not. */
export const putPolicy = (bucket: string, body: string, held: HeldDocument) =>
  changeDocument(
    held,
    () => holdPolicy(bucket),
    (condition) => sendS3({ verb: 'PUT', bucket, query, body, headers: { ...headers, ...condition } }),
  )

/** As `putPolicy`. */
export const deletePolicy = (bucket: string, held: HeldDocument) =>
  changeDocument(
    held,
    () => holdPolicy(bucket),
    (condition) => sendS3({ verb: 'DELETE', bucket, query, headers: condition }),
  )
