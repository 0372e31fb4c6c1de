import {
  MOST_PRESIGNED_SECONDS,
  S3_INLINE_PARAMETER,
  S3_PROJECT_PARAMETER,
} from '@mainstay/contract/object-storage/s3-proxy'
import { S3Refusal } from './s3-refusal'

/** What is asked of S3, as it is signed and sent: encoded once, in one way. */
export interface S3Address {
  /** `/bucket/key`, percent-encoded. */
  path: string
  /** Pairs, percent-encoded, in the order of a signature. */
  query: string
  /** The key's last name, decoded; null where no object is asked for. */
  fileName: string | null
  /** Parameters of a presigned link that stand for headers of these names. */
  headers: Record<string, string>
  isPresigned: boolean
  /** Something safe may be shown in the browser. */
  isInline: boolean
}

/** Percent-encodes all but letters, digits and `-._~`, as signatures want it. */
export const encodeForS3 = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (it) => `%${it.charCodeAt(0).toString(16).toUpperCase()}`)

function decode(text: string): string {
  try {
    const plain = decodeURIComponent(text)
    if (!plain.includes('\0')) return plain
  } catch {
    // not UTF-8, or no percent-encoding
  }
  throw new S3Refusal(400, 'InvalidURI', 'The address cannot be read')
}

const signatureParameters = new Set([
  'x-amz-algorithm',
  'x-amz-credential',
  'x-amz-date',
  'x-amz-expires',
  'x-amz-signedheaders',
  'x-amz-signature',
  'x-amz-security-token',
])
const ownParameters = new Set<string>([S3_PROJECT_PARAMETER, S3_INLINE_PARAMETER])

const CLOCK_SKEW_MS = 15 * 60_000

/** A header's value travels as the bytes of UTF-8. */
function headerValue(name: string, value: string): string {
  // oxlint-disable-next-line no-control-regex -- those are meant
  if (!/^[a-z0-9-]{1,128}$/.test(name) || /[\u0000-\u001f\u007f]/.test(value))
    throw new S3Refusal(400, 'InvalidArgument', 'A parameter of the link is no header')
  return Buffer.from(value, 'utf8').toString('latin1')
}

/** `20260131T080000Z` in milliseconds; null where it is none. */
function timeOf(text: string): number | null {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text)
  if (!parts) return null
  const [, year, month, day, hour, minute, second] = parts
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(at) ? null : at
}

/** Refuses a link that is valid for too long, not yet, or not any more. Its signature proves nothing, its time holds. */
function checkTime(pairs: readonly (readonly [string, string])[], now: number): void {
  const value = (name: string) => pairs.find(([it]) => it.toLowerCase() === name)?.[1] ?? ''
  const wrong = (message: string) => new S3Refusal(400, 'AuthorizationQueryParametersError', message)
  const seconds = /^\d{1,9}$/.test(value('x-amz-expires')) ? Number(value('x-amz-expires')) : 0
  const begins = timeOf(value('x-amz-date'))
  if (begins === null) throw wrong('X-Amz-Date must be a time as 20260131T080000Z')
  if (seconds < 1 || seconds > MOST_PRESIGNED_SECONDS)
    throw wrong(`X-Amz-Expires must be from 1 to ${MOST_PRESIGNED_SECONDS} seconds`)
  if (begins > now + CLOCK_SKEW_MS) throw new S3Refusal(403, 'AccessDenied', 'Request is not yet valid')
  if (now > begins + seconds * 1000) throw new S3Refusal(403, 'AccessDenied', 'Request has expired')
}

/**
 * Reads an address below the proxy. `url`: path and query as they came, without the proxy's own path. Throws `S3Refusal` for what
 * cannot be read, and for a presigned link that is not valid now.
 */
export function readS3Address(url: string, now = Date.now()): S3Address {
  const at = url.indexOf('?')
  const rawPath = at < 0 ? url : url.slice(0, at)
  const plainPath = decode(rawPath === '' ? '/' : rawPath)
  const pairs = (at < 0 ? '' : url.slice(at + 1))
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', ...value] = pair.split('=')
      return [decode(name), decode(value.join('='))] as const
    })
  const isPresigned = pairs.some(([name]) => name.toLowerCase() === 'x-amz-signature')
  if (isPresigned) checkTime(pairs, now)

  const headers: Record<string, string> = {}
  const kept: string[] = []
  for (const [name, value] of pairs) {
    const lower = name.toLowerCase()
    if (ownParameters.has(name) || signatureParameters.has(lower)) continue
    // clients put headers of such names into the links that they sign
    if (isPresigned && lower.startsWith('x-amz-')) headers[lower] = headerValue(lower, value)
    else kept.push(`${encodeForS3(name)}=${encodeForS3(value)}`)
  }
  const [, , ...key] = plainPath.split('/')
  const isObject = key.join('/') !== ''
  return {
    path: plainPath.split('/').map(encodeForS3).join('/'),
    query: kept.sort(byBytes).join('&'),
    fileName: isObject ? (key.findLast((name) => name !== '') ?? 'object') : null,
    headers,
    isPresigned,
    isInline: pairs.some(([name, value]) => name === S3_INLINE_PARAMETER && value === '1'),
  }
}

/** By name, then by value: `=` sorts before all that an encoded name may have but `-` and `.` and `%`. */
function byBytes(one: string, other: string): number {
  const [a, b] = [one, other].map((pair) => pair.replace('=', '\0')) as [string, string]
  return a < b ? -1 : a > b ? 1 : 0
}
