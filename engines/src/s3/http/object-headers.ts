import { isUtf8 } from 'node:buffer'
import { httpTime } from '@mainstay/contract/core/times'
import { S3Error, notImplemented, preconditionFailed } from '../errors'
import { checksumNames } from '../store/digests'
import type { ObjectHead, Part, StoredObject } from '../store/types'
import { parameter, type S3Call } from './call'
import { encryptionHeaders } from './encryption-headers'
import type { WrittenElement } from './xml'
import { tagsOfHeader } from './tag-headers'

/* Headers that are stored with an object and returned with it. */

const kept = ['cache-control', 'content-disposition', 'content-encoding', 'content-language', 'content-type', 'expires']
const MOST_METADATA_BYTES = 2048

/** Headers of unsupported features. Requests with one of them are rejected, so that no feature is silently ignored. */
const absent: Readonly<Record<string, string>> = {
  'x-amz-website-redirect-location': 'websites',
  // ignoring it would replace the object instead of appending to it
  'x-amz-write-offset-bytes': 'appending to objects',
}

/** Throws `NotImplemented` or `InvalidStorageClass` if a write has unsupported headers. */
export function refuseHeaders(headers: S3Call['headers']): void {
  for (const [name, what] of Object.entries(absent)) if (headers[name] !== undefined) throw notImplemented(what)
  const storage = headers['x-amz-storage-class']
  if (storage !== undefined && storage !== 'STANDARD')
    throw new S3Error('InvalidStorageClass', 'The storage class you specified is not valid: use STANDARD')
}

/** Whether a header value, which Node decodes as latin1, is valid UTF-8. */
const isText = (value: string) => isUtf8(Buffer.from(value, 'latin1'))
const asText = (value: string) => Buffer.from(value, 'latin1').toString('utf8')
const asHeader = (value: string) => Buffer.from(value, 'utf8').toString('latin1')

/** Extracts the headers, metadata and tags that are stored with an object. */
export function headOf(headers: S3Call['headers']): ObjectHead {
  const own: Record<string, string> = {}
  const latin1: string[] = []
  const read = (name: string, value: string) => {
    if (isText(value)) return asText(value)
    latin1.push(name)
    return value
  }
  for (const name of kept) {
    const value = headers[name]
    if (value === undefined) continue
    // aws-chunked describes the transfer, not the object
    const plain =
      name === 'content-encoding' ? value.replace(/(^|,)\s*aws-chunked\s*(?=,|$)/, '').replace(/^,\s*/, '') : value
    if (plain !== '') own[name] = read(name, plain)
  }
  const metadata: Record<string, string> = {}
  let size = 0
  for (const [name, value] of Object.entries(headers)) {
    if (!name.startsWith('x-amz-meta-') || value === undefined) continue
    const word = name.slice('x-amz-meta-'.length)
    metadata[word] = read(name, value)
    size += word.length + value.length
  }
  if (size > MOST_METADATA_BYTES)
    throw new S3Error('MetadataTooLarge', 'Your metadata headers exceed the maximum allowed metadata size')
  const tags = tagsOfHeader(headers)
  return { headers: own, metadata, ...(latin1.length > 0 && { latin1 }), ...(tags.length > 0 && { tags }) }
}

/** Returns the response headers for an object's checksum. */
export const checksumHeaders = (checksum: ObjectHead['checksum']): Record<string, string> =>
  checksum ? { [`x-amz-checksum-${checksum.name}`]: checksum.value, 'x-amz-checksum-type': checksum.type } : {}

function partHeaders({ checksum }: Pick<Part, 'checksum'>, head: ObjectHead): Record<string, string> {
  const [name, value] = checksum?.split(':') ?? []
  return name === undefined || value === undefined
    ? {}
    : { [`x-amz-checksum-${name}`]: value, ...(head.checksum && { 'x-amz-checksum-type': head.checksum.type }) }
}

/** Returns the XML elements for an object's checksum. */
export const checksumElements = (checksum: ObjectHead['checksum']): WrittenElement =>
  checksum ? { [`Checksum${checksum.name.toUpperCase()}`]: checksum.value, ChecksumType: checksum.type } : {}

/** Returns the XML element for a part's checksum. */
export function partChecksum({ checksum }: Pick<Part, 'checksum'>): WrittenElement {
  const [name, value] = checksum?.split(':') ?? []
  return name === undefined ? {} : { [`Checksum${name.toUpperCase()}`]: value }
}

const overridable = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
]

/** Returns the response headers for an object. `part`: the part being read; undefined for the whole object. */
export function headersOf(
  call: S3Call,
  { etag, mtime, head }: StoredObject,
  part?: Pick<Part, 'checksum'>,
): Record<string, string> {
  const answered: Record<string, string> = {
    'accept-ranges': 'bytes',
    'content-type': 'binary/octet-stream',
    etag: `"${etag}"`,
    'last-modified': mtime.toUTCString(),
    ...encryptionHeaders(head.encryption, call.headers),
  }
  const metadata = Object.entries(head.metadata).map(([name, value]) => [`x-amz-meta-${name}`, value] as const)
  for (const [name, value] of [...Object.entries(head.headers), ...metadata])
    answered[name] = head.latin1?.includes(name) ? value : asHeader(value)
  for (const name of overridable) {
    const value = parameter(call, `response-${name}`)
    if (value === undefined) continue
    if (call.userId === null)
      throw new S3Error(
        'InvalidRequest',
        'Request specific response headers cannot be used for anonymous GET requests.',
      )
    // oxlint-disable-next-line no-control-regex -- control characters are matched on purpose
    if (/[\u0000-\u001f\u007f]/.test(value)) throw new S3Error('InvalidArgument', `response-${name} is not a header`)
    answered[name] = asHeader(value)
  }
  const isAsked = call.headers['x-amz-checksum-mode']?.toUpperCase() === 'ENABLED'
  if (isAsked && (part !== undefined || call.headers['range'] === undefined))
    Object.assign(answered, part === undefined ? checksumHeaders(head.checksum) : partHeaders(part, head))
  return answered
}

/** Removes the quotes around an ETag. */
export const quoteless = (text: string) => text.trim().replace(/^"(.*)"$/, '$1')
// a cache may have weakened an ETag, which still identifies the same bytes
const etagsIn = (text: string) => text.split(',').map((it) => quoteless(it.trim().replace(/^W\//, '')))
const timeIn = (text: string | undefined) => (text === undefined ? Number.NaN : httpTime(text))
const wholeSeconds = (at: Date) => Math.floor(at.getTime() / 1000) * 1000

/** Throws if an object does not meet the conditions in a read request. `prefix`: header prefix for the copy source. */
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

/** Evaluates `If-Range`: whether to send only the requested range instead of the whole object. */
export function isRangeWanted(
  headers: S3Call['headers'],
  { etag, mtime }: Pick<StoredObject, 'etag' | 'mtime'>,
): boolean {
  const condition = headers['if-range']?.trim()
  if (condition === undefined) return true
  return condition === `"${etag}"` || timeIn(condition) === wholeSeconds(mtime)
}

/** Returns the conditions for a write: a required ETag, or that the object does not exist. */
export function writeConditionOf(headers: S3Call['headers']): { ifMatch?: string; ifNoneMatch?: boolean } {
  const [match, none] = [headers['if-match'], headers['if-none-match']]
  if (none !== undefined && none.trim() !== '*') throw notImplemented('If-None-Match with an ETag')
  // the two conditions contradict each other
  if (match !== undefined && none !== undefined) throw preconditionFailed()
  return {
    ...(match !== undefined && { ifMatch: quoteless(match) }),
    ...(none !== undefined && { ifNoneMatch: true }),
  }
}

/** Returns the requested checksum algorithm, or null if there is none. */
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
