import { createHmac } from 'node:crypto'
import { S3Error } from '../errors'
import { checkSkew, timeOf, type SignedRequest } from './canonical'

/*
 * AWS Signature Version 2, which older clients make: HMAC-SHA1 of the method, some headers, the path as it was sent and the
 * sub-resource. What it does not cover, such as the prefix of a list or the body, can be changed on the way.
 */

/** Parameters that say what of a bucket or an object is meant, or what is answered: they are signed, others are not. */
const subResources = new Set([
  ...['accelerate', 'acl', 'analytics', 'cors', 'defaultObjectAcl', 'delete', 'inventory', 'lifecycle', 'location'],
  ...['logging', 'metrics', 'notification', 'object-lock', 'partNumber', 'policy', 'replication', 'requestPayment'],
  ...['response-cache-control', 'response-content-disposition', 'response-content-encoding'],
  ...['response-content-language', 'response-content-type', 'response-expires', 'restore', 'select', 'select-type'],
  ...['storageClass', 'tagging', 'torrent', 'uploadId', 'uploads', 'versionId', 'versioning', 'versions', 'website'],
])
/** Whether a signature of version 2 covers a parameter of the query. */
export const isSignedByV2 = (name: string): boolean => subResources.has(name)

/** The text that is signed. `date`: what stands in the place of the date, which is a moment in seconds in a query. */
export function stringToSignV2(
  { method, rawPath, query, headers }: Pick<SignedRequest, 'method' | 'rawPath' | 'query' | 'headers'>,
  date: string,
): string {
  const own = Object.entries(headers)
    .filter(([name, value]) => name.startsWith('x-amz-') && value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}:${value!.trim().replaceAll(/\s*\n\s*/g, ' ')}\n`)
  const named = query
    .filter(([name]) => isSignedByV2(name))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => (value === '' ? name : `${name}=${Buffer.from(value, 'utf8').toString('latin1')}`))
  const resource = named.length === 0 ? rawPath : `${rawPath}?${named.join('&')}`
  const lines = [method, headers['content-md5'] ?? '', headers['content-type'] ?? '', date]
  return `${lines.join('\n')}\n${own.join('')}${resource}`
}

/** Base64, as `Authorization` and forms have it. Values of headers travel as latin1, and are signed as these bytes. */
export const signatureV2 = (secret: string, text: string): string =>
  createHmac('sha1', secret).update(Buffer.from(text, 'latin1')).digest('base64')

/** A signature of version 2, and what it says of the time of the request. */
export interface ClaimV2 {
  accessKey: string
  signature: string
  date: string
}

/** `Tue, 27 Mar 2007 19:36:42 +0000`, or as in version 4; null where it is no time. */
function momentOf(text: string): number | null {
  if (!/^[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d ([A-Z]{3}|[+-]\d{4})$/.test(text))
    return timeOf(text)
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : at
}

/** Reads `AWS KEY:SIGNATURE`. Throws for what cannot be read, and for a request of another time. */
export function headerClaimV2({ headers }: Pick<SignedRequest, 'headers'>, authorization: string): ClaimV2 {
  const [, accessKey, signature] = /^AWS ([^\s:]+):(\S+)$/.exec(authorization.trim()) ?? []
  if (accessKey === undefined || signature === undefined)
    throw new S3Error('InvalidArgument', 'AWS authorization header is invalid. Expected AwsAccessKeyId:signature')
  const amzDate = headers['x-amz-date']
  const at = momentOf(amzDate ?? headers['date'] ?? '')
  if (at === null) throw new S3Error('AccessDenied', 'AWS authentication requires a valid Date or x-amz-date header')
  checkSkew(at)
  return { accessKey, signature, date: amzDate === undefined ? headers['date']! : '' }
}

/** Reads `AWSAccessKeyId`, `Signature` and `Expires` of the query. Throws `AccessDenied` where one is missing, or time is over. */
export function queryClaimV2({ query }: Pick<SignedRequest, 'query'>): ClaimV2 {
  const [accessKey, signature, expires] = ['AWSAccessKeyId', 'Signature', 'Expires'].map(
    (name) => query.find(([it]) => it === name)?.[1],
  )
  if (!accessKey || !signature || !expires)
    throw new S3Error(
      'AccessDenied',
      'Query-string authentication requires the Signature, Expires and AWSAccessKeyId parameters',
    )
  if (!/^-?\d{1,12}$/.test(expires))
    throw new S3Error('AccessDenied', `Invalid date (should be seconds since epoch): ${expires}`)
  if (Number(expires) * 1000 < Date.now()) throw new S3Error('AccessDenied', 'Request has expired')
  return { accessKey, signature, date: expires }
}
