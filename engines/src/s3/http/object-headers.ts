import { S3Error, notImplemented } from '../errors'
import { checksumNames } from '../store/digests'
import type { ObjectHead, StoredObject } from '../store/types'
import { parameter, type S3Call } from './call'

/* What is kept of the headers of an object, and what is said of it. */

const kept = ['cache-control', 'content-disposition', 'content-encoding', 'content-language', 'content-type', 'expires']
const MOST_METADATA_BYTES = 2048

/** Headers that ask for something that is not there: it is said, and not left undone. */
const absent: readonly (readonly [RegExp, string])[] = [
  [/^x-amz-server-side-encryption/, 'encryption by header'],
  [/^x-amz-copy-source-server-side-encryption/, 'encryption by header'],
  [/^x-amz-tagging(-directive)?$/, 'tags of objects'],
  [/^x-amz-object-lock-/, 'object lock'],
  [/^x-amz-website-redirect-location$/, 'websites'],
  [/^x-amz-grant-/, 'access lists; a bucket policy says who may do what'],
]

/** Throws `NotImplemented` for what the headers of a write ask for and this storage does not do. */
export function refuseHeaders(headers: S3Call['headers']): void {
  for (const name of Object.keys(headers)) {
    const found = absent.find(([pattern]) => pattern.test(name))
    if (found) throw notImplemented(found[1])
  }
  const [acl, storage] = [headers['x-amz-acl'], headers['x-amz-storage-class']]
  if (acl !== undefined && acl !== 'private' && acl !== 'bucket-owner-full-control')
    throw notImplemented('access lists; a bucket policy says who may do what')
  if (storage !== undefined && storage !== 'STANDARD') throw notImplemented(`storage class ${storage}`)
}

/** Values of headers come as latin1, and mean UTF-8. */
const asText = (value: string) => Buffer.from(value, 'latin1').toString('utf8')
const asHeader = (value: string) => Buffer.from(value, 'utf8').toString('latin1')

/** What of a request's headers is kept with the object. */
export function headOf(headers: S3Call['headers']): ObjectHead {
  const own: Record<string, string> = {}
  for (const name of kept) {
    const value = headers[name]
    if (value === undefined) continue
    // how the body came, and not what the object is
    const plain =
      name === 'content-encoding' ? value.replace(/(^|,)\s*aws-chunked\s*(?=,|$)/, '').replace(/^,\s*/, '') : value
    if (plain !== '') own[name] = asText(plain)
  }
  const metadata: Record<string, string> = {}
  let size = 0
  for (const [name, value] of Object.entries(headers)) {
    if (!name.startsWith('x-amz-meta-') || value === undefined) continue
    const word = name.slice('x-amz-meta-'.length)
    metadata[word] = asText(value)
    size += word.length + value.length
  }
  if (size > MOST_METADATA_BYTES)
    throw new S3Error('InvalidArgument', 'Your metadata headers exceed the maximum allowed metadata size')
  return { headers: own, metadata }
}

/** The checksum of an object, as its headers say it. */
export const checksumHeaders = (checksum: ObjectHead['checksum']): Record<string, string> =>
  checksum ? { [`x-amz-checksum-${checksum.name}`]: checksum.value, 'x-amz-checksum-type': checksum.type } : {}

const overridable = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
]

/** What is said of an object before its bytes. */
export function headersOf(call: S3Call, { etag, mtime, head }: StoredObject): Record<string, string> {
  const answered: Record<string, string> = {
    'accept-ranges': 'bytes',
    'content-type': 'binary/octet-stream',
    etag: `"${etag}"`,
    'last-modified': mtime.toUTCString(),
  }
  for (const [name, value] of Object.entries(head.headers)) answered[name] = asHeader(value)
  for (const [name, value] of Object.entries(head.metadata)) answered[`x-amz-meta-${name}`] = asHeader(value)
  for (const name of overridable) {
    const value = parameter(call, `response-${name}`)
    if (value === undefined) continue
    if (call.userId === null)
      throw new S3Error(
        'InvalidRequest',
        'Request specific response headers cannot be used for anonymous GET requests.',
      )
    // oxlint-disable-next-line no-control-regex -- those are meant
    if (/[\u0000-\u001f\u007f]/.test(value)) throw new S3Error('InvalidArgument', `response-${name} is no header`)
    answered[name] = asHeader(value)
  }
  if (call.headers['x-amz-checksum-mode']?.toUpperCase() === 'ENABLED' && call.headers['range'] === undefined)
    Object.assign(answered, checksumHeaders(head.checksum))
  return answered
}

const quoteless = (text: string) => text.trim().replace(/^"(.*)"$/, '$1')
const etagsIn = (text: string) => text.split(',').map(quoteless)
const timeIn = (text: string | undefined) => (text === undefined ? Number.NaN : Date.parse(text))
const wholeSeconds = (at: Date) => Math.floor(at.getTime() / 1000) * 1000

/** Throws where an object is not as a reader wants it. `prefix`: of the headers that say it, of a copy's source. */
export function checkReadConditions(
  headers: S3Call['headers'],
  { etag, mtime }: Pick<StoredObject, 'etag' | 'mtime'>,
  prefix = '',
): void {
  const [match, none] = [headers[`${prefix}if-match`], headers[`${prefix}if-none-match`]]
  const failed = () =>
    new S3Error('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold')
  const same = (text: string) => etagsIn(text).some((it) => it === '*' || it === etag)
  if (match !== undefined && !same(match)) throw failed()
  const unmodified = timeIn(headers[`${prefix}if-unmodified-since`])
  if (match === undefined && wholeSeconds(mtime) > unmodified) throw failed()
  const notModified = () =>
    prefix === ''
      ? new S3Error('NotModified', 'Not Modified', { etag: `"${etag}"`, 'last-modified': mtime.toUTCString() })
      : failed()
  if (none !== undefined && same(none)) throw notModified()
  if (none === undefined && wholeSeconds(mtime) <= timeIn(headers[`${prefix}if-modified-since`])) throw notModified()
}

/** What a writer wants to be there, or not to be. */
export function writeConditionOf(headers: S3Call['headers']): { ifMatch?: string; ifNoneMatch?: boolean } {
  const [match, none] = [headers['if-match'], headers['if-none-match']]
  if (none !== undefined && none.trim() !== '*') throw notImplemented('writes on condition of another ETag')
  return {
    ...(match !== undefined && { ifMatch: quoteless(match) }),
    ...(none !== undefined && { ifNoneMatch: true }),
  }
}

/** The algorithm that is asked for by name; null: none. */
export function askedChecksum(headers: S3Call['headers']) {
  const asked = (headers['x-amz-sdk-checksum-algorithm'] ?? headers['x-amz-checksum-algorithm'])?.toLowerCase()
  if (asked === undefined) return null
  const found = checksumNames.find((name) => name === asked)
  if (!found)
    throw new S3Error(
      'InvalidRequest',
      'Checksum algorithm provided is unsupported. Please try again with any of the valid types: [CRC32, CRC32C, CRC64NVME, SHA1, SHA256]',
    )
  return found
}
