import { S3_DUMMY_CREDENTIALS } from '@mainstay/contract/object-storage/s3-proxy'
import { S3_REGION } from '@mainstay/contract/object-storage/s3-service'

/*
 * S3 requires signed requests, but no key ever reaches the browser. The proxy authenticates by session and replaces
 * this signature with a real one, so it does not have to be valid.
 */
const signature = '0'.repeat(64)

/** Formats a time for a signature: `20261126T143000Z`. */
const stamp = (at: Date) => at.toISOString().replaceAll(/[-:]|\.\d{3}/g, '')
const credential = (time: string) =>
  [S3_DUMMY_CREDENTIALS.accessKeyId, time.slice(0, 8), S3_REGION, 's3', 'aws4_request'].join('/')

/** Signature headers for a request. */
export function dummyHeaders(now = new Date()): Record<string, string> {
  const time = stamp(now)
  return {
    authorization: `AWS4-HMAC-SHA256 Credential=${credential(time)}, SignedHeaders=host, Signature=${signature}`,
    'x-amz-date': time,
    'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
  }
}

/** Signature query parameters for a link. `seconds`: how long the link is valid. */
export function dummyParameters(seconds: number, now = new Date()): Record<string, string> {
  const time = stamp(now)
  return {
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': credential(time),
    'X-Amz-Date': time,
    'X-Amz-Expires': String(seconds),
    'X-Amz-SignedHeaders': 'host',
    'X-Amz-Signature': signature,
  }
}
