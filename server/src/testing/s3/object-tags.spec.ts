import { createHash } from 'node:crypto'
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketPolicyCommand,
  DeleteObjectTaggingCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutBucketPolicyCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  UploadPartCommand,
  type S3Client,
  type Tag,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { refused, type S3Bench, startS3 } from './clients/client'

/* Object tags, as set and read by S3 clients. */

let bench: S3Bench
let s3: S3Client
let stranger: S3Client
const Bucket = 'object-tags'
beforeAll(async () => {
  bench = await startS3()
  s3 = (await bench.client('project-member')).s3
  stranger = (await bench.client('other-member')).s3
  await s3.send(new CreateBucketCommand({ Bucket }))
})
afterAll(() => bench.close())

const put = (Key: string, Body: string, more = {}) => s3.send(new PutObjectCommand({ Bucket, Key, Body, ...more }))
const tags = async (Key: string) => (await s3.send(new GetObjectTaggingCommand({ Bucket, Key }))).TagSet
const setTags = (Key: string, TagSet: Tag[]) =>
  s3.send(new PutObjectTaggingCommand({ Bucket, Key, Tagging: { TagSet } }))
const many = (count: number) => Array.from({ length: count }, (_, n) => ({ Key: `key-${n}`, Value: `${n}` }))
const listed = async (Key: string) =>
  (await s3.send(new ListObjectsV2Command({ Bucket, Prefix: Key }))).Contents!.map(({ ETag, LastModified }) => [
    ETag,
    LastModified!.getTime(),
  ])[0]

it('keeps an object’s tags until they are replaced or removed, and changes nothing else', async () => {
  await put('plain', 'body')
  const before = await listed('plain')
  expect(await tags('plain')).toEqual([])
  await setTags('plain', [
    { Key: 'stage', Value: 'test' },
    { Key: 'costs <&> é', Value: '' },
  ])
  expect(await tags('plain')).toEqual([
    { Key: 'costs <&> é', Value: '' },
    { Key: 'stage', Value: 'test' },
  ])
  const { TagCount } = await s3.send(new HeadObjectCommand({ Bucket, Key: 'plain' }))
  expect([TagCount, (await s3.send(new GetObjectCommand({ Bucket, Key: 'plain' }))).TagCount]).toEqual([2, 2])
  await setTags('plain', many(10))
  expect(await tags('plain')).toHaveLength(10)
  await s3.send(new DeleteObjectTaggingCommand({ Bucket, Key: 'plain' }))
  expect(await tags('plain')).toEqual([])
  expect((await s3.send(new HeadObjectCommand({ Bucket, Key: 'plain' }))).TagCount).toBeUndefined()
  expect(await listed('plain')).toEqual(before)
})

it('refuses invalid tags and keeps the existing ones', async () => {
  await put('limits', 'body', { Tagging: 'only=one' })
  const same = [1, 2].map((Value) => ({ Key: 'same', Value: `${Value}` }))
  for (const wrong of [many(11), same, [{ Key: '', Value: '' }], [{ Key: 'x'.repeat(129), Value: '' }]])
    expect(await refused(setTags('limits', wrong))).toBe('InvalidTag')
  expect(await refused(setTags('limits', [{ Key: 'x', Value: 'x'.repeat(257) }]))).toBe('InvalidTag')
  expect(await refused(setTags('never there', many(1)))).toBe('NoSuchKey')
  expect(await refused(tags('never there'))).toBe('NoSuchKey')
  const headers: [string, string][] = [
    ['a=1&a=2', 'InvalidArgument'],
    ['a=%ff', 'InvalidArgument'],
    [
      many(11)
        .map(({ Key }) => `${Key}=`)
        .join('&'),
      'InvalidTag',
    ],
    [`a=${'x'.repeat(257)}`, 'InvalidTag'],
  ]
  for (const [Tagging, code] of headers)
    expect([Tagging, await refused(put('limits', 'other', { Tagging }))]).toEqual([Tagging, code])
  expect(await tags('limits')).toEqual([{ Key: 'only', Value: 'one' }])
})

it('accepts tags with an object, a multipart upload and a copy', async () => {
  const expected = [
    { Key: 'a b', Value: 'c&d=e' },
    { Key: 'é', Value: '' },
  ]
  const Tagging = 'a+b=c%26d%3De&%C3%A9'
  await put('with', 'body', { Tagging })
  expect(await tags('with')).toEqual(expected)

  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: 'parts', Tagging }))
  const of = { Bucket, Key: 'parts', UploadId }
  const { ETag, ChecksumCRC32 } = await s3.send(new UploadPartCommand({ ...of, PartNumber: 1, Body: 'part' }))
  const Parts = [{ PartNumber: 1, ETag, ChecksumCRC32 }]
  await s3.send(new CompleteMultipartUploadCommand({ ...of, MultipartUpload: { Parts } }))
  expect(await tags('parts')).toEqual(expected)

  const copy = (Key: string, more: object) =>
    s3.send(new CopyObjectCommand({ Bucket, Key, CopySource: `${Bucket}/with`, ...more }))
  await copy('copy', { Tagging: 'not=taken', MetadataDirective: 'REPLACE' })
  expect(await tags('copy')).toEqual(expected)
  await copy('copy', { TaggingDirective: 'REPLACE', Tagging: 'new=one' })
  expect(await tags('copy')).toEqual([{ Key: 'new', Value: 'one' }])
  await copy('copy', { TaggingDirective: 'REPLACE' })
  expect(await tags('copy')).toEqual([])
  expect(await refused(copy('copy', { TaggingDirective: 'SOME' }))).toBe('InvalidArgument')
  // overwriting an object replaces its tags
  await put('with', 'other')
  expect(await tags('with')).toEqual([])
})

it('copies no tags that the caller may not read, and sets none that the policy forbids', async () => {
  const Resource = `arn:aws:s3:::${Bucket}/*`
  const setPolicy = (...statements: object[]) =>
    s3.send(new PutBucketPolicyCommand({ Bucket, Policy: JSON.stringify({ Statement: statements }) }))
  const all = { Effect: 'Allow', Principal: '*', Resource }
  await put('shared/tagged', 'x', { Tagging: 'stage=secret' })
  await put('shared/plain', 'x')
  await setPolicy({ ...all, Action: ['s3:GetObject', 's3:PutObject'] })
  const copy = (from: string, more: object = {}) =>
    refused(
      stranger.send(
        new CopyObjectCommand({ Bucket, Key: 'shared/copy', CopySource: `${Bucket}/shared/${from}`, ...more }),
      ),
    )
  const done = 'nothing went wrong'
  expect([await copy('plain'), await copy('tagged')]).toEqual([done, 'AccessDenied'])
  expect(await copy('tagged', { TaggingDirective: 'REPLACE', Tagging: 'stage=open' })).toBe(done)
  await setPolicy({ ...all, Action: ['s3:GetObject', 's3:GetObjectTagging', 's3:PutObject'] })
  expect(await copy('tagged')).toBe(done)
  await setPolicy(
    { ...all, Action: ['s3:GetObject', 's3:GetObjectTagging', 's3:PutObject'] },
    { ...all, Effect: 'Deny', Action: 's3:PutObjectTagging' },
  )
  const write = (Tagging?: string) =>
    refused(stranger.send(new PutObjectCommand({ Bucket, Key: 'shared/new', Body: 'x', Tagging })))
  const begin = (Tagging?: string) =>
    refused(stranger.send(new CreateMultipartUploadCommand({ Bucket, Key: 'shared/new', Tagging })))
  expect([await write(), await begin(), await copy('plain')]).toEqual([done, done, done])
  const replaced = await copy('plain', { TaggingDirective: 'REPLACE', Tagging: 'a=b' })
  expect([await write('a=b'), await begin('a=b'), await copy('tagged'), replaced]).toEqual(
    Array(4).fill('AccessDenied'),
  )
  await s3.send(new DeleteBucketPolicyCommand({ Bucket }))
})

it('lets only authorized callers read, change or count tags', async () => {
  await put('guarded', 'body', { Tagging: 'a=1' })
  const of = { Bucket, Key: 'guarded' }
  const calls = () => [
    stranger.send(new GetObjectTaggingCommand(of)),
    stranger.send(new PutObjectTaggingCommand({ ...of, Tagging: { TagSet: many(1) } })),
    stranger.send(new DeleteObjectTaggingCommand(of)),
  ]
  const allow = (Action: string[]) =>
    s3.send(
      new PutBucketPolicyCommand({
        Bucket,
        Policy: JSON.stringify({
          Statement: [{ Effect: 'Allow', Principal: '*', Action, Resource: `arn:aws:s3:::${Bucket}/*` }],
        }),
      }),
    )
  await allow(['s3:GetObject', 's3:PutObject'])
  expect(new Set(await Promise.all(calls().map(refused)))).toEqual(new Set(['AccessDenied']))
  expect((await stranger.send(new HeadObjectCommand(of))).TagCount).toBeUndefined()
  await allow(['s3:GetObject', 's3:GetObjectTagging'])
  expect((await stranger.send(new HeadObjectCommand(of))).TagCount).toBe(1)
  expect((await stranger.send(new GetObjectTaggingCommand(of))).TagSet).toEqual([{ Key: 'a', Value: '1' }])
  // without the right to list, a missing object is not revealed
  expect(await refused(stranger.send(new GetObjectTaggingCommand({ Bucket, Key: 'never' })))).toBe('AccessDenied')
  await allow(['s3:PutObjectTagging', 's3:DeleteObjectTagging'])
  const [read, ...writes] = await Promise.all(calls().map(refused))
  expect([read, ...writes]).toEqual(['AccessDenied', 'nothing went wrong', 'nothing went wrong'])
})

it.each([false, true])(
  'never mixes tags and content while an object is overwritten (versions: %s)',
  async (hasVersions) => {
    if (hasVersions)
      await bench.server.sql.query(
        `update s3_bucket set settings = settings || '{"versioning": "Enabled"}' where name = $1`,
        [Bucket],
      )
    await put('race', 'body 0')
    const all = Array.from({ length: 20 }, (_, n) => [put('race', `body ${n}`), setTags('race', many(1 + (n % 10)))])
    expect(new Set(await Promise.all(all.flat().map(refused)))).toEqual(new Set(['nothing went wrong']))
    const { Body, ETag } = await s3.send(new GetObjectCommand({ Bucket, Key: 'race' }))
    const body = await Body!.transformToString()
    expect(ETag).toBe(`"${createHash('md5').update(body).digest('hex')}"`)
    const before = await listed('race')
    await Promise.all(Array.from({ length: 10 }, (_, n) => setTags('race', many(n))))
    expect(await listed('race')).toEqual(before)
  },
)
