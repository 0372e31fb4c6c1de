import {
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectVersionsCommand,
  PutBucketPolicyCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  UploadPartCommand,
  type ObjectIdentifier,
  type S3Client,
  type S3ServiceException,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startS3, type S3Bench } from './clients/client'

/* Conditional deletions and writes. */

let bench: S3Bench
let s3: S3Client
let stranger: S3Client
const [Plain, Versioned] = ['delete-if', 'delete-if-versioned']
beforeAll(async () => {
  bench = await startS3()
  s3 = (await bench.client('project-member')).s3
  stranger = (await bench.client('other-member')).s3
  for (const Bucket of [Plain, Versioned]) await s3.send(new CreateBucketCommand({ Bucket }))
  const VersioningConfiguration = { Status: 'Enabled' as const }
  await s3.send(new PutBucketVersioningCommand({ Bucket: Versioned, VersioningConfiguration }))
})
afterAll(() => bench.close())

const refused = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    ({ name }: S3ServiceException) => name,
  )
const put = (Bucket: string, Key: string, Body: string, more = {}) =>
  s3.send(new PutObjectCommand({ Bucket, Key, Body, ...more }))
const remove = (Bucket: string, Key: string, more: object) =>
  refused(s3.send(new DeleteObjectCommand({ Bucket, Key, ...more })))
const isThere = async (Bucket: string, Key: string) =>
  (await refused(s3.send(new HeadObjectCommand({ Bucket, Key })))) === 'done'

it.each([Plain, Versioned])('deletes an object only if all conditions match (%s)', { tags: 'all' }, async (Bucket) => {
  const Key = 'seen'
  const { ETag } = await put(Bucket, Key, 'body')
  const { LastModified } = await s3.send(new HeadObjectCommand({ Bucket, Key }))
  const seen = { IfMatch: ETag, IfMatchSize: 4, IfMatchLastModifiedTime: LastModified }
  for (const other of [
    { IfMatch: '"0"' },
    { IfMatchSize: 5 },
    { IfMatchLastModifiedTime: new Date(LastModified!.getTime() - 1000) },
    { ...seen, IfMatchSize: 3 },
  ])
    expect([other, await remove(Bucket, Key, other)]).toEqual([other, 'PreconditionFailed'])
  expect(await isThere(Bucket, Key)).toBe(true)
  const ways = [{ IfMatch: ETag }, { IfMatch: ETag!.slice(1, -1) }, { IfMatch: '*' }, { IfMatchSize: 4 }, {}]
  for (const way of ways) {
    const { LastModified: at } = await s3.send(new HeadObjectCommand({ Bucket, Key }))
    const condition = Object.keys(way).length > 0 ? way : { ...seen, IfMatchLastModifiedTime: at }
    expect([condition, await remove(Bucket, Key, condition)]).toEqual([condition, 'done'])
    expect(await isThere(Bucket, Key)).toBe(false)
    await put(Bucket, Key, 'body')
  }
  // a missing object counts as deleted
  for (const way of [{ IfMatch: '*' }, { IfMatch: ETag }, { IfMatchSize: 4 }])
    expect(await remove(Bucket, 'never there', way)).toBe('done')
  const { Versions, DeleteMarkers } = await s3.send(new ListObjectVersionsCommand({ Bucket, Prefix: 'never' }))
  expect([Versions, DeleteMarkers]).toEqual([undefined, undefined])
})

it('refuses malformed conditions', async () => {
  const Key = 'unread'
  await put(Plain, Key, 'body')
  for (const [name, value] of [
    ['x-amz-if-match-size', 'large'],
    ['x-amz-if-match-size', '-1'],
    ['x-amz-if-match-last-modified-time', 'yesterday'],
  ] as const) {
    const command = new DeleteObjectCommand({ Bucket: Plain, Key })
    command.middlewareStack.add(
      (next) => (args) => {
        ;(args.request as { headers: Record<string, string> }).headers[name] = value
        return next(args)
      },
      { step: 'build' },
    )
    expect([name, value, await refused(s3.send(command))]).toEqual([name, value, 'InvalidArgument'])
  }
  const Delete = { Objects: [{ Key, Size: -1 }] }
  const { Errors } = await s3.send(new DeleteObjectsCommand({ Bucket: Plain, Delete }))
  expect(Errors!.map(({ Code }) => Code)).toEqual(['InvalidArgument'])
  expect(await isThere(Plain, Key)).toBe(true)
})

it('refuses conditional deletion of a hidden object, and deletes a version by its own ETag', async () => {
  const [Bucket, Key] = [Versioned, 'marked']
  const { ETag, VersionId } = await put(Bucket, Key, 'one')
  const { ETag: other } = await put(Bucket, Key, 'two')
  expect(await remove(Bucket, Key, { IfMatch: ETag })).toBe('PreconditionFailed')
  expect(await remove(Bucket, Key, { IfMatch: other })).toBe('done')
  for (const way of [{ IfMatch: '*' }, { IfMatch: other }, { IfMatchSize: 3 }])
    expect(await remove(Bucket, Key, way)).toBe('PreconditionFailed')
  expect(await remove(Bucket, Key, { VersionId, IfMatch: other })).toBe('PreconditionFailed')
  expect(await remove(Bucket, Key, { VersionId, IfMatch: ETag })).toBe('done')
  expect(await remove(Bucket, Key, { VersionId, IfMatch: ETag })).toBe('done')
  const { Versions, DeleteMarkers } = await s3.send(new ListObjectVersionsCommand({ Bucket, Prefix: Key }))
  expect([Versions!.map((it) => it.ETag), DeleteMarkers!.length]).toEqual([[other], 1])
})

it.each([Plain, Versioned])('checks the conditions of each object in a bulk deletion (%s)', async (Bucket) => {
  const keys = ['many-a', 'many-b', 'many-c', 'many-d', 'many-e']
  for (const Key of keys) await put(Bucket, Key, Key)
  const { ETag, LastModified } = await s3.send(new HeadObjectCommand({ Bucket, Key: 'many-a' }))
  const Objects: ObjectIdentifier[] = [
    { Key: 'many-a', ETag, Size: 6, LastModifiedTime: LastModified },
    { Key: 'many-b', ETag },
    { Key: 'many-c', Size: 7 },
    { Key: 'many-d', LastModifiedTime: new Date(0) },
    { Key: 'many-e' },
    { Key: 'never-there', ETag },
  ]
  const { Deleted, Errors } = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }))
  expect(Deleted!.map(({ Key }) => Key!).toSorted((one, other) => (one < other ? -1 : 1))).toEqual([
    'many-a',
    'many-e',
    'never-there',
  ])
  expect(Errors!.map(({ Key, Code }) => `${Key} ${Code}`)).toEqual([
    'many-b PreconditionFailed',
    'many-c PreconditionFailed',
    'many-d PreconditionFailed',
  ])
  const there = []
  for (const Key of keys) if (await isThere(Bucket, Key)) there.push(Key)
  expect(there).toEqual(['many-b', 'many-c', 'many-d'])
})

it.each([Plain, Versioned])(
  'never deletes an object that was written concurrently (%s)',
  { tags: 'all' },
  async (Bucket) => {
    for (let round = 0; round < 10; round++) {
      const Key = `race-${round}`
      const { ETag } = await put(Bucket, Key, 'seen')
      const [outcome] = await Promise.all([
        remove(Bucket, Key, { IfMatch: ETag }),
        put(Bucket, Key, 'written meanwhile'),
        remove(Bucket, Key, { IfMatchSize: 4 }),
      ])
      expect(['done', 'PreconditionFailed']).toContain(outcome)
      const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }))
      expect(await Body!.transformToString()).toBe('written meanwhile')
    }
  },
)

it('lets only one of many concurrent conditional deletions succeed', async () => {
  const Key = 'once'
  const { ETag } = await put(Versioned, Key, 'body')
  const all = await Promise.all(Array.from({ length: 10 }, () => remove(Versioned, Key, { IfMatch: ETag })))
  expect(all.filter((it) => it === 'done')).toHaveLength(1)
  const { DeleteMarkers } = await s3.send(new ListObjectVersionsCommand({ Bucket: Versioned, Prefix: Key }))
  expect(DeleteMarkers).toHaveLength(1)
})

it('does not let conditions reveal whether an object exists', async () => {
  const Key = 'guessed'
  const { ETag } = await put(Plain, Key, 'body')
  const allow = (...Action: string[]) => {
    const Statement = [{ Effect: 'Allow', Principal: '*', Action, Resource: `arn:aws:s3:::${Plain}/*` }]
    return s3.send(new PutBucketPolicyCommand({ Bucket: Plain, Policy: JSON.stringify({ Statement }) }))
  }
  await allow('s3:DeleteObject')
  for (const IfMatch of [ETag, '"0"', '*'])
    expect(await refused(stranger.send(new DeleteObjectCommand({ Bucket: Plain, Key, IfMatch })))).toBe('AccessDenied')
  const Delete = { Objects: [{ Key, ETag }] }
  const { Errors } = await stranger.send(new DeleteObjectsCommand({ Bucket: Plain, Delete }))
  expect(Errors!.map(({ Code }) => Code)).toEqual(['AccessDenied'])
  await allow('s3:DeleteObject', 's3:GetObject')
  expect(await refused(stranger.send(new DeleteObjectCommand({ Bucket: Plain, Key, IfMatch: ETag })))).toBe('done')
})

it('writes only if the existing object matches, including multipart uploads', async () => {
  const Key = 'completed'
  const { ETag: seen } = await put(Plain, Key, 'before')
  expect(await refused(put(Plain, Key, 'x', { IfNoneMatch: seen }))).toBe('NotImplemented')
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket: Plain, Key }))
  const of = { Bucket: Plain, Key, UploadId }
  const { ETag, ChecksumCRC32 } = await s3.send(new UploadPartCommand({ ...of, PartNumber: 1, Body: 'after' }))
  const MultipartUpload = { Parts: [{ PartNumber: 1, ETag, ChecksumCRC32 }] }
  const complete = (more: object) =>
    refused(s3.send(new CompleteMultipartUploadCommand({ ...of, MultipartUpload, ...more })))
  expect(await complete({ IfMatch: ETag })).toBe('PreconditionFailed')
  expect(await complete({ IfNoneMatch: '*' })).toBe('PreconditionFailed')
  expect(await complete({ IfNoneMatch: seen })).toBe('NotImplemented')
  expect(await complete({ IfMatch: seen })).toBe('done')
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: Plain, Key }))
  expect(await Body!.transformToString()).toBe('after')
})
