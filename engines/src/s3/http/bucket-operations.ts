import { S3_VALIDATE_HEADER } from '@mainstay/contract/object-storage/s3-proxy'
import { S3_REGION } from '@mainstay/contract/object-storage/s3-service'
import { S3Error, accessDenied } from '../errors'
import { checkIfMatch, etagHeader } from './settings/seen'
import { MOST_POLICY_BYTES, readNewPolicy } from '../policy/policy'
import { isPublicPolicy } from '../policy/public'
import { encodeStrictly } from '../signature/canonical'
import { listObjects, type Listed } from '../store/lists'
import type { Bucket } from '../store/types'
import { isUploadId } from '../store/multipart'
import { listUploads } from '../store/upload-lists'
import { accessTo, bucketFor, checkBucketName } from './access'
import { sharingOfNewBucket, ownerElement, userElement } from './acl'
import { readText } from './body'
import { numberParameter, parameter, MOST_KEY_BYTES, type S3Call } from './call'
import { refuseHeaders } from './object-headers'
import { answer, type Operation } from './operations'
import { readXml, writeXml, type WrittenElement } from './xml'

/** Maximum number of entries per list page. */
export const MOST_LISTED = 1000
const SMALL_DOCUMENT = 64 * 1024

/** If the request has one of these parameters, the response includes the region of each bucket. */
const pagingOfBuckets = new Set(['bucket-region', 'continuation-token', 'max-buckets', 'prefix'])

export const listBuckets: Operation = async (call, { buckets }) => {
  const { userId } = call
  if (userId === null) throw accessDenied()
  const most = numberParameter(call, 'max-buckets', 10_000, 10_000)
  if (most === 0) throw new S3Error('InvalidArgument', 'Argument max-buckets must be an integer between 1 and 10000')
  const [prefix, token] = [parameter(call, 'prefix') ?? '', parameter(call, 'continuation-token') ?? '']
  const region = parameter(call, 'bucket-region')
  // there is only one region
  const isElsewhere = region !== undefined && region !== '' && region !== S3_REGION
  const found = isElsewhere ? [] : await buckets.list(userId, prefix, fromToken(token), most + 1)
  const isRegionTold = call.query.some(([name]) => pagingOfBuckets.has(name))
  const page = found.slice(0, most)
  const body = writeXml('ListAllMyBucketsResult', {
    Owner: userElement(userId),
    Buckets: {
      Bucket: page.map(({ name, created_at }) => ({
        Name: name,
        CreationDate: created_at.toISOString(),
        BucketRegion: isRegionTold ? S3_REGION : undefined,
      })),
    },
    ContinuationToken: found.length > most ? toToken(page.at(-1)!.name) : undefined,
    Prefix: prefix === '' ? undefined : prefix,
  })
  await answer(call, 200, {}, body)
}

export const createBucket: Operation = async (call, store) => {
  const { userId, bucket, headers } = call
  if (userId === null) throw accessDenied()
  checkBucketName(bucket!)
  refuseHeaders(headers)
  if (Number(headers['content-length'] ?? 0) > 0 || headers['x-amz-decoded-content-length'] !== undefined) {
    const text = await readText(call, SMALL_DOCUMENT)
    if (text !== '' && readXml(text).name !== 'CreateBucketConfiguration')
      throw new S3Error('MalformedXML', 'The XML you provided is not a CreateBucketConfiguration')
  }
  const isLocked = headers['x-amz-bucket-object-lock-enabled']?.toLowerCase() === 'true'
  const sharing = await sharingOfNewBucket(call, store, userId)
  await store.blobs.checkSpace(0)
  await store.buckets.create(bucket!, userId, {
    ...sharing,
    ...(isLocked && { versioning: 'Enabled' as const, lock: {} }),
  })
  await answer(call, 200, { location: `/${bucket}` })
}

export const headBucket: Operation = async (call, { buckets }) => {
  await bucketFor(buckets, call, 's3:ListBucket')
  await answer(call, 200, { 'x-amz-bucket-region': S3_REGION })
}

export const deleteBucket: Operation = async (call, { buckets }) => {
  await buckets.remove(await bucketFor(buckets, call, 's3:DeleteBucket'))
  await answer(call, 204, {})
}

export const bucketLocation: Operation = async (call, { buckets }) => {
  await bucketFor(buckets, call, 's3:GetBucketLocation')
  // an empty element means us-east-1
  await answer(call, 200, {}, writeXml('LocationConstraint', {}))
}

const toToken = (text: string) => Buffer.from(text, 'utf8').toString('base64')
const fromToken = (token: string) => {
  const text = Buffer.from(token, 'base64').toString('utf8')
  if (toToken(text) !== token || text.includes('\0'))
    throw new S3Error('InvalidArgument', 'The continuation token provided is incorrect')
  return text
}

/**
 * Returns a function that encodes keys for the response: with percent-encoding if `encoding-type=url` is set, otherwise
 * unchanged.
 */
export function encodingOf(call: S3Call): (text: string) => string {
  const type = parameter(call, 'encoding-type')
  if (type === undefined) return (text) => text
  if (type !== 'url') throw new S3Error('InvalidArgument', 'Invalid Encoding Method specified in Request')
  return (text) => text.split('/').map(encodeStrictly).join('/')
}

function written(
  { items }: Listed,
  encode: (text: string) => string,
  /** Null omits the owners. */
  bucket: Bucket | null,
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
              Owner: bucket === null ? undefined : ownerElement(bucket, item.object.owner),
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
  if (parameter(call, 'allow-unordered') === 'true' && delimiter !== '')
    throw new S3Error('InvalidArgument', 'An unordered list cannot have a delimiter')
  const listed = await listObjects(sql, bucket, { prefix, delimiter, after, most })
  const isOwnerTold = !isSecond || parameter(call, 'fetch-owner') === 'true'
  const rows = written(listed, encode, isOwnerTold ? bucket : null)
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
  await answer(call, 200, {}, body)
}

export const getPolicy: Operation = async (call, { buckets }) => {
  const { policy } = await bucketFor(buckets, call, 's3:GetBucketPolicy')
  if (policy === null) throw new S3Error('NoSuchBucketPolicy', 'The bucket policy does not exist')
  await answer(call, 200, { 'content-type': 'application/json', ...etagHeader(policy) }, policy)
}

export const putPolicy: Operation = async (call, { buckets }) => {
  const bucket = await bucketFor(buckets, call, 's3:PutBucketPolicy')
  const text = await readText(call, MOST_POLICY_BYTES)
  const policy = readNewPolicy(text, bucket.name)
  if (accessTo(bucket).block.blockPublicPolicy && isPublicPolicy(policy)) throw accessDenied()
  if (call.headers[S3_VALIDATE_HEADER] !== 'true')
    await buckets.setPolicy(bucket, text, (held) => checkIfMatch(call, held.policy))
  await answer(call, 204, {})
}

export const deletePolicy: Operation = async (call, { buckets }) => {
  const bucket = await bucketFor(buckets, call, 's3:DeleteBucketPolicy')
  await buckets.setPolicy(bucket, null, (held) => checkIfMatch(call, held.policy))
  await answer(call, 204, {})
}

export const listBucketUploads: Operation = async (call, { buckets, sql }) => {
  const bucket = await bucketFor(buckets, call, 's3:ListBucketMultipartUploads')
  const encode = encodingOf(call)
  const most = numberParameter(call, 'max-uploads', MOST_LISTED, MOST_LISTED)
  const [prefix = '', delimiter = '', afterKey = '', marker = ''] = [
    ...['prefix', 'delimiter', 'key-marker', 'upload-id-marker'],
  ].map((name) => parameter(call, name))
  if (Buffer.byteLength(afterKey) > MOST_KEY_BYTES) throw new S3Error('KeyTooLongError', 'Your key is too long')
  const afterId = isUploadId(marker) ? marker : null
  const { items, truncated } = await listUploads(sql, bucket, { prefix, delimiter, afterKey, afterId, most })
  const last = truncated ? items.at(-1)! : undefined
  const body = writeXml('ListMultipartUploadsResult', {
    Bucket: bucket.name,
    KeyMarker: encode(afterKey),
    UploadIdMarker: marker,
    NextKeyMarker: last && encode('prefix' in last ? last.prefix : last.upload.key),
    NextUploadIdMarker: last && ('prefix' in last ? '' : last.upload.id),
    Prefix: encode(prefix),
    Delimiter: delimiter === '' ? undefined : encode(delimiter),
    MaxUploads: most,
    EncodingType: parameter(call, 'encoding-type'),
    IsTruncated: truncated,
    Upload: items.flatMap((item) =>
      'prefix' in item
        ? []
        : [
            {
              Key: encode(item.upload.key),
              UploadId: item.upload.id,
              Initiator: userElement(item.upload.head.initiator ?? bucket.owner),
              Owner: ownerElement(bucket, item.upload.head.owner),
              StorageClass: 'STANDARD',
              Initiated: item.upload.started_at.toISOString(),
            },
          ],
    ),
    CommonPrefixes: items.flatMap((item) => ('prefix' in item ? [{ Prefix: encode(item.prefix) }] : [])),
  })
  await answer(call, 200, {}, body)
}
