import { createHash } from 'node:crypto'
import { S3Error, accessDenied, noSuchBucket, noSuchUpload } from '../errors'
import { checkChecksumType, defaultChecksumType, type ChecksumType } from '../store/crc-combine'
import { checksum, checksumNames, type ChecksumName } from '../store/digests'
import { etagFor } from '../store/encryption-keys'
import { isChecksumName, MOST_PARTS, type CompletedClaim, type NamedPart, type Upload } from '../store/multipart'
import type { Bucket } from '../store/types'
import { bucketFor, mayDo } from './access'
import { sharingOfNew, ownerElement, userElement } from './acl'
import { incoming, MOST_OBJECT_BYTES, readText } from './body'
import { addressOf, numberParameter, parameter, type S3Call } from './call'
import { passing, writeFile } from './content'
import { dataKeyOf, encryptionFor, encryptionHeaders, newEncryption } from './encryption-headers'
import { versionHeader } from './find-object'
import {
  askedChecksum,
  checksumElements,
  checksumHeaders,
  partChecksum,
  refuseHeaders,
  writeConditionOf,
} from './object-headers'
import { checkKey, checkRoom, copySource, newHead, removeFileOnFailure } from './object-operations'
import { answer, type Operation, type S3Store } from './operations'
import { readPieces } from './send-bytes'
import { childText, readLongXml, writeXml } from './xml'

const COMPLETE_DOCUMENT = 2 * 1024 ** 2

/** Returns the checksum type for a new upload. Throws if the algorithm does not support it. */
function askedType(headers: S3Call['headers'], algorithm: ChecksumName | null): ChecksumType | null {
  const type = headers['x-amz-checksum-type']?.toUpperCase()
  if (type === undefined) return algorithm && defaultChecksumType(algorithm)
  if (type !== 'FULL_OBJECT' && type !== 'COMPOSITE')
    throw new S3Error('InvalidRequest', 'Value for x-amz-checksum-type header is invalid.')
  if (algorithm === null)
    throw new S3Error(
      'InvalidRequest',
      'The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header.',
    )
  checkChecksumType(algorithm, type)
  return type
}

/** Returns the encryption for the parts of an upload, or null for none. Clients send a customer key with every part. */
function encryptionOf({ keys }: S3Store, call: S3Call, bucket: Bucket, upload: Upload) {
  const dataKey = dataKeyOf(keys, upload, { bucket: bucket.name, key: upload.key, headers: call.headers })
  return dataKey && { dataKey, encryption: upload.head.encryption! }
}

export const createUpload: Operation = async (call, store) => {
  checkKey(call.key!)
  const bucket = await bucketFor(store.buckets, call, 's3:PutObject')
  refuseHeaders(call.headers)
  const sharing = await sharingOfNew(call, store, bucket)
  const algorithm = askedChecksum(call.headers)
  const checksumType = askedType(call.headers, algorithm)
  const made = newEncryption(store.keys, encryptionFor(call.headers, bucket, store.keys), bucket, call.key!)
  await checkRoom(store, bucket, 0)
  const id = await store.multipart.begin(bucket, call.key!, {
    ...{ ...newHead(call, bucket), ...sharing },
    ...(call.userId !== null && { initiator: call.userId }),
    ...(algorithm && { algorithm }),
    ...(checksumType && { checksumType }),
    ...(made && { encryption: made.encryption }),
  })
  const body = writeXml('InitiateMultipartUploadResult', { Bucket: bucket.name, Key: call.key!, UploadId: id })
  const told = {
    ...(algorithm && { 'x-amz-checksum-algorithm': algorithm.toUpperCase() }),
    ...(checksumType && { 'x-amz-checksum-type': checksumType }),
    ...encryptionHeaders(made?.encryption, call.headers),
  }
  await answer(call, 200, told, body)
}

function partNumberOf(call: S3Call): number {
  const number = Number(parameter(call, 'partNumber'))
  if (!Number.isInteger(number) || number < 1 || number > MOST_PARTS)
    throw new S3Error('InvalidArgument', `Part number must be an integer between 1 and ${MOST_PARTS}, inclusive`)
  return number
}

export const uploadPart: Operation = async (call, store) => {
  const bucket = await bucketFor(store.buckets, call, 's3:PutObject')
  const n = partNumberOf(call)
  refuseHeaders(call.headers)
  const upload = await store.multipart.find(bucket, call.key!, parameter(call, 'uploadId')!)
  const made = encryptionOf(store, call, bucket, upload)
  const { algorithm } = upload.head
  const body = await incoming(call, MOST_OBJECT_BYTES, algorithm ?? 'crc64nvme')
  if (algorithm !== undefined && body.algorithm !== algorithm)
    throw new S3Error(
      'InvalidRequest',
      `Checksum Type mismatch occurred, expected checksum Type: ${algorithm}, actual checksum Type: ${body.algorithm}`,
    )
  await checkRoom(store, bucket, body.length)
  const file = await writeFile(store, body.bytes, made)
  const { md5, checksum: sum } = body.digests()
  const etag = etagFor(made, md5)
  const part = {
    n,
    file,
    size: body.length,
    etag,
    checksum: sum && `${sum.name}:${sum.value}`,
  }
  await removeFileOnFailure(store, file, () => store.multipart.addPart(upload, part))
  const told = {
    etag: `"${etag}"`,
    ...(sum && { [`x-amz-checksum-${sum.name}`]: sum.value }),
    ...encryptionHeaders(made?.encryption, call.headers),
  }
  await answer(call, 200, told)
}

export const copyPart: Operation = async (call, store) => {
  const bucket = await bucketFor(store.buckets, call, 's3:PutObject')
  const n = partNumberOf(call)
  const upload = await store.multipart.find(bucket, call.key!, parameter(call, 'uploadId')!)
  const made = encryptionOf(store, call, bucket, upload)
  const { object, dataKey } = await copySource(call, store)
  const text = call.headers['x-amz-copy-source-range']
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(text ?? '') ?? []
  if (text !== undefined && (first === undefined || Number(last) < Number(first)))
    throw new S3Error('InvalidArgument', 'The x-amz-copy-source-range value must be of the form bytes=first-last')
  const range = text === undefined ? { start: 0, end: object.size - 1 } : { start: Number(first), end: Number(last) }
  if (text !== undefined && range.end >= object.size)
    throw new S3Error('InvalidRange', `Range specified is not valid for source object of size: ${object.size}`)
  const size = range.end - range.start + 1
  if (size > MOST_OBJECT_BYTES)
    throw new S3Error(
      'InvalidRequest',
      `The specified copy source is larger than the maximum allowable size for a copy source: ${MOST_OBJECT_BYTES}`,
    )
  await checkRoom(store, bucket, size)
  const { algorithm = 'crc64nvme' } = upload.head
  const [md5, sum] = [createHash('md5'), await checksum(algorithm)]
  const file = await writeFile(store, passing(await readPieces(store, object, range, dataKey), md5, sum), made)
  const part = { n, file, size, etag: etagFor(made, md5.digest('hex')), checksum: `${algorithm}:${sum.end()}` }
  const mtime = await removeFileOnFailure(store, file, () => store.multipart.addPart(upload, part))
  const body = writeXml('CopyPartResult', {
    LastModified: mtime.toISOString(),
    ETag: `"${part.etag}"`,
    ...partChecksum(part),
  })
  await answer(call, 200, encryptionHeaders(made?.encryption, call.headers), body)
}

/**
 * Returns the upload named in the request if the caller may perform the action. The initiator needs no other
 * permission.
 */
async function uploadFor(
  call: S3Call,
  { buckets, multipart }: S3Store,
  action: string,
): Promise<{ bucket: Bucket; upload: Upload }> {
  const bucket = await buckets.find(call.bucket!)
  if (!bucket) throw noSuchBucket()
  const upload = await multipart.find(bucket, call.key!, parameter(call, 'uploadId')!).catch((error: unknown) => {
    throw mayDo(call, bucket, action, call.key) ? error : accessDenied()
  })
  if (!mayDo(call, bucket, action, call.key, { object: upload })) throw accessDenied()
  return { bucket, upload }
}

export const listParts: Operation = async (call, store) => {
  const { bucket, upload } = await uploadFor(call, store, 's3:ListMultipartUploadParts')
  if (upload.done) throw noSuchUpload()
  const most = numberParameter(call, 'max-parts', 1000, 1000)
  const after = numberParameter(call, 'part-number-marker', 0, MOST_PARTS)
  const { parts, truncated } = await store.multipart.parts(upload, after, most)
  const { algorithm = 'crc64nvme', checksumType = 'FULL_OBJECT' } = upload.head
  const body = writeXml('ListPartsResult', {
    Bucket: bucket.name,
    Key: upload.key,
    UploadId: upload.id,
    PartNumberMarker: after,
    NextPartNumberMarker: truncated ? parts.at(-1)!.n : undefined,
    MaxParts: most,
    IsTruncated: truncated,
    Initiator: userElement(upload.head.initiator ?? bucket.owner),
    Owner: ownerElement(bucket, upload.head.owner),
    StorageClass: 'STANDARD',
    ChecksumAlgorithm: algorithm.toUpperCase(),
    ChecksumType: checksumType,
    Part: parts.map(({ n, mtime, etag, size, checksum: sum }) => ({
      PartNumber: n,
      LastModified: mtime.toISOString(),
      ETag: `"${etag}"`,
      Size: size,
      ...partChecksum({ checksum: sum }),
    })),
  })
  await answer(call, 200, {}, body)
}

async function namedParts(text: string): Promise<NamedPart[]> {
  const document = await readLongXml(text)
  const parts = document.children.filter(({ name }) => name === 'Part')
  const wrong = () => new S3Error('MalformedXML', 'The XML you provided is not a CompleteMultipartUpload with parts')
  if (document.name !== 'CompleteMultipartUpload' || parts.length === 0 || parts.length > MOST_PARTS) throw wrong()
  return parts.map((part) => {
    const [number, etag] = [childText(part, 'PartNumber') ?? '', childText(part, 'ETag')]
    if (!/^\d{1,5}$/.test(number) || etag === undefined) throw wrong()
    const sum = part.children.find(({ name }) => name.startsWith('Checksum'))
    const name = sum?.name.slice('Checksum'.length).toLowerCase()
    if (name !== undefined && !isChecksumName(name)) throw wrong()
    return { n: Number(number), etag: etag.trim().replace(/^"(.*)"$/, '$1'), checksum: sum && `${name}:${sum.text}` }
  })
}

/** Returns the size and checksum of the completed object as declared in the headers. */
function claimOf(headers: S3Call['headers']): CompletedClaim {
  const size = headers['x-amz-mp-object-size']
  if (size !== undefined && !/^\d{1,15}$/.test(size))
    throw new S3Error('InvalidRequest', 'Value for x-amz-mp-object-size header is invalid.')
  const sums = checksumNames.flatMap((name) => {
    const value = headers[`x-amz-checksum-${name}`]
    return value === undefined ? [] : [{ name, value }]
  })
  if (sums.length > 1) throw new S3Error('InvalidRequest', 'Expecting a single x-amz-checksum- header')
  return {
    checksum: sums[0],
    checksumType: headers['x-amz-checksum-type']?.toUpperCase(),
    size: size === undefined ? undefined : Number(size),
  }
}

export const completeUpload: Operation = async (call, store) => {
  const bucket = await bucketFor(store.buckets, call, 's3:PutObject')
  const condition = writeConditionOf(call.headers)
  const upload = await store.multipart.find(bucket, call.key!, parameter(call, 'uploadId')!)
  // the checksum header applies to the object, not to the request body
  const claim = claimOf(call.headers)
  const named = await namedParts(await readText(call, COMPLETE_DOCUMENT, true))
  await store.blobs.checkSpace(0)
  const done = await store.multipart.complete(bucket, upload, named, condition, claim)
  const body = writeXml('CompleteMultipartUploadResult', {
    Location: addressOf(call, { bucket: bucket.name, key: upload.key }),
    Bucket: bucket.name,
    Key: upload.key,
    ETag: `"${done.etag}"`,
    ...checksumElements(done.checksum),
  })
  const told = {
    ...checksumHeaders(done.checksum),
    ...encryptionHeaders(upload.head.encryption, call.headers),
    ...versionHeader(done.version ?? null),
  }
  await answer(call, 200, told, body)
}

export const abortUpload: Operation = async (call, store) => {
  const { upload } = await uploadFor(call, store, 's3:AbortMultipartUpload')
  await store.multipart.abort(upload)
  await answer(call, 204, {})
}
