import { S3_VALIDATE_HEADER } from '@mainstay/contract/object-storage/s3-proxy'
import { asProblem } from '../../../api/problem'
import { sendS3 } from './send'

/** The most of a policy, bytes (S3). */
export const MOST_POLICY_BYTES = 20 * 1024

const query = { policy: '' }

/** The policy of a bucket as JSON; null where it has none. */
export async function getPolicy(bucket: string, signal?: AbortSignal): Promise<string | null> {
  try {
    return await (await sendS3({ verb: 'GET', bucket, query, signal })).text()
  } catch (thrown) {
    if (asProblem(thrown).code === 'NoSuchBucketPolicy') return null
    throw thrown
  }
}

const headers = { 'content-type': 'application/json' }

/** Asks whether the server would take it; nothing is changed. Rejects with `MalformedPolicy`. */
export const validatePolicy = (bucket: string, body: string) =>
  sendS3({ verb: 'PUT', bucket, query, body, headers: { ...headers, [S3_VALIDATE_HEADER]: 'true' } })

export const putPolicy = (bucket: string, body: string) => sendS3({ verb: 'PUT', bucket, query, body, headers })

export const deletePolicy = (bucket: string) => sendS3({ verb: 'DELETE', bucket, query })
