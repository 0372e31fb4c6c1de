import {
  MOST_PRESIGNED_SECONDS,
  S3_INLINE_PARAMETER,
  S3_KEY_PARAMETER,
  S3_PROJECT_PARAMETER,
} from '@mainstay/contract/object-storage/s3-proxy'
import { asHeader } from '@mainstay/engines/s3/signature/as-header'
import { CLOCK_SKEW_MS, encodeStrictly, timeOf } from '@mainstay/engines/s3/signature/canonical'
import { readTarget, type Target } from '@mainstay/engines/s3/signature/target'
import { S3Refusal } from './s3-refusal'

/** The target of an S3 request as it is signed and sent. It is percent-encoded exactly once. */
export interface S3Address {
  /** Path in the form `/bucket/key`, percent-encoded. */
  path: string
  /** Decoded names and values. */
  query: readonly (readonly [string, string])[]
  /** The decoded last segment of the key; null if the request does not name an object. */
  fileName: string | null
  /** Headers passed as parameters of a presigned link. */
  headers: Record<string, string>
  isPresigned: boolean
  /** Whether the browser may display content if it is safe. */
  isInline: boolean
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
const ownParameters = new Set<string>([S3_PROJECT_PARAMETER, S3_INLINE_PARAMETER, S3_KEY_PARAMETER])

/** Refuses a link whose validity period is too long, has not begun or has ended. Does not check the signature. */
function checkTime(pairs: readonly (readonly [string, string])[], now: number): void {
  const value = (name: string) => pairs.find(([it]) => it.toLowerCase() === name)?.[1] ?? ''
  const wrong = (message: string) => new S3Refusal(400, 'AuthorizationQueryParametersError', message)
  const seconds = /^\d{1,9}$/.test(value('x-amz-expires')) ? Number(value('x-amz-expires')) : 0
  const begins = timeOf(value('x-amz-date'))
  if (begins === null) throw wrong('X-Amz-Date must be a time such as 20260131T080000Z')
  if (seconds < 1 || seconds > MOST_PRESIGNED_SECONDS)
    throw wrong(`X-Amz-Expires must be from 1 to ${MOST_PRESIGNED_SECONDS} seconds`)
  if (begins > now + CLOCK_SKEW_MS) throw new S3Refusal(403, 'AccessDenied', 'Request is not yet valid')
  if (now > begins + seconds * 1000) throw new S3Refusal(403, 'AccessDenied', 'Request has expired')
}

/** The path of an object whose key is given as a parameter. */
function withKey(target: Pick<Target, 'names' | 'path'>, key: string | undefined): Pick<Target, 'names' | 'path'> {
  if (key === undefined) return target
  const [, bucket = '', ...rest] = target.names
  if (key === '' || bucket === '' || rest.join('/') !== '')
    throw new S3Refusal(
      400,
      'InvalidArgument',
      `Specify the key either in the path or in ${S3_KEY_PARAMETER}, not in both`,
    )
  const names = ['', bucket, ...key.split('/')]
  return { names, path: names.map(encodeStrictly).join('/') }
}

/**
 * Parses an address below the proxy. `url` is the path and query as received, without the proxy's own path. Throws
 * `S3Error` if the address is malformed, and `S3Refusal` for a presigned link that is not currently valid.
 */
export function readS3Address(url: string, now = Date.now()): S3Address {
  const target = readTarget(url === '' || url.startsWith('?') ? `/${url}` : url)
  const { query: pairs } = target
  const { names, path } = withKey(target, pairs.find(([name]) => name === S3_KEY_PARAMETER)?.[1])
  const isPresigned = pairs.some(([name]) => name.toLowerCase() === 'x-amz-signature')
  if (isPresigned) checkTime(pairs, now)

  const headers: [string, string][] = []
  const query: (readonly [string, string])[] = []
  for (const [name, value] of pairs) {
    const lower = name.toLowerCase()
    if (ownParameters.has(name) || signatureParameters.has(lower)) continue
    // clients sign these headers as query parameters
    if (isPresigned && lower.startsWith('x-amz-')) headers.push(asHeader(lower, value))
    else query.push([name, value])
  }
  const [, , ...key] = names.flatMap((name) => name.split('/'))
  const isObject = key.join('/') !== ''
  return {
    ...{ path, query },
    fileName: isObject ? (key.findLast((name) => name !== '') ?? 'object') : null,
    headers: Object.fromEntries(headers),
    isPresigned,
    isInline: pairs.some(([name, value]) => name === S3_INLINE_PARAMETER && value === '1'),
  }
}
