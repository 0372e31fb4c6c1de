import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { S3Error } from '../errors'

/* AWS Signature Version 4: what is signed, in the one form that both sides agree on. */

export const ALGORITHM = 'AWS4-HMAC-SHA256'
/** In place of the hash of a body that nobody hashed. */
export const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD'

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** Values of headers travel as latin1, and are signed as these bytes. */
export const sha256Hex = (text: string): string =>
  createHash('sha256').update(Buffer.from(text, 'latin1')).digest('hex')

/** Percent-encodes all but letters, digits and `-._~`. */
export const encodeStrictly = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (it) => `%${it.charCodeAt(0).toString(16).toUpperCase()}`)

/** The day, region and service that a key is good for. */
export interface CredentialScope {
  day: string
  region: string
}
export const scopeText = ({ day, region }: CredentialScope): string => `${day}/${region}/s3/aws4_request`

const keys = new Map<string, Buffer>()
const MOST_KEYS = 1000

/** The key of a day: four rounds of HMAC, which are kept. */
export function signingKey(secret: string, { day, region }: CredentialScope): Buffer {
  const name = createHash('sha256').update(`${secret}\0${day}\0${region}`).digest('base64')
  const known = keys.get(name)
  if (known) return known
  const key = [region, 's3', 'aws4_request'].reduce(hmac, hmac(`AWS4${secret}`, day))
  if (keys.size >= MOST_KEYS) keys.clear()
  keys.set(name, key)
  return key
}

/** The signature of a text that begins with the algorithm, as hex. */
export const signatureOf = (key: Buffer, text: string): string => hmac(key, text).toString('hex')

export const sameText = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** A request as it came. */
export interface SignedRequest {
  method: string
  /** Each name in it decoded once and encoded once. */
  path: string
  /** As it was sent. */
  rawPath: string
  query: readonly (readonly [string, string])[]
  /** Lower-case names; values as Node reads them, latin1. */
  headers: Readonly<Record<string, string | undefined>>
}

export interface SignedParts {
  method: string
  /** As it came, decoded once and encoded once. */
  path: string
  /** Pairs of names and values, decoded. */
  query: readonly (readonly [string, string])[]
  /** Lower-case names, in their order. */
  signedHeaders: readonly string[]
  headers: Readonly<Record<string, string | undefined>>
  payload: string
}

const byBytes = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)

/** A query as it is signed and sent: pairs, encoded, by name and then by value. */
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

/** `20260131T080000Z` in milliseconds; null where it is none. */
export function timeOf(text: string | undefined): number | null {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text ?? '')
  if (!parts) return null
  const [, year, month, day, hour, minute, second] = parts
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(at) ? null : at
}

export const CLOCK_SKEW_MS = 15 * 60_000

/** Throws for a moment that is not now, as far as clocks differ. */
export function checkSkew(at: number): void {
  if (Math.abs(at - Date.now()) > CLOCK_SKEW_MS)
    throw new S3Error(
      'RequestTimeTooSkewed',
      'The difference between the request time and the current time is too large.',
    )
}
