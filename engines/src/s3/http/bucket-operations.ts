import { S3_VALIDATE_HEADER } from '@mainstay/contract/object-storage/s3-proxy'
import { canonicalIdOf } from '../accounts'
import { S3Error, accessDenied, noSuchBucket, notImplemented } from '../errors'
import { MOST_POLICY_BYTES, readPolicy } from '../policy/policy'
import { encodeStrictly } from '../signature/canonical'
import { listObjects, type Listed } from '../store/lists'
import { bucketFor, checkBucketName, mayDo } from './access'
import { readText } from './body'
import { numberParameter, parameter, MOST_KEY_BYTES, type S3Call } from './call'
import { refuseHeaders } from './object-headers'
import { answer, type Operation } from './operations'
import { childText, readXml, writeXml, type WrittenElement } from './xml'

const MOST_LISTED = 1000
const SMALL_DOCUMENT = 64 * 1024
const DELETE_DOCUMENT = 2 * 1024 ** 2

const ownerOf = (userId: string): WrittenElement => ({ ID: canonicalIdOf(userId), DisplayName: userId })

export const listBuckets: Operation = async (call, { buckets }) => {
  const { userId } = call
  if (userId === null) throw accessDenied()
  const most = numberParameter(call, 'max-buckets', 10_000, 10_000)
  const [prefix, token] = [parameter(call, 'prefix') ?? '', parameter(call, 'continuation-token') ?? '']
  const found = await buckets.list(userId, prefix, fromToken(token), most + 1)
  const page = found.slice(0, most)
  const body = writeXml('ListAllMyBucketsResult', {
    Owner: ownerOf(userId),
    Buckets: { Bucket: page.map(({ name, created_at }) => ({ Name: name, CreationDate: created_at.toISOString() })) },
    ContinuationToken: found.length > most ? toToken(page.at(-1)!.name) : undefined,
    Prefix: prefix === '' ? undefined : prefix,
  })
  answer(call, 200, {}, body)
}

export const createBucket: Operation = async (call, { buckets }) => {
  const { userId, bucket, headers } = call
  if (userId === null) throw accessDenied()
  checkBucketName(bucket!)
  refuseHeaders(headers)
  if (headers['x-amz-bucket-object-lock-enabled']?.toLowerCase() === 'true') throw notImplemented('object lock')
  if (Number(headers['content-length'] ?? 0) > 0 || headers['x-amz-decoded-content-length'] !== undefined) {
    const text = await readText(call, SMALL_DOCUMENT)
    if (text !== '' && readXml(text).name !== 'CreateBucketConfiguration')
      throw new S3Error('MalformedXML', 'The XML you provided is no CreateBucketConfiguration')
  }
  await buckets.create(bucket!, userId)
  answer(call, 200, { location: `/${bucket}` })
}

export const headBucket: Operation = async (call, { buckets }) => {
  await bucketFor(buckets, call, 's3:ListBucket')
  answer(call, 200, { 'x-amz-bucket-region': 'us-east-1' })
}

export const deleteBucket: Operation = async (call, { buckets }) => {
  await buckets.remove(await bucketFor(buckets, call, 's3:DeleteBucket'))
  answer(call, 204, {})
}

export const bucketLocation: Operation = async (call, { buckets }) => {
  await bucketFor(buckets, call, 's3:GetBucketLocation')
  // an empty one is us-east-1
  answer(call, 200, {}, writeXml('LocationConstraint', {}))
}

/** Versions are not kept: nothing is said, as of a bucket that never had them. */
export const bucketVersioning: Operation = async (call, { buckets }) => {
  await bucketFor(buckets, call, 's3:GetBucketVersioning')
  answer(call, 200, {}, writeXml('VersioningConfiguration', {}))
}

/** The owner has everything; whatever others may stands in the policy. */
export const bucketAcl: Operation = async (call, { buckets, objects }) => {
  const bucket = await bucketFor(buckets, call, call.key === null ? 's3:GetBucketAcl' : 's3:GetObjectAcl')
  if (call.key !== null && !(await objects.find(bucket, call.key)))
    throw new S3Error('NoSuchKey', 'The specified key does not exist.')
  const owner = ownerOf(bucket.owner)
  const type = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="CanonicalUser"'
  const body = writeXml('AccessControlPolicy', {
    Owner: owner,
    AccessControlList: { Grant: { Grantee: owner, Permission: 'FULL_CONTROL' } },
  }).replace('<Grantee>', `<Grantee ${type}>`)
  answer(call, 200, {}, body)
}

const toToken = (text: string) => Buffer.from(text, 'utf8').toString('base64')
const fromToken = (token: string) => {
  const text = Buffer.from(token, 'base64').toString('utf8')
  if (toToken(text) !== token || text.includes('\0'))
    throw new S3Error('InvalidArgument', 'The continuation token provided is incorrect')
  return text
}

/** How keys are written: as they are, or percent-encoded where the client asks for it. */
function encodingOf(call: S3Call): (text: string) => string {
  const type = parameter(call, 'encoding-type')
  if (type === undefined) return (text) => text
  if (type !== 'url') throw new S3Error('InvalidArgument', 'Invalid Encoding Method specified in Request')
  return (text) => text.split('/').map(encodeStrictly).join('/')
}

function written(
  { items }: Listed,
  encode: (text: string) => string,
  owner: WrittenElement | undefined,
): { Contents: WrittenElement[]; CommonPrefixes: WrittenElement[] } {
  return {
    Contents: items.flatMap((item) =>
      'prefix' in item
        ? []
        : [
            {
              Key: encode(item.object.key),
              LastModified: item.object.mtime.toISOString(),
              ETag: `"${item.object.etag}"`,
              Size: item.object.size,
              Owner: owner,
              StorageClass: 'STANDARD',
            },
          ],
    ),
    CommonPrefixes: items.flatMap((item) => ('prefix' in item ? [{ Prefix: encode(item.prefix) }] : [])),
  }
}

const lastOf = ({ items }: Listed): string => {
  const last = items.at(-1)
  return last === undefined ? '' : 'prefix' in last ? last.prefix : last.object.key
}

export const listBucket: Operation = async (call, { buckets, sql }) => {
  const bucket = await bucketFor(buckets, call, 's3:ListBucket')
  const isSecond = parameter(call, 'list-type') === '2'
  const encode = encodingOf(call)
  const most = numberParameter(call, 'max-keys', MOST_LISTED, MOST_LISTED)
  const [prefix, delimiter] = [parameter(call, 'prefix') ?? '', parameter(call, 'delimiter') ?? '']
  const [token, startAfter, marker] = ['continuation-token', 'start-after', 'marker'].map((name) =>
    parameter(call, name),
  )
  const after = isSecond ? (token ? fromToken(token) : (startAfter ?? '')) : (marker ?? '')
  const listed = await listObjects(sql, bucket, { prefix, delimiter, after, most })
  const isOwnerTold = !isSecond || parameter(call, 'fetch-owner') === 'true'
  const rows = written(listed, encode, isOwnerTold ? ownerOf(bucket.owner) : undefined)
  const common = {
    Name: bucket.name,
    Prefix: encode(prefix),
    Delimiter: delimiter === '' ? undefined : encode(delimiter),
    MaxKeys: most,
    EncodingType: parameter(call, 'encoding-type'),
    IsTruncated: listed.truncated,
  }
  const body = isSecond
    ? writeXml('ListBucketResult', {
        ...common,
        KeyCount: listed.items.length,
        ContinuationToken: token,
        NextContinuationToken: listed.truncated ? toToken(lastOf(listed)) : undefined,
        StartAfter: startAfter === undefined ? undefined : encode(startAfter),
        ...rows,
      })
    : writeXml('ListBucketResult', {
        ...common,
        Marker: encode(marker ?? ''),
        NextMarker: listed.truncated && delimiter !== '' ? encode(lastOf(listed)) : undefined,
        ...rows,
      })
  answer(call, 200, {}, body)
}

export const deleteObjects: Operation = async (call, { buckets, objects }) => {
  const bucket = await buckets.find(call.bucket!)
  if (!bucket) throw noSuchBucket()
  const document = readXml(await readText(call, DELETE_DOCUMENT))
  const named = document.children.filter(({ name }) => name === 'Object')
  if (document.name !== 'Delete' || named.length === 0 || named.length > MOST_LISTED)
    throw new S3Error('MalformedXML', `Name 1 to ${MOST_LISTED} objects in a Delete`)
  const isQuiet = childText(document, 'Quiet') === 'true'
  const keys: string[] = []
  const errors: WrittenElement[] = []
  for (const element of named) {
    const key = childText(element, 'Key')
    if (key === undefined || key === '') throw new S3Error('MalformedXML', 'An Object lacks its Key')
    const version = childText(element, 'VersionId')
    const refuse = (code: string, message: string) => errors.push({ Key: key, Code: code, Message: message })
    if (element.children.some(({ name }) => name === 'ETag' || name === 'Size' || name === 'LastModifiedTime'))
      refuse('NotImplemented', 'Conditions of deletions are not there')
    else if (version !== undefined && version !== 'null') refuse('NoSuchVersion', 'Versions are not kept')
    else if (mayDo(call, bucket, 's3:DeleteObject', key)) keys.push(key)
    else refuse('AccessDenied', 'Access Denied')
  }
  if (keys.length > 0) await objects.remove(bucket, keys)
  const deleted = isQuiet ? [] : keys.map((Key) => ({ Key }))
  answer(call, 200, {}, writeXml('DeleteResult', { Deleted: deleted, Error: errors }))
}

export const getPolicy: Operation = async (call, { buckets }) => {
  const { policy } = await bucketFor(buckets, call, 's3:GetBucketPolicy')
  if (policy === null) throw new S3Error('NoSuchBucketPolicy', 'The bucket policy does not exist')
  answer(call, 200, { 'content-type': 'application/json' }, policy)
}

export const putPolicy: Operation = async (call, { buckets }) => {
  const bucket = await bucketFor(buckets, call, 's3:PutBucketPolicy')
  const text = await readText(call, MOST_POLICY_BYTES)
  readPolicy(text, bucket.name)
  if (call.headers[S3_VALIDATE_HEADER] !== 'true') await buckets.setPolicy(bucket, text)
  answer(call, 204, {})
}

export const deletePolicy: Operation = async (call, { buckets }) => {
  await buckets.setPolicy(await bucketFor(buckets, call, 's3:DeleteBucketPolicy'), null)
  answer(call, 204, {})
}

export const listUploads: Operation = async (call, { buckets, multipart }) => {
  const bucket = await bucketFor(buckets, call, 's3:ListBucketMultipartUploads')
  if (parameter(call, 'delimiter')) throw notImplemented('lists of uploads with a delimiter')
  const encode = encodingOf(call)
  const most = numberParameter(call, 'max-uploads', MOST_LISTED, MOST_LISTED)
  const [prefix = '', afterKey = '', afterId = ''] = ['prefix', 'key-marker', 'upload-id-marker'].map((name) =>
    parameter(call, name),
  )
  if (Buffer.byteLength(afterKey) > MOST_KEY_BYTES) throw new S3Error('KeyTooLongError', 'Your key is too long')
  const { uploads, truncated } = await multipart.list(bucket, { prefix, afterKey, afterId, most })
  const last = uploads.at(-1)
  const body = writeXml('ListMultipartUploadsResult', {
    Bucket: bucket.name,
    KeyMarker: encode(afterKey),
    UploadIdMarker: afterId,
    NextKeyMarker: truncated ? encode(last!.key) : undefined,
    NextUploadIdMarker: truncated ? last!.id : undefined,
    Prefix: encode(prefix),
    MaxUploads: most,
    EncodingType: parameter(call, 'encoding-type'),
    IsTruncated: truncated,
    Upload: uploads.map(({ key, id, started_at }) => ({
      Key: encode(key),
      UploadId: id,
      Initiator: ownerOf(bucket.owner),
      Owner: ownerOf(bucket.owner),
      StorageClass: 'STANDARD',
      Initiated: started_at.toISOString(),
    })),
  })
  answer(call, 200, {}, body)
}
