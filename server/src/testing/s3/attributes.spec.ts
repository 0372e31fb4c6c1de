import { createHash, randomBytes } from 'node:crypto'
import {
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
  type CompletedPart,
  type ObjectAttributes,
  type S3Client,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { refused, type S3Bench, startS3 } from './clients/client'

/* Attributes of objects. */

let bench: S3Bench
let s3: S3Client
let stranger: S3Client
const Bucket = 'attributes'
beforeAll(async () => {
  bench = await startS3()
  s3 = (await bench.client('project-member')).s3
  stranger = (await bench.client('other-member')).s3
  await s3.send(new CreateBucketCommand({ Bucket }))
})
afterAll(() => bench.close())

const all: ObjectAttributes[] = ['ETag', 'Checksum', 'ObjectParts', 'StorageClass', 'ObjectSize']
async function attributes(Key: string, more = {}, ObjectAttributes = all, client = s3) {
  const told = await client.send(new GetObjectAttributesCommand({ Bucket, Key, ObjectAttributes, ...more }))
  const { $metadata: _, LastModified, ...rest } = told
  expect(LastModified!.getTime()).toBeGreaterThan(Date.now() - 600_000)
  return rest
}

it('returns the requested attributes of an object', async () => {
  const Body = Buffer.from('some bytes')
  await s3.send(new PutObjectCommand({ Bucket, Key: 'one', Body, ChecksumAlgorithm: 'SHA256' }))
  const ETag = createHash('md5').update(Body).digest('hex')
  expect(await attributes('one')).toEqual({
    ...{ ETag, StorageClass: 'STANDARD', ObjectSize: 10 },
    Checksum: { ChecksumSHA256: createHash('sha256').update(Body).digest('base64'), ChecksumType: 'FULL_OBJECT' },
  })
  expect(await attributes('one', {}, ['ObjectSize'])).toEqual({ ObjectSize: 10 })
})

it('lists the parts of an object in pages', async () => {
  const Key = 'parts'
  const asked = { ChecksumAlgorithm: 'CRC32', ChecksumType: 'FULL_OBJECT' } as const
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key, ...asked }))
  const sizes = [5 * 1024 ** 2, 5 * 1024 ** 2 + 1, 5]
  const sums: (string | undefined)[] = []
  const Parts: CompletedPart[] = []
  for (const [at, size] of sizes.entries()) {
    // part numbers may have gaps
    const PartNumber = 3 * at + 2
    const part = { Bucket, Key, UploadId, PartNumber, Body: randomBytes(size), ChecksumAlgorithm: 'CRC32' as const }
    const { ETag, ChecksumCRC32 } = await s3.send(new UploadPartCommand(part))
    sums.push(ChecksumCRC32)
    Parts.push({ ETag, PartNumber })
  }
  const done = await s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }))
  const told = sizes.map((Size, at) => ({ PartNumber: at + 1, Size, ChecksumCRC32: sums[at] }))
  expect(await attributes(Key)).toEqual({
    ETag: done.ETag!.replaceAll('"', ''),
    Checksum: { ChecksumCRC32: done.ChecksumCRC32, ChecksumType: 'FULL_OBJECT' },
    ObjectParts: {
      ...{ TotalPartsCount: 3, PartNumberMarker: '0', NextPartNumberMarker: '3', MaxParts: 1000, IsTruncated: false },
      Parts: told,
    },
    ...{ StorageClass: 'STANDARD', ObjectSize: sizes.reduce((sum, size) => sum + size) },
  })
  const page = async (more: object) => (await attributes(Key, more)).ObjectParts
  expect(await page({ MaxParts: 2 })).toMatchObject({
    ...{ Parts: told.slice(0, 2), IsTruncated: true, NextPartNumberMarker: '2', TotalPartsCount: 3 },
  })
  expect(await page({ MaxParts: 2, PartNumberMarker: '2' })).toMatchObject({
    ...{ Parts: told.slice(2), IsTruncated: false, PartNumberMarker: '2', MaxParts: 2 },
  })
})

it('requires the customer key and the right to read', async () => {
  const key = randomBytes(32)
  const secret = { SSECustomerAlgorithm: 'AES256', SSECustomerKey: key.toString('base64') }
  await s3.send(new PutObjectCommand({ Bucket, Key: 'locked', Body: 'x', ...secret }))
  expect(await refused(attributes('locked'))).toBe('InvalidRequest')
  expect(await attributes('locked', secret)).toMatchObject({ ObjectSize: 1 })
  expect(await refused(attributes('locked', secret, all, stranger))).toBe('AccessDenied')
  expect(await refused(attributes('none'))).toBe('NoSuchKey')
})

it('refuses unknown attributes', async () => {
  await s3.send(new PutObjectCommand({ Bucket, Key: 'there', Body: 'x' }))
  expect(await refused(attributes('there', {}, ['Colour' as 'ETag']))).toBe('InvalidArgument')
  expect(await refused(attributes('there', {}, ['' as 'ETag']))).toBe('InvalidArgument')
  expect(await refused(attributes('there', { MaxParts: -1 }))).toBe('InvalidArgument')
  expect(await refused(attributes('there', { PartNumberMarker: 'x' }))).toBe('InvalidArgument')
})

it('refuses a part that the object does not have, and an invalid part number', async () => {
  await s3.send(new PutObjectCommand({ Bucket, Key: 'one', Body: 'x' }))
  const part = (PartNumber: number) => refused(s3.send(new GetObjectCommand({ Bucket, Key: 'one', PartNumber })))
  expect(await part(1)).toBe('nothing went wrong')
  expect(await part(2)).toBe('InvalidPartNumber')
  for (const number of [0, 10_001]) expect(await part(number)).toBe('InvalidArgument')
})
