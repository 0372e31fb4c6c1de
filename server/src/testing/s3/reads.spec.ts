import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import {
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startS3, type S3Bench } from './clients/client'

/* Reads use a pool of buffers that all responses share. */

const MiB = 1024 * 1024
const Bucket = 'reads'
let bench: S3Bench
let s3: S3Client
beforeAll(async () => {
  bench = await startS3()
  s3 = (await bench.client('project-member')).s3
  await s3.send(new CreateBucketCommand({ Bucket }))
})
afterAll(() => bench.close())

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const bodyOf = async (Key: string, Range?: string) =>
  (await s3.send(new GetObjectCommand({ Bucket, Key, ...(Range !== undefined && { Range }) }))).Body as Readable
const read = async (...of: Parameters<typeof bodyOf>) => hashOf(Buffer.concat(await (await bodyOf(...of)).toArray()))

it('returns the right content to concurrent reads, even if some are aborted', { tags: 'all' }, async () => {
  const objects = Array.from({ length: 5 }, (_, n) => ({ Key: `${n}`, Body: Buffer.alloc(5 * MiB + n, `${n}-own `) }))
  for (const object of objects) await s3.send(new PutObjectCommand({ Bucket, ...object }))
  const breakOff = async (Key: string) => {
    const body = await bodyOf(Key)
    for await (const _ of body) break
  }
  for (let round = 0; round < 3; round++) {
    const whole = objects.map(async ({ Key, Body }) => expect(await read(Key)).toBe(hashOf(Body)))
    await Promise.all([...whole, ...objects.map(({ Key }) => breakOff(Key))])
  }
})

it('reads a range of a multipart object across its files', async () => {
  const Key = 'parts'
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }))
  const parts = [Buffer.alloc(5 * MiB + 7, 'first '), Buffer.alloc(6 * MiB, 'second '), Buffer.alloc(3, 'end')]
  const Parts: { PartNumber: number; ETag: string }[] = []
  for (const [index, Body] of parts.entries()) {
    const named = { Bucket, Key, UploadId, PartNumber: index + 1 }
    const { ETag } = await s3.send(new UploadPartCommand({ ...named, Body }))
    Parts.push({ PartNumber: index + 1, ETag: ETag! })
  }
  await s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }))
  const all = Buffer.concat(parts)
  expect(await read(Key)).toBe(hashOf(all))
  for (const [start, end] of [
    [5 * MiB, 5 * MiB + 20],
    [MiB - 1, 9 * MiB + 1],
    [5 * MiB + 7, all.length - 1],
    [11 * MiB, 11 * MiB + 8],
  ] as const)
    expect(await read(Key, `bytes=${start}-${end}`)).toBe(hashOf(all.subarray(start, end + 1)))
})
