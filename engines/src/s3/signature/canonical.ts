import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { S3Error } from '../errors'

/* AWS Signature Version 4: the canonical form of a request and its signature. */

export const ALGORITHM = 'AWS4-HMAC-SHA256'
/** Replaces the body hash if the body is not signed. */
export const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD'

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** Returns the SHA-256 of a latin1 string, because header values are sent and signed as latin1 bytes. */
export const sha256Hex = (text: string): string =>
  createHash('sha256').update(Buffer.from(text, 'latin1')).digest('hex')

/** Percent-encodes all characters except letters, digits and `-._~`. */
export const encodeStrictly = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (it) => `%${it.charCodeAt(0).toString(16).toUpperCase()}`)

/** Day and region for which a signing key is valid. */
export interface CredentialScope {
  day: string
  region: string
}
export const scopeText = ({ day, region }: CredentialScope): string => `${day}/${region}/s3/aws4_request`

const keys = new Map<string, Buffer>()
const MOST_KEYS = 1000

/** Returns the signing key for a day and region, derived in four rounds of HMAC and cached. */
export function signingKey(secret: string, { day, region }: CredentialScope): Buffer {
  const name = createHash('sha256').update(`${secret}\0${day}\0${region}`).digest('base64')
  const known = keys.get(name)
  if (known) return known
  const key = [region, 's3', 'aws4_request'].reduce(hmac, hmac(`AWS4${secret}`, day))
  if (keys.size >= MOST_KEYS) keys.clear()
  keys.set(name, key)
  return key
}

/** Returns the signature of the string to sign, in hex. */
export const signatureOf = (key: Buffer, text: string): string => hmac(key, text).toString('hex')

export const sameText = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** A received request. */
export interface SignedRequest {
  method: string
  /** Path with each segment decoded and re-encoded once. */
  path: string
  /** Path as sent. */
  rawPath: string
  query: readonly (readonly [string, string])[]
  /** Lower-case names; values in latin1, as decoded by Node. */
  headers: Readonly<Record<string, string | undefined>>
}

export interface SignedParts {
  method: string
  /** Path with each segment decoded and re-encoded once. */
  path: string
  /** Decoded name-value pairs. */
  query: readonly (readonly [string, string])[]
  /** Sorted lower-case names. */
  signedHeaders: readonly string[]
  headers: Readonly<Record<string, string | undefined>>
  payload: string
}

const byBytes = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)

/** Returns the canonical query string: encoded pairs, sorted by name and value. */
export const canonicalQuery = (pairs: SignedParts['query']): string =>
  pairs
    .map(([name, value]) => [encodeStrictly(name), encodeStrictly(value)] as const)
    .sort((one, other) => byBytes(one[0], other[0]) || byBytes(one[1], other[1]))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')

export function canonicalRequest({ method, path, query, signedHeaders, headers, payload }: SignedParts): string {
  const lines = signedHeaders.map((name) => `${name}:${(headers[name] ?? '').trim().replaceAll(/ +/g, ' ')}\n`)
  return [method, path, canonicalQuery(query), lines.join(''), signedHeaders.join(';'), payload].join('\n')
}

export const stringToSign = (time: string, scope: CredentialScope, request: string): string =>
  [ALGORITHM, time, scopeText(scope), sha256Hex(request)].join('\n')

/** Parses a time such as `20260131T080000Z` to milliseconds; null if it is invalid. */
export function timeOf(text: string | undefined): number | null {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text ?? '')
  if (!parts) return null
  const [, year, month, day, hour, minute, second] = parts
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(at) ? null : at
}

export const CLOCK_SKEW_MS = 15 * 60_000

/** Throws `RequestTimeTooSkewed` if a time differs from now by more than the permitted clock skew. */
export function checkSkew(at: number): void {
  if (Math.abs(at - Date.now()) > CLOCK_SKEW_MS)
    throw new S3Error(
      'RequestTimeTooSkewed',
      'The difference between the request time and the current time is too large.',
    )
}
