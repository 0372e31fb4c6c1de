import { randomBytes } from 'node:crypto'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { customerKey, type CustomerKey, refused, type S3Bench, startS3 } from './clients/client'

/* Copies of encrypted objects: a copy shares the file if the key is the same, and is encrypted again otherwise. */

let bench: S3Bench
let s3: S3Client
const Bucket = 'encrypted-copies'
beforeAll(async () => {
  bench = await startS3({ environment: { MAINSTAY_S3_KMS_KEYS: 'payroll,archive' } })
  s3 = (await bench.client('project-member')).s3
  await s3.send(new CreateBucketCommand({ Bucket }))
})
afterAll(() => bench.close())

const asSource = ({ SSECustomerAlgorithm, SSECustomerKey, SSECustomerKeyMD5 }: CustomerKey) => ({
  CopySourceSSECustomerAlgorithm: SSECustomerAlgorithm,
  CopySourceSSECustomerKey: SSECustomerKey,
  CopySourceSSECustomerKeyMD5: SSECustomerKeyMD5,
})
const secret = customerKey()
const withKms = (SSEKMSKeyId: string) => ({ ServerSideEncryption: 'aws:kms' as const, SSEKMSKeyId })

const put = (Key: string, Body: Buffer, more = {}) => s3.send(new PutObjectCommand({ Bucket, Key, Body, ...more }))
const get = (Key: string, more = {}) => s3.send(new GetObjectCommand({ Bucket, Key, ...more }))
const bytes = async (Key: string, more = {}) => Buffer.from(await (await get(Key, more)).Body!.transformToByteArray())
const head = (Key: string, more = {}) => s3.send(new HeadObjectCommand({ Bucket, Key, ...more }))

async function upload(Key: string, parts: readonly Buffer[], begin: object, each: object): Promise<void> {
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key, ...begin }))
  const done = []
  for (const [at, Body] of parts.entries()) {
    const PartNumber = at + 1
    const { ETag } = await s3.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body, ...each }))
    done.push({ ETag, PartNumber })
  }
  await s3.send(
    new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts: done }, ...each }),
  )
}

const copyModes: [string, object, object, object][] = [
  ['plain', {}, {}, {}],
  ['SSE-S3', { ServerSideEncryption: 'AES256' }, {}, {}],
  ['SSE-KMS', withKms('payroll'), {}, {}],
  ['SSE-KMS with another key', withKms('archive'), {}, {}],
  ['SSE-C', secret, secret, asSource(secret)],
]
const other = customerKey()
copyModes.push(['SSE-C with another key', other, other, asSource(other)])

it.each(copyModes)(
  'copies an object (%s) to every other mode with the same content',
  async (from, how, _key, source) => {
    const sizes = { small: randomBytes(500), large: randomBytes(200_000) }
    const parts = [randomBytes(5 * 1024 ** 2), randomBytes(7000)]
    for (const [size, body] of Object.entries(sizes)) await put(`${from}/${size}`, body, how)
    await upload(`${from}/in-parts`, parts, how, 'SSECustomerKey' in how ? how : {})
    for (const [to, how_, key] of copyModes) {
      for (const [size, body] of [...Object.entries(sizes), ['in-parts', Buffer.concat(parts)] as const]) {
        const Key = `copied/${from}/${to}/${size}`
        const CopySource = encodeURI(`${Bucket}/${from}/${size}`)
        await s3.send(new CopyObjectCommand({ Bucket, Key, CopySource, ...how_, ...source }))
        expect([Key, (await bytes(Key, key)).equals(body)]).toEqual([Key, true])
        const { ServerSideEncryption, SSECustomerKeyMD5 } = await head(Key, key)
        expect([Key, { ServerSideEncryption, SSECustomerKeyMD5 }]).toEqual([
          Key,
          {
            ServerSideEncryption: (how_ as { ServerSideEncryption?: string }).ServerSideEncryption,
            SSECustomerKeyMD5: (how_ as Partial<CustomerKey>).SSECustomerKeyMD5,
          },
        ])
      }
    }
  },
)

it('shares the file with a copy that uses the same key, and encrypts any other copy again', async () => {
  const inodeOf = async (Key: string) => {
    const [row] = await bench.server.sql.query<{ blob: string }>('select blob from s3_object where key = $1', [Key])
    const { blob } = row!
    return (await stat(path.join(bench.server.folder, 'engine', 's3', 'blobs', blob.slice(-2), blob))).ino
  }
  for (const [from, how, , source] of copyModes) {
    await put('inode', randomBytes(20_000), how)
    for (const [to, how_] of copyModes) {
      await s3.send(
        new CopyObjectCommand({ Bucket, Key: 'inode-copy', CopySource: `${Bucket}/inode`, ...how_, ...source }),
      )
      const isSame = (await inodeOf('inode')) === (await inodeOf('inode-copy'))
      expect([from, to, isSame]).toEqual([from, to, from === to])
    }
  }
})

it('changes the encryption of an object that is copied onto itself', async () => {
  const body = randomBytes(50_000)
  await put('itself', body)
  const copy = (more: object) =>
    s3.send(new CopyObjectCommand({ Bucket, Key: 'itself', CopySource: `${Bucket}/itself`, ...more }))
  expect(await refused(copy({}))).toBe('InvalidRequest')
  await copy(secret)
  expect(await refused(get('itself'))).toBe('InvalidRequest')
  await copy({ ...asSource(secret), ...other })
  expect((await bytes('itself', other)).equals(body)).toBe(true)
  expect(await refused(copy({ ...asSource(secret), ServerSideEncryption: 'AES256' }))).toBe('InvalidRequest')
  await copy({ ...asSource(other), ServerSideEncryption: 'AES256' })
  expect((await bytes('itself')).equals(body)).toBe(true)
})

it('copies parts from an encrypted object into an encrypted upload', async () => {
  const body = randomBytes(200_000)
  await put('part-source', body, secret)
  const Key = 'from-part'
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key, ...other }))
  const { CopyPartResult } = await s3.send(
    new UploadPartCopyCommand({
      ...{ Bucket, Key, UploadId, PartNumber: 1 },
      ...{ CopySource: `${Bucket}/part-source`, CopySourceRange: 'bytes=70000-150000', ...asSource(secret), ...other },
    }),
  )
  const Parts = [{ PartNumber: 1, ETag: CopyPartResult!.ETag }]
  await s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }))
  expect((await bytes(Key, other)).equals(body.subarray(70_000, 150_001))).toBe(true)
})
