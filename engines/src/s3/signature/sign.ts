import type { S3Signer } from '../../ports/object-storage'
import {
  ALGORITHM,
  UNSIGNED_PAYLOAD,
  canonicalQuery,
  canonicalRequest,
  scopeText,
  signatureOf,
  signingKey,
  stringToSign,
} from './canonical'

/* Signs outgoing requests with AWS Signature Version 4, either in a header or in the query of a presigned URL. */

export interface UnsignedRequest {
  method: string
  /** Path with each segment encoded once. */
  path: string
  /** Decoded name-value pairs. */
  query: readonly (readonly [string, string])[]
  /** Headers with lower-case names, including `host`. All of them are signed. */
  headers: Readonly<Record<string, string>>
  /** SHA-256 of the body in hex, or a constant such as `UNSIGNED-PAYLOAD`. */
  payload: string
}

/** Formats a time as `20260131T080000Z`. */
const timeText = (at: Date): string => `${at.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`

/** Returns the request headers including the signature. */
export function signRequest(
  request: UnsignedRequest,
  { accessKey, secretKey }: S3Signer,
  region: string,
  now = new Date(),
): Record<string, string> {
  const { method, path, query, payload } = request
  const time = timeText(now)
  const scope = { day: time.slice(0, 8), region }
  const headers = { ...request.headers, 'x-amz-content-sha256': payload, 'x-amz-date': time }
  const signedHeaders = Object.keys(headers).sort()
  const canonical = canonicalRequest({ method, path, query, signedHeaders, headers, payload })
  const signature = signatureOf(signingKey(secretKey, scope), stringToSign(time, scope, canonical))
  const fields = [
    `Credential=${accessKey}/${scopeText(scope)}`,
    `SignedHeaders=${signedHeaders.join(';')}`,
    `Signature=${signature}`,
  ]
  return { ...headers, authorization: `${ALGORITHM} ${fields.join(', ')}` }
}

/** Returns a link that lets anyone download an object for `seconds`, starting at `now`. `path` must be encoded. */
export function presignLink(
  { endpoint, path, region }: { endpoint: string; path: string; region: string },
  { accessKey, secretKey }: S3Signer,
  seconds: number,
  now: Date,
): string {
  const time = timeText(now)
  const scope = { day: time.slice(0, 8), region }
  const query = [
    ['X-Amz-Algorithm', ALGORITHM],
    ['X-Amz-Credential', `${accessKey}/${scopeText(scope)}`],
    ['X-Amz-Date', time],
    ['X-Amz-Expires', String(seconds)],
    ['X-Amz-SignedHeaders', 'host'],
  ] as const
  const headers = { host: new URL(endpoint).host }
  const canonical = canonicalRequest({
    ...{ method: 'GET', path, query, headers, signedHeaders: ['host'], payload: UNSIGNED_PAYLOAD },
  })
  const signature = signatureOf(signingKey(secretKey, scope), stringToSign(time, scope, canonical))
  return `${endpoint}${path}?${canonicalQuery(query)}&X-Amz-Signature=${signature}`
}
