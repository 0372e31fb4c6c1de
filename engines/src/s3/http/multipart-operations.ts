import { createHash } from 'node:crypto'
import { canonicalIdOf } from '../accounts'
import { S3Error } from '../errors'
import { checksum } from '../store/digests'
import { isChecksumName, MOST_PARTS, type NamedPart } from '../store/multipart'
import { bucketFor } from './access'
import { incoming, MOST_OBJECT_BYTES, readText } from './body'
import { numberParameter, parameter, type S3Call } from './call'
import { askedChecksum, checksumHeaders, headOf, refuseHeaders, writeConditionOf } from './object-headers'
import { checkKey, checkRoom, copySource, orRemoved, writeFile } from './object-operations'
import { answer, type Operation } from './operations'
import { readPieces } from './send-bytes'
import { childText, readXml, writeXml } from './xml'

const COMPLETE_DOCUMENT = 2 * 1024 ** 2

export const createUpload: Operation = async (call, { buckets, multipart }) => {
  checkKey(call.key!)
  const bucket = await bucketFor(buckets, call, 's3:PutObject')
  refuseHeaders(call.headers)
  const algorithm = askedChecksum(call.headers)
  if (call.headers['x-amz-checksum-type']?.toUpperCase() === 'FULL_OBJECT')
    throw new S3Error('NotImplemented', 'Checksums of a whole upload in parts are not there; ask for COMPOSITE ones')
  const id = await multipart.begin(bucket, call.key!, { ...headOf(call.headers), ...(algorithm && { algorithm }) })
  const body = writeXml('InitiateMultipartUploadResult', { Bucket: bucket.name, Key: call.key!, UploadId: id })
  answer(
    call,
    200,
    algorithm ? { 'x-amz-checksum-algorithm': algorithm.toUpperCase(), 'x-amz-checksum-type': 'COMPOSITE' } : {},
    body,
  )
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
  const body = await incoming(call, MOST_OBJECT_BYTES, upload.head.algorithm ?? null)
  await checkRoom(store, bucket, body.length)
  const file = await writeFile(store, body.bytes)
  const { md5: etag, checksum: sum } = body.digests()
  const part = {
    n,
    file,
    size: body.length,
    etag,
    checksum: sum && `${sum.name}:${sum.value}`,
  }
  await orRemoved(store, file, () => store.multipart.addPart(upload, part))
  answer(call, 200, { etag: `"${etag}"`, ...(sum && { [`x-amz-checksum-${sum.name}`]: sum.value }) })
}

export const copyPart: Operation = async (call, store) => {
  const bucket = await bucketFor(store.buckets, call, 's3:PutObject')
  const n = partNumberOf(call)
  const upload = await store.multipart.find(bucket, call.key!, parameter(call, 'uploadId')!)
  const { object } = await copySource(call, store)
  const text = call.headers['x-amz-copy-source-range']
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(text ?? '') ?? []
  if (text !== undefined && (first === undefined || Number(last) < Number(first)))
    throw new S3Error('InvalidArgument', 'The x-amz-copy-source-range value must be of the form bytes=first-last')
  const range = text === undefined ? { start: 0, end: object.size - 1 } : { start: Number(first), end: Number(last) }
  if (range.end >= object.size && object.size > 0 && text !== undefined)
    throw new S3Error('InvalidRange', `Range specified is not valid for source object of size: ${object.size}`)
  const size = range.end - range.start + 1
  await checkRoom(store, bucket, size)
  const { algorithm } = upload.head
  const [md5, sum] = [createHash('md5'), algorithm ? await checksum(algorithm) : null]
  async function* passing(): AsyncGenerator<Buffer> {
    for await (const part of await readPieces(store, object, range)) {
      md5.update(part)
      sum?.update(part)
      yield part
    }
  }
  const file = await writeFile(store, passing())
  const etag = md5.digest('hex')
  const mtime = await store.multipart.addPart(upload, {
    n,
    file,
    size,
    etag,
    checksum: sum && `${algorithm}:${sum.end()}`,
  })
  answer(call, 200, {}, writeXml('CopyPartResult', { LastModified: mtime.toISOString(), ETag: `"${etag}"` }))
}

export const listParts: Operation = async (call, { buckets, multipart }) => {
  const bucket = await bucketFor(buckets, call, 's3:ListMultipartUploadParts')
  const upload = await multipart.find(bucket, call.key!, parameter(call, 'uploadId')!)
  const most = numberParameter(call, 'max-parts', 1000, 1000)
  const after = numberParameter(call, 'part-number-marker', 0, MOST_PARTS)
  const { parts, truncated } = await multipart.parts(upload, after, most)
  const owner = { ID: canonicalIdOf(bucket.owner), DisplayName: bucket.owner }
  const name = upload.head.algorithm?.toUpperCase()
  const body = writeXml('ListPartsResult', {
    Bucket: bucket.name,
    Key: upload.key,
    UploadId: upload.id,
    PartNumberMarker: after,
    NextPartNumberMarker: truncated ? parts.at(-1)!.n : undefined,
    MaxParts: most,
    IsTruncated: truncated,
    Initiator: owner,
    Owner: owner,
    StorageClass: 'STANDARD',
    ChecksumAlgorithm: name,
    Part: parts.map(({ n, mtime, etag, size, checksum: sum }) => ({
      PartNumber: n,
      LastModified: mtime.toISOString(),
      ETag: `"${etag}"`,
      Size: size,
      ...(sum !== null && { [`Checksum${sum.split(':')[0]!.toUpperCase()}`]: sum.split(':')[1] }),
    })),
  })
  answer(call, 200, {}, body)
}

function namedParts(text: string): NamedPart[] {
  const document = readXml(text)
  const parts = document.children.filter(({ name }) => name === 'Part')
  const wrong = () => new S3Error('MalformedXML', 'The XML you provided is no CompleteMultipartUpload with parts')
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

export const completeUpload: Operation = async (call, store) => {
  const bucket = await bucketFor(store.buckets, call, 's3:PutObject')
  const condition = writeConditionOf(call.headers)
  const upload = await store.multipart.find(bucket, call.key!, parameter(call, 'uploadId')!)
  const named = namedParts(await readText(call, COMPLETE_DOCUMENT))
  const done = await store.multipart.complete(bucket, upload, named, condition)
  const body = writeXml('CompleteMultipartUploadResult', {
    Location: `/${bucket.name}/${encodeURI(upload.key)}`,
    Bucket: bucket.name,
    Key: upload.key,
    ETag: `"${done.etag}"`,
    ...(done.checksum && {
      [`Checksum${done.checksum.name.toUpperCase()}`]: done.checksum.value,
      ChecksumType: done.checksum.type,
    }),
  })
  answer(call, 200, checksumHeaders(done.checksum), body)
}

export const abortUpload: Operation = async (call, { buckets, multipart }) => {
  const bucket = await bucketFor(buckets, call, 's3:AbortMultipartUpload')
  await multipart.abort(await multipart.find(bucket, call.key!, parameter(call, 'uploadId')!))
  answer(call, 204, {})
}
