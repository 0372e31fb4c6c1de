import { createHash, randomBytes } from 'node:crypto'
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListPartsCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
  type ChecksumAlgorithm,
  type ChecksumType,
  type CompletedPart,
} from '@aws-sdk/client-s3'
import { combineCrcs } from '@mainstay/engines/s3/store/crc-combine'
import { checksum } from '@mainstay/engines/s3/store/digests'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { refused, type S3Bench, startS3 } from './clients/client'

/* Checksums of objects, parts and multipart objects. */

let bench: S3Bench
let s3: S3Client
/** A client that sends no checksums. */
let bare: S3Client
const Bucket = 'checksums'
beforeAll(async () => {
  bench = await startS3()
  const { s3: client, accessKey: accessKeyId, secretKey: secretAccessKey } = await bench.client('project-member')
  s3 = client
  bare = new S3Client({
    ...{ endpoint: bench.endpoint, region: 'us-east-1', forcePathStyle: true },
    credentials: { accessKeyId, secretAccessKey },
    ...{ requestChecksumCalculation: 'WHEN_REQUIRED', responseChecksumValidation: 'WHEN_REQUIRED' },
  })
  await s3.send(new CreateBucketCommand({ Bucket }))
})
afterAll(async () => {
  bare.destroy()
  await bench.close()
})

const MiB = 1024 ** 2
const parts = [randomBytes(5 * MiB), randomBytes(5 * MiB + 17), randomBytes(4321)]
const whole = Buffer.concat(parts)
async function sum(name: 'crc32' | 'crc32c' | 'crc64nvme' | 'sha1' | 'sha256', of: Buffer): Promise<string> {
  const digest = await checksum(name)
  digest.update(of)
  return digest.end()
}

interface Asked {
  ChecksumAlgorithm?: ChecksumAlgorithm
  ChecksumType?: ChecksumType
}
async function begin(Key: string, asked: Asked, client = s3, bodies: readonly Buffer[] = parts) {
  const begun = await client.send(new CreateMultipartUploadCommand({ Bucket, Key, ...asked }))
  const { UploadId } = begun
  const Parts: CompletedPart[] = []
  for (const [at, Body] of bodies.entries()) {
    const PartNumber = at + 1
    const { ChecksumAlgorithm } = asked
    const part = { Bucket, Key, UploadId, PartNumber, Body, ...(ChecksumAlgorithm && { ChecksumAlgorithm }) }
    const { ETag } = await client.send(new UploadPartCommand(part))
    Parts.push({ ETag, PartNumber })
  }
  const complete = (more = {}) =>
    client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts }, ...more }))
  return { begun, UploadId, Parts, complete }
}
const head = (Key: string, more = {}) =>
  s3.send(new HeadObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED', ...more }))

it.each(['crc32', 'crc32c', 'crc64nvme'] as const)(
  'the %s of concatenated texts is computed from their checksums',
  async (name) => {
    expect(await sum(name, Buffer.from('123456789'))).toBe(
      { crc32: 'y/Q5Jg==', crc32c: '4waSgw==', crc64nvme: 'rosUhgp5mIg=' }[name],
    )
    for (const lengths of [
      [0, 0],
      [0, 5],
      [5, 0],
      [1, 1],
      [1000, 70_001],
      [3, 3, 3, 3],
      [65_536, 1, 0, 99],
    ]) {
      const texts = lengths.map((length) => randomBytes(length))
      const each = await Promise.all(texts.map(async (one) => ({ size: one.length, value: await sum(name, one) })))
      expect([lengths, combineCrcs(name, each)]).toEqual([lengths, await sum(name, Buffer.concat(texts))])
    }
  },
)

it.each(['CRC32', 'CRC32C', 'CRC64NVME'] as const)(
  'an upload may have the %s of the whole object',
  async (algorithm) => {
    const asked: Asked = { ChecksumAlgorithm: algorithm, ChecksumType: 'FULL_OBJECT' }
    const Key = `whole-${algorithm}`
    const { begun, complete } = await begin(Key, asked)
    expect(begun).toMatchObject(asked)
    const name = `Checksum${algorithm}`
    const value = await sum(algorithm.toLowerCase() as 'crc32', whole)
    const wrong = await sum(algorithm.toLowerCase() as 'crc32', parts[0]!)
    expect(await refused(complete({ [name]: wrong, ChecksumType: 'FULL_OBJECT' }))).toBe('BadDigest')
    expect(await refused(complete({ ChecksumType: 'COMPOSITE' }))).toBe('InvalidRequest')
    expect(await refused(complete({ MpuObjectSize: whole.length - 1 }))).toBe('InvalidRequest')
    expect(await refused(head(Key))).toBe('NotFound')
    const told = { [name]: value, ChecksumType: 'FULL_OBJECT' }
    expect(await complete({ ...told, MpuObjectSize: whole.length })).toMatchObject(told)
    expect(await head(Key)).toMatchObject(told)
    // the SDK verifies the checksum while reading
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }))
    expect(Buffer.from(await Body!.transformToByteArray()).equals(whole)).toBe(true)
    expect((await head(Key, { Range: 'bytes=0-9' })) as unknown as Record<string, unknown>).not.toHaveProperty(name)
  },
)

it.each(['CRC32', 'CRC32C', 'SHA1', 'SHA256'] as const)(
  'without a type, the %s of an upload is a composite of its parts',
  async (algorithm) => {
    const Key = `composite-${algorithm}`
    const { complete } = await begin(Key, { ChecksumAlgorithm: algorithm })
    const name = `Checksum${algorithm}`
    const each = await Promise.all(parts.map((part) => sum(algorithm.toLowerCase() as 'sha1', part)))
    const value = `${await sum(algorithm.toLowerCase() as 'sha1', Buffer.concat(each.map((one) => Buffer.from(one, 'base64'))))}-3`
    const told = { [name]: value, ChecksumType: 'COMPOSITE' }
    expect(await complete()).toMatchObject(told)
    expect(await head(Key)).toMatchObject(told)
  },
)

it('refuses unsupported checksum types and algorithms for an upload', async () => {
  const create = (asked: Asked) =>
    refused(s3.send(new CreateMultipartUploadCommand({ Bucket, Key: 'refused', ...asked })))
  for (const ChecksumAlgorithm of ['SHA1', 'SHA256'] as const)
    expect(await create({ ChecksumAlgorithm, ChecksumType: 'FULL_OBJECT' })).toBe('InvalidRequest')
  expect(await create({ ChecksumAlgorithm: 'CRC64NVME', ChecksumType: 'COMPOSITE' })).toBe('InvalidRequest')
  expect(await create({ ChecksumAlgorithm: 'MD4' as 'SHA1' })).toBe('InvalidRequest')
  const { UploadId } = await s3.send(
    new CreateMultipartUploadCommand({ Bucket, Key: 'other', ChecksumAlgorithm: 'SHA256' }),
  )
  const part = { Bucket, Key: 'other', UploadId, PartNumber: 1, Body: 'x', ChecksumAlgorithm: 'CRC32' as const }
  expect(await refused(s3.send(new UploadPartCommand(part)))).toBe('InvalidRequest')
})

it('distinguishes a malformed checksum from a wrong one', async () => {
  const put = (ChecksumSHA256: string) =>
    refused(s3.send(new PutObjectCommand({ Bucket, Key: 'told', Body: 'x', ChecksumSHA256 })))
  const ofOther = createHash('sha256').update('y').digest('base64')
  expect(await put(ofOther)).toBe('BadDigest')
  for (const none of ['bad', 'bad=', ofOther.slice(4), ofOther.replace('=', ''), `${ofOther} `.replace('=', '*')])
    expect(await put(none)).toBe('InvalidRequest')
  expect(await refused(s3.send(new HeadObjectCommand({ Bucket, Key: 'told' })))).toBe('NotFound')
})

it('stores a CRC64NVME of the whole object if the client sends no checksum', async () => {
  const value = await sum('crc64nvme', whole)
  await bare.send(new PutObjectCommand({ Bucket, Key: 'silent', Body: whole }))
  const { complete } = await begin('silent-parts', {}, bare)
  const told = { ChecksumCRC64NVME: value, ChecksumType: 'FULL_OBJECT' }
  expect(await complete()).toMatchObject(told)
  for (const Key of ['silent', 'silent-parts']) expect(await head(Key)).toMatchObject(told)
  expect(await bare.send(new HeadObjectCommand({ Bucket, Key: 'silent' }))).not.toHaveProperty('ChecksumCRC64NVME')
})

it('lists parts with their checksums, and verifies the checksums on completion', async () => {
  const { UploadId, Parts, complete } = await begin('listed', {
    ...{ ChecksumAlgorithm: 'CRC32C', ChecksumType: 'FULL_OBJECT' },
  })
  const listed = await s3.send(new ListPartsCommand({ Bucket, Key: 'listed', UploadId }))
  const each = await Promise.all(parts.map((part) => sum('crc32c', part)))
  expect(listed).toMatchObject({ ChecksumAlgorithm: 'CRC32C', ChecksumType: 'FULL_OBJECT' })
  expect(listed.Parts!.map((part) => part.ChecksumCRC32C)).toEqual(each)
  const named = (sums: string[]) => ({
    MultipartUpload: { Parts: Parts.map((part, at) => ({ ...part, ChecksumCRC32C: sums[at] })) },
  })
  expect(await refused(complete(named(each.toReversed())))).toBe('InvalidPart')
  await complete(named(each))
  for (const PartNumber of [1, 2, 3]) {
    const part = await s3.send(new GetObjectCommand({ Bucket, Key: 'listed', PartNumber, ChecksumMode: 'ENABLED' }))
    expect(part).toMatchObject({ ChecksumCRC32C: each[PartNumber - 1], PartsCount: 3 })
    expect(Buffer.from(await part.Body!.transformToByteArray()).equals(parts[PartNumber - 1]!)).toBe(true)
  }
})

it('computes the checksum of a copied part with its upload’s algorithm', async () => {
  await s3.send(new PutObjectCommand({ Bucket, Key: 'source', Body: parts[0]! }))
  const asked: Asked = { ChecksumAlgorithm: 'CRC32', ChecksumType: 'FULL_OBJECT' }
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: 'by-copy', ...asked }))
  const { CopyPartResult } = await s3.send(
    new UploadPartCopyCommand({ Bucket, Key: 'by-copy', UploadId, PartNumber: 1, CopySource: `${Bucket}/source` }),
  )
  const value = await sum('crc32', parts[0]!)
  expect(CopyPartResult!.ChecksumCRC32).toBe(value)
  const Parts = [{ PartNumber: 1, ETag: CopyPartResult!.ETag }]
  const end = { Bucket, Key: 'by-copy', UploadId, MultipartUpload: { Parts }, ChecksumCRC32: value }
  expect(await s3.send(new CompleteMultipartUploadCommand(end))).toMatchObject({ ChecksumCRC32: value })
})

it('keeps the checksum when copying an object, or computes the requested one', async () => {
  const { complete } = await begin('to-copy', { ChecksumAlgorithm: 'SHA256' })
  await complete()
  const copy = async (more: { ChecksumAlgorithm?: ChecksumAlgorithm }) => {
    const { CopyObjectResult } = await s3.send(
      new CopyObjectCommand({ Bucket, Key: 'copied', CopySource: `${Bucket}/to-copy`, ...more }),
    )
    const { ETag: _, LastModified: __, ...told } = CopyObjectResult!
    expect(await head('copied')).toMatchObject(told)
    return told
  }
  expect(await copy({})).toEqual({ ChecksumSHA256: (await head('to-copy')).ChecksumSHA256, ChecksumType: 'COMPOSITE' })
  expect(await copy({ ChecksumAlgorithm: 'SHA256' })).toEqual({
    ChecksumSHA256: createHash('sha256').update(whole).digest('base64'),
    ChecksumType: 'FULL_OBJECT',
  })
  expect(await copy({ ChecksumAlgorithm: 'CRC32C' })).toEqual({
    ChecksumCRC32C: await sum('crc32c', whole),
    ChecksumType: 'FULL_OBJECT',
  })
})
