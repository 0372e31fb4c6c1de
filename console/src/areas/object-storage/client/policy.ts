import { S3_VALIDATE_HEADER } from '@mainstay/contract/object-storage/s3-proxy'
import { changeDocument, readDocument, type HeldDocument } from './held'
import { sendS3 } from './send'

/** Maximum size of a policy in bytes (S3). */
export const MOST_POLICY_BYTES = 20 * 1024

const query = { policy: '' }

/** Reads a bucket's policy as JSON; `text` is null if there is none. */
export const holdPolicy = (bucket: string, signal?: AbortSignal) =>
  readDocument({ bucket }, 'policy', 'NoSuchBucketPolicy', signal)

const headers = { 'content-type': 'application/json' }

/** Validates a policy on the server without saving it. Rejects with `MalformedPolicy` if it is invalid. */
export const validatePolicy = (bucket: string, body: string) =>
  sendS3({ verb: 'PUT', bucket, query, body, headers: { ...headers, [S3_VALIDATE_HEADER]: 'true' } })

/** Replaces the policy only if it still matches `held`; otherwise rejects with `Changed`. */
export const putPolicy = (bucket: string, body: string, held: HeldDocument) =>
  changeDocument(
    held,
    () => holdPolicy(bucket),
    (condition) => sendS3({ verb: 'PUT', bucket, query, body, headers: { ...headers, ...condition } }),
  )

/** Deletes the policy under the same condition as `putPolicy`. */
export const deletePolicy = (bucket: string, held: HeldDocument) =>
  changeDocument(
    held,
    () => holdPolicy(bucket),
    (condition) => sendS3({ verb: 'DELETE', bucket, query, headers: condition }),
  )
