import { S3Error, accessDenied, noSuchBucket, noSuchKey, notImplemented } from '../errors'
import type { NewObject } from '../store/objects'
import type { Bucket, ObjectHead, StoredObject } from '../store/types'
import { bucketFor, mayDo } from './access'
import { incoming, MOST_OBJECT_BYTES, readAll, type Incoming } from './body'
import { MOST_KEY_BYTES, parameter, type S3Call } from './call'
import {
  askedChecksum,
  checkReadConditions,
  checksumHeaders,
  headersOf,
  headOf,
  refuseHeaders,
  writeConditionOf,
} from './object-headers'
import { answer, type Operation, type S3Store } from './operations'
import { sendBytes, type Range } from './send-bytes'
import { writeXml } from './xml'

/** Up to so many bytes an object is in its row. */
const MOST_INLINE = 8 * 1024

/** Throws where a key is longer than S3 takes. */
export function checkKey(key: string): void {
  if (Buffer.byteLength(key) > MOST_KEY_BYTES) throw new S3Error('KeyTooLongError', 'Your key is too long')
}

/** Throws where so many bytes more are not allowed to the bucket's owner, or there is no room for them. */
export async function checkRoom(
  { accounts, blobs, buckets }: S3Store,
  { owner }: Bucket,
  bytes: number,
): Promise<void> {
  const quota = await accounts.quotaOf(owner)
  if (quota !== null && (await buckets.bytesOf(owner)) + bytes > quota)
    throw new S3Error('QuotaExceeded', `The quota of ${quota} bytes would be exceeded`)
  if (bytes > MOST_INLINE) await blobs.checkSpace(bytes)
}

/** Writes the bytes as a new file. Its name waits among the garbage until a row takes it. */
export async function writeFile({ blobs, objects }: S3Store, bytes: AsyncIterable<Buffer>): Promise<string> {
  const file = blobs.newName()
  await objects.intend(file)
  await blobs.write(file, bytes)
  return file
}

/** What `keep` answers, which gives a file its row. A file that gets none takes no space. */
export async function orRemoved<Kept>(
  { blobs }: S3Store,
  file: string | null,
  keep: () => Promise<Kept>,
): Promise<Kept> {
  try {
    return await keep()
  } catch (error) {
    // where it is not known whether the row was written, the garbage decides by its date
    if (file !== null && error instanceof S3Error) await blobs.remove(file)
    throw error
  }
}

async function contentOf(store: S3Store, body: Incoming): Promise<NewObject['content']> {
  return body.length <= MOST_INLINE ? { inline: await readAll(body) } : { file: await writeFile(store, body.bytes) }
}

export const putObject: Operation = async (call, store) => {
  checkKey(call.key!)
  const bucket = await bucketFor(store.buckets, call, 's3:PutObject')
  refuseHeaders(call.headers)
  const condition = writeConditionOf(call.headers)
  const head = headOf(call.headers)
  const body = await incoming(call, MOST_OBJECT_BYTES, askedChecksum(call.headers) ?? 'crc64nvme')
  await checkRoom(store, bucket, body.length)
  const content = await contentOf(store, body)
  const { md5: etag, checksum: sum } = body.digests()
  const checksum = sum ? { ...sum, type: 'FULL_OBJECT' as const } : undefined
  const object = { size: body.length, etag, head: { ...head, ...(checksum && { checksum }) }, content }
  const file = 'file' in content ? content.file : null
  await orRemoved(store, file, () => store.objects.put(bucket, call.key!, object, condition))
  answer(call, 200, { etag: `"${etag}"`, ...checksumHeaders(checksum) })
}

/** Bucket and key that a copy is made of. */
export async function copySource(call: S3Call, store: S3Store): Promise<{ bucket: Bucket; object: StoredObject }> {
  const text = call.headers['x-amz-copy-source']!
  const [path = '', version] = text.split('?versionId=')
  let plain: string
  try {
    plain = decodeURIComponent(path.replace(/^\//, ''))
  } catch {
    throw new S3Error('InvalidArgument', 'Copy Source must be percent-encoded')
  }
  const at = plain.indexOf('/')
  if (at <= 0 || at === plain.length - 1)
    throw new S3Error('InvalidArgument', 'Copy Source must mention the source bucket and key: sourcebucket/sourcekey')
  if (version !== undefined && version !== 'null') throw notImplemented('versions')
  const [name, key] = [plain.slice(0, at), plain.slice(at + 1)]
  const bucket = await bucketFor(store.buckets, call, 's3:GetObject', { name, key })
  const object = await store.objects.find(bucket, key)
  if (!object) throw noSuchKey()
  checkReadConditions(call.headers, object, 'x-amz-copy-source-')
  return { bucket, object }
}

/** Files of its own with the same bytes. */
async function linked({ blobs, objects }: S3Store, object: StoredObject): Promise<NewObject['content']> {
  if (object.inline) return { inline: object.inline }
  const link = async (file: string) => {
    const other = blobs.newName()
    await objects.intend(other)
    await blobs.link(file, other)
    return other
  }
  if (object.parts === 0) return { file: await link(object.blob!) }
  const parts = []
  for (const part of await objects.partsOf(object)) parts.push({ ...part, file: await link(part.file) })
  return { blob: blobs.newName(), parts }
}

export const copyObject: Operation = async (call, store) => {
  checkKey(call.key!)
  const bucket = await bucketFor(store.buckets, call, 's3:PutObject')
  refuseHeaders(call.headers)
  const condition = writeConditionOf(call.headers)
  const source = await copySource(call, store)
  const directive = call.headers['x-amz-metadata-directive'] ?? 'COPY'
  if (directive !== 'COPY' && directive !== 'REPLACE')
    throw new S3Error('InvalidArgument', 'Unknown metadata directive.')
  const isSame = source.bucket.id === bucket.id && source.object.key === call.key
  if (isSame && directive === 'COPY')
    throw new S3Error(
      'InvalidRequest',
      'This copy request is illegal because it is trying to copy an object to itself without changing its metadata.',
    )
  const { size, etag } = source.object
  if (size > MOST_OBJECT_BYTES)
    throw new S3Error(
      'InvalidRequest',
      'The specified copy source is larger than the maximum allowable size for a copy source: 5368709120',
    )
  await checkRoom(store, bucket, size)
  const content = await linked(store, source.object)
  const { checksum } = source.object.head
  const head: ObjectHead =
    directive === 'COPY' ? source.object.head : { ...headOf(call.headers), ...(checksum && { checksum }) }
  const { mtime } = await store.objects.put(bucket, call.key!, { size, etag, head, content }, condition)
  const body = writeXml('CopyObjectResult', { LastModified: mtime.toISOString(), ETag: `"${etag}"` })
  answer(call, 200, {}, body)
}

/** The object of a call, if the caller may read it. That it is not there is told to those who may list. */
async function readable(call: S3Call, store: S3Store): Promise<StoredObject> {
  const bucket = await store.buckets.find(call.bucket!)
  if (!bucket) throw noSuchBucket()
  if (!mayDo(call, bucket, 's3:GetObject', call.key)) throw accessDenied()
  const version = parameter(call, 'versionId')
  if (version !== undefined && version !== 'null') throw notImplemented('versions')
  const object = await store.objects.find(bucket, call.key!)
  if (!object) {
    if (mayDo(call, bucket, 's3:ListBucket', null)) throw noSuchKey()
    throw accessDenied()
  }
  checkReadConditions(call.headers, object)
  return object
}

/** The part of the bytes that is asked for; null: all of them. */
function rangeOf(header: string | undefined, size: number): Range | null {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? []
  // several ranges, or none that can be read: as if nothing was said
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

/** The bytes of one part, by its place. */
async function rangeOfPart(call: S3Call, { objects }: S3Store, object: StoredObject): Promise<Range | null> {
  const text = parameter(call, 'partNumber')
  if (text === undefined) return null
  const number = Number(text)
  const sizes = object.parts === 0 ? [object.size] : (await objects.partsOf(object)).map(({ size }) => size)
  if (!/^\d{1,5}$/.test(text) || number < 1 || number > sizes.length)
    throw new S3Error('InvalidRange', 'The requested partnumber is not satisfiable')
  const start = sizes.slice(0, number - 1).reduce((sum, size) => sum + size, 0)
  return { start, end: start + sizes[number - 1]! - 1 }
}

export const getObject: Operation = async (call, store) => {
  const object = await readable(call, store)
  const ofPart = await rangeOfPart(call, store, object)
  const range = ofPart ?? rangeOf(call.headers['range'], object.size)
  const headers = headersOf(call, object)
  if (ofPart && object.parts > 0) headers['x-amz-mp-parts-count'] = String(object.parts)
  const length = range ? range.end - range.start + 1 : object.size
  if (range) headers['content-range'] = `bytes ${range.start}-${range.end}/${object.size}`
  const status = range ? 206 : 200
  if (call.method === 'HEAD') {
    call.response.writeHead(status, { ...headers, 'content-length': length })
    call.response.end()
    return
  }
  await sendBytes(call, store, object, range, { status, headers: { ...headers, 'content-length': String(length) } })
}

export const deleteObject: Operation = async (call, { buckets, objects }) => {
  const bucket = await bucketFor(buckets, call, 's3:DeleteObject')
  const version = parameter(call, 'versionId')
  if (version !== undefined && version !== 'null') throw notImplemented('versions')
  if (call.headers['if-match'] !== undefined) throw notImplemented('deletions on a condition')
  await objects.remove(bucket, [call.key!])
  answer(call, 204, {})
}
