import { createHmac } from 'node:crypto'
import { S3Error } from '../errors'
import { checkSkew, timeOf, type SignedRequest } from './canonical'

/*
 * AWS Signature Version 2 for older clients: HMAC-SHA1 over the method, some headers, the path as sent and the
 * subresource. Everything else, such as the body or the prefix of a list request, can be modified in transit.
 */

/** Subresources, and parameters that override response headers. Other query parameters are not signed. */
const subResources = new Set([
  ...['accelerate', 'acl', 'analytics', 'cors', 'defaultObjectAcl', 'delete', 'inventory', 'lifecycle', 'location'],
  ...['logging', 'metrics', 'notification', 'object-lock', 'partNumber', 'policy', 'replication', 'requestPayment'],
  ...['response-cache-control', 'response-content-disposition', 'response-content-encoding'],
  ...['response-content-language', 'response-content-type', 'response-expires', 'restore', 'select', 'select-type'],
  ...['storageClass', 'tagging', 'torrent', 'uploadId', 'uploads', 'versionId', 'versioning', 'versions', 'website'],
])
/** Whether a version 2 signature covers a query parameter. */
export const isSignedByV2 = (name: string): boolean => subResources.has(name)

/** Returns the string to sign. `date`: the Date header, or the expiry time in seconds for a presigned URL. */
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

/** Returns the Base64 signature of a latin1 string, because header values are sent and signed as latin1 bytes. */
export const signatureV2 = (secret: string, text: string): string =>
  createHmac('sha1', secret).update(Buffer.from(text, 'latin1')).digest('base64')

/** A version 2 signature and the date in its string to sign. */
export interface ClaimV2 {
  accessKey: string
  signature: string
  date: string
}

/** Parses `Tue, 27 Mar 2007 19:36:42 +0000` or the version 4 time format; null if it is invalid. */
function momentOf(text: string): number | null {
  if (!/^[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d ([A-Z]{3}|[+-]\d{4})$/.test(text))
    return timeOf(text)
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : at
}

/** Parses `AWS KEY:SIGNATURE`. Throws if it is malformed or the request time is too far from the current time. */
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

/**
 * Parses `AWSAccessKeyId`, `Signature` and `Expires`. Throws `AccessDenied` if one is missing or the signature has
 * expired.
 */
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
