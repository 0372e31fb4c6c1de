import { S3Error, accessDenied } from '../errors'
import { encodeStrictly } from '../signature/canonical'
import { etagFor } from '../store/encryption-keys'
import { expiryOf, type Subject } from '../store/lifecycle'
import { MOST_PARTS } from '../store/multipart'
import type { Bucket, ObjectHead, Part, StoredObject } from '../store/types'
import { isVersioned, readVersion, versionName } from '../store/versions'
import { bucketFor, isExpectedOwner } from './access'
import { sharingOfNew } from './acl'
import { incoming, MOST_OBJECT_BYTES } from './body'
import { MOST_KEY_BYTES, parameter, type S3Call } from './call'
import { keepBytes } from './content'
import { decodedSource } from './copy-source'
import { copyContent, type CopySource } from './copied-content'
import {
  askedEncryption,
  dataKeyOf,
  encryptionFor,
  encryptionHeaders,
  newEncryption,
  readKeyOf,
} from './encryption-headers'
import { findObject, refuseMarker, versionHeader } from './find-object'
import {
  askedChecksum,
  checkReadConditions,
  checksumElements,
  checksumHeaders,
  headersOf,
  headOf,
  isRangeWanted,
  refuseHeaders,
  writeConditionOf,
} from './object-headers'
import { checkLocking, lockHeaders, lockOf } from './object-lock'
import { checkTagging, tagCountHeader, tagsOfCopy } from './object-tags'
import { answer, type Operation, type S3Store } from './operations'
import { sendBytes, type Range } from './send-bytes'
import { writeXml } from './xml'

/** Throws `KeyTooLongError` if a key exceeds S3's length limit. */
export function checkKey(key: string): void {
  if (Buffer.byteLength(key) > MOST_KEY_BYTES) throw new S3Error('KeyTooLongError', 'Your key is too long')
}

/** Throws if storing `bytes` more would exceed the bucket owner's quota or the free space. */
export async function checkRoom(
  { accounts, blobs, buckets }: S3Store,
  { owner }: Bucket,
  bytes: number,
): Promise<void> {
  const { quota, quota_objects } = await accounts.quotaOf(owner)
  if (quota !== null || quota_objects !== null) {
    const used = await buckets.usedBy(owner)
    if (used.bytes + bytes > (quota ?? Infinity))
      throw new S3Error('QuotaExceeded', `The quota of ${quota} bytes would be exceeded`)
    if (used.objects >= (quota_objects ?? Infinity))
      throw new S3Error('QuotaExceeded', `The quota of ${quota_objects} objects is used up`)
  }
  // small objects take up space too: their database rows are on the same disk
  await blobs.checkSpace(bytes)
}

/** Runs `keep`, which writes the row for a file, and removes the file if `keep` fails. */
export async function removeFileOnFailure<Kept>(
  { blobs }: S3Store,
  file: string | null,
  keep: () => Promise<Kept>,
): Promise<Kept> {
  try {
    return await keep()
  } catch (error) {
    // after other errors, it is unknown whether the row was written; if not, garbage collection removes the file later
    if (file !== null && error instanceof S3Error) await blobs.remove(file)
    throw error
  }
}

/** Returns the metadata for a new object. Throws `AccessDenied` if the caller may not set its lock or tags. */
export function newHead(call: S3Call, bucket: Bucket): ObjectHead {
  checkLocking(call, bucket)
  const [head, lock] = [headOf(call.headers), lockOf(call.headers, bucket.settings)]
  checkTagging(call, bucket, head.tags ?? [])
  return { ...head, ...(lock && { lock }) }
}

/** Returns the expiry header for the live version, if a lifecycle rule applies. */
function expiryHeader({ settings }: Bucket, subject: Subject): Record<string, string> {
  const found = expiryOf(settings.lifecycle ?? [], subject)
  if (!found) return {}
  const [at, id] = [new Date(found.at).toUTCString(), encodeStrictly(found.rule.id)]
  return { 'x-amz-expiration': `expiry-date="${at}", rule-id="${id}"` }
}

/** Stores the request body as an object and returns the response headers. */
export async function storeObject(call: S3Call, store: S3Store): Promise<Record<string, string>> {
  checkKey(call.key!)
  const bucket = await bucketFor(store.buckets, call, 's3:PutObject')
  refuseHeaders(call.headers)
  const condition = writeConditionOf(call.headers)
  const head = { ...newHead(call, bucket), ...(await sharingOfNew(call, store, bucket)) }
  // check early, because the body may be large
  await store.objects.checkCondition(bucket, call.key!, condition)
  const body = await incoming(call, MOST_OBJECT_BYTES, askedChecksum(call.headers) ?? 'crc64nvme')
  await checkRoom(store, bucket, body.length)
  const made = newEncryption(store.keys, encryptionFor(call.headers, bucket, store.keys), bucket, call.key!)
  const content = await keepBytes(store, body.bytes, body.length, made)
  const { size, md5, checksum: sum } = body.digests()
  const etag = etagFor(made, md5)
  const checksum = sum ? { ...sum, type: 'FULL_OBJECT' as const } : undefined
  const encryption = made?.encryption
  const object = {
    ...{ size, etag, content },
    head: { ...head, ...(checksum && { checksum }), ...(encryption && { encryption }) },
  }
  const file = 'file' in content ? content.file : null
  const stored = await removeFileOnFailure(store, file, async () => {
    // the size of a file in a form is known only after it has been read
    if (size > body.length) await checkRoom(store, bucket, size)
    return store.objects.put(bucket, call.key!, object, condition)
  })
  return {
    etag: `"${etag}"`,
    ...checksumHeaders(checksum),
    ...encryptionHeaders(encryption, call.headers),
    ...versionHeader(stored.version),
    ...expiryHeader(bucket, { key: call.key!, ...object, ...stored }),
  }
}

export const putObject: Operation = async (call, store) => answer(call, 200, await storeObject(call, store))

export const readActions = { live: 's3:GetObject', named: 's3:GetObjectVersion' }

/** Returns the object to copy, with its data key. */
export async function copySource(call: S3Call, store: S3Store): Promise<CopySource> {
  const text = call.headers['x-amz-copy-source']!
  const [path = '', named] = text.split('?versionId=')
  const plain = decodedSource(path)
  if (plain === null) throw new S3Error('InvalidArgument', 'Copy Source must be percent-encoded UTF-8')
  const at = plain.indexOf('/')
  if (at <= 0 || at === plain.length - 1)
    throw new S3Error('InvalidArgument', 'Copy Source must mention the source bucket and key: sourcebucket/sourcekey')
  const version = named === undefined ? undefined : readVersion(named)
  const [name, key] = [plain.slice(0, at), plain.slice(at + 1)]
  const found = await findObject(call, store, readActions, { what: { name, key, version } })
  if (!isExpectedOwner(found.bucket, call.headers['x-amz-source-expected-bucket-owner'])) throw accessDenied()
  if (found.object.marker)
    throw new S3Error('InvalidRequest', 'The source of a copy request may not specifically refer to a delete marker')
  const { bucket, object } = found
  checkReadConditions(call.headers, object, 'x-amz-copy-source-')
  const dataKey = dataKeyOf(store.keys, object, { bucket: name, key, headers: call.headers, source: true })
  return { bucket, object, dataKey }
}

export const copyObject: Operation = async (call, store) => {
  checkKey(call.key!)
  const bucket = await bucketFor(store.buckets, call, 's3:PutObject')
  refuseHeaders(call.headers)
  const sharing = await sharingOfNew(call, store, bucket)
  const condition = writeConditionOf(call.headers)
  const source = await copySource(call, store)
  const directive = call.headers['x-amz-metadata-directive'] ?? 'COPY'
  if (directive !== 'COPY' && directive !== 'REPLACE')
    throw new S3Error('InvalidArgument', 'Unknown metadata directive.')
  const isSame = source.bucket.id === bucket.id && source.object.key === call.key
  const isNamed = call.headers['x-amz-copy-source']!.includes('?versionId=')
  const isChanged = directive === 'REPLACE' || askedEncryption(call.headers, store.keys) !== null
  if (isSame && !isChanged && !(isNamed && isVersioned(bucket)))
    throw new S3Error(
      'InvalidRequest',
      'This copy request is illegal because it is trying to copy an object to itself without changing its metadata.',
    )
  const { size, head: known } = source.object
  if (size > MOST_OBJECT_BYTES)
    throw new S3Error(
      'InvalidRequest',
      `The specified copy source is larger than the maximum allowable size for a copy source: ${MOST_OBJECT_BYTES}`,
    )
  const [fresh, tags] = [newHead(call, bucket), tagsOfCopy(call, source, bucket)]
  await checkRoom(store, bucket, size)
  const copied = await copyContent(store, call.headers, source, {
    ...{ bucket, key: call.key! },
    choice: encryptionFor(call.headers, bucket, store.keys),
    algorithm: askedChecksum(call.headers),
  })
  // the owner and ACL of the source are not copied
  const { lock: _lock, owner: _owner, acl: _acl, checksum: _sum, encryption: _encryption, ...before } = known
  const own = directive === 'COPY' ? { ...before, ...(fresh.lock && { lock: fresh.lock }) } : fresh
  const { etag, content } = copied
  const head: ObjectHead = { ...own, ...copied.head, ...sharing, tags }
  const { mtime, version } = await store.objects.put(bucket, call.key!, { size, etag, content, head }, condition)
  const body = writeXml('CopyObjectResult', {
    LastModified: mtime.toISOString(),
    ETag: `"${etag}"`,
    ...checksumElements(head.checksum),
  })
  const { version: sourceVersion } = source.object
  const said = isVersioned(source.bucket) ? { 'x-amz-copy-source-version-id': versionName(sourceVersion) } : {}
  await answer(
    call,
    200,
    { ...said, ...versionHeader(version), ...encryptionHeaders(head.encryption, call.headers) },
    body,
  )
}

/** Returns the requested byte range, or null for the whole object. */
function rangeOf(header: string | undefined, size: number): Range | null {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? '') ?? []
  // multiple or malformed ranges are ignored
  if (first === undefined || last === undefined || (first === '' && last === '')) return null
  const [start, end] =
    first === ''
      ? [Math.max(0, size - Number(last)), size - 1]
      : [Number(first), last === '' ? size - 1 : Math.min(Number(last), size - 1)]
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null
  if (start >= size || (first === '' && Number(last) === 0))
    throw new S3Error('InvalidRange', 'The requested range is not satisfiable', { 'content-range': `bytes */${size}` })
  return { start, end }
}

/** Returns the byte range of the part given by `partNumber` and, for a multipart object, the part itself. */
async function rangeOfPart(
  call: S3Call,
  { objects }: S3Store,
  object: StoredObject,
): Promise<(Range & { part: Part | undefined }) | null> {
  const text = parameter(call, 'partNumber')
  if (text === undefined) return null
  const number = Number(text)
  if (!/^\d{1,5}$/.test(text) || number < 1 || number > MOST_PARTS)
    throw new S3Error('InvalidArgument', `Part number must be an integer between 1 and ${MOST_PARTS}, inclusive`)
  if (call.headers['range'] !== undefined)
    throw new S3Error('InvalidRequest', 'Cannot specify both Range header and partNumber query parameter')
  const parts = await objects.partsOf(object)
  const sizes = object.parts === 0 ? [object.size] : parts.map(({ size }) => size)
  if (number > sizes.length) throw new S3Error('InvalidPartNumber', 'The requested partnumber is not satisfiable')
  // an empty object has no range
  if (object.size === 0) return null
  const start = sizes.slice(0, number - 1).reduce((sum, size) => sum + size, 0)
  return { start, end: start + sizes[number - 1]! - 1, part: parts[number - 1] }
}

export const getObject: Operation = async (call, store) => {
  const { bucket, object } = await findObject(call, store, readActions)
  refuseMarker(object)
  checkReadConditions(call.headers, object)
  const dataKey = readKeyOf(call, store.keys, object)
  const ofPart = await rangeOfPart(call, store, object)
  const isWanted = isRangeWanted(call.headers, object)
  const range = ofPart ?? (isWanted ? rangeOf(call.headers['range'], object.size) : null)
  // when reading a part, return the checksum of that part instead of the whole object
  const headers = {
    ...headersOf(call, object, ofPart?.part),
    ...lockHeaders(object.head),
    ...tagCountHeader(call, bucket, object),
  }
  if (isVersioned(bucket)) headers['x-amz-version-id'] = versionName(object.version)
  if (parameter(call, 'versionId') === undefined) Object.assign(headers, expiryHeader(bucket, object))
  if (ofPart?.part) headers['x-amz-mp-parts-count'] = String(object.parts)
  const length = range ? range.end - range.start + 1 : object.size
  if (range) headers['content-range'] = `bytes ${range.start}-${range.end}/${object.size}`
  const status = range ? 206 : 200
  if (call.method === 'HEAD') {
    call.begin(status, { ...headers, 'content-length': length })
    call.response.end()
    return
  }
  await sendBytes(
    call,
    store,
    object,
    { range, dataKey },
    { status, headers: { ...headers, 'content-length': String(length) } },
  )
}
