import { createHash, randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutBucketPolicyCommand,
  PutObjectCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
  type ChecksumAlgorithm,
  type CompletedPart,
  type S3Client,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { refused, type S3Bench, startS3 } from './clients/client'

/* Object storage as used by the most common SDK with its default settings. */

let bench: S3Bench
let s3: S3Client
let userId = ''
let stranger: S3Client
beforeAll(async () => {
  bench = await startS3()
  ;({ s3, userId } = await bench.client('project-member'))
  stranger = (await bench.client('other-member')).s3
  await s3.send(new CreateBucketCommand({ Bucket }))
})
afterAll(() => bench.close())

const Bucket = 'protocol'
const put = (Key: string, Body: string | Buffer, more = {}) =>
  s3.send(new PutObjectCommand({ Bucket, Key, Body, ...more }))
const get = (Key: string, more = {}) => s3.send(new GetObjectCommand({ Bucket, Key, ...more }))
const bytes = async (Key: string, more = {}) => Buffer.from(await (await get(Key, more)).Body!.transformToByteArray())
const md5 = (body: Buffer) => `"${createHash('md5').update(body).digest('hex')}"`

it.each([0, 1, 8 * 1024, 8 * 1024 + 1, 20 * 1024 * 1024])('stores %i bytes unchanged', async (size) => {
  const body = randomBytes(size)
  const { ETag } = await put(`size-${size}`, body)
  expect(ETag).toBe(md5(body))
  expect((await bytes(`size-${size}`)).equals(body)).toBe(true)
  const { ContentLength, ETag: told } = await s3.send(new HeadObjectCommand({ Bucket, Key: `size-${size}` }))
  expect([ContentLength, told]).toEqual([size, ETag])
})

it.each(['small', 'large'])('returns the requested range of a %s object', async (what) => {
  const body = randomBytes(what === 'small' ? 1000 : 100_000)
  await put(what, body)
  const last = body.length - 1
  const cases: [string, number, number][] = [
    ['bytes=0-0', 0, 0],
    ['bytes=10-19', 10, 19],
    ['bytes=990-', 990, last],
    ['bytes=-7', last - 6, last],
    [`bytes=5-${10 * body.length}`, 5, last],
  ]
  for (const [Range, from, to] of cases) {
    const answer = await get(what, { Range })
    expect([Range, answer.ContentRange]).toEqual([Range, `bytes ${from}-${to}/${body.length}`])
    expect(Buffer.from(await answer.Body!.transformToByteArray()).equals(body.subarray(from, to + 1))).toBe(true)
  }
  expect(await refused(get(what, { Range: `bytes=${body.length}-` }))).toBe('InvalidRange')
})

it('supports conditional reads and writes', async () => {
  const { ETag } = await put('conditions', 'one')
  expect(await refused(get('conditions', { IfNoneMatch: ETag }))).toBe('304')
  expect(await refused(get('conditions', { IfMatch: '"0"' }))).toBe('PreconditionFailed')
  expect((await bytes('conditions', { IfMatch: ETag })).toString()).toBe('one')
  expect(await refused(put('conditions', 'two', { IfMatch: '"0"' }))).toBe('PreconditionFailed')
  expect(await refused(put('conditions', 'two', { IfNoneMatch: '*' }))).toBe('PreconditionFailed')
  expect(await refused(put('not there', 'two', { IfMatch: ETag }))).toBe('NoSuchKey')
  await put('conditions', 'two', { IfMatch: ETag })
  expect((await bytes('conditions')).toString()).toBe('two')
})

it('leaves no file behind if a write is refused at the end', async () => {
  const blobs = path.join(bench.server.folder, 'engine', 's3', 'blobs')
  const files = async () => (await readdir(blobs, { recursive: true })).filter((name) => name.includes('/'))
  await put('taken', randomBytes(50_000))
  const before = await files()
  expect(await refused(put('taken', randomBytes(50_000), { IfNoneMatch: '*' }))).toBe('PreconditionFailed')
  expect(await files()).toEqual(before)
})

it('keeps the files of a multipart copy, and never queues them for removal', async () => {
  const Key = 'parts-to-copy'
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }))
  const Parts: CompletedPart[] = []
  for (const [at, size] of [5 * 1024 ** 2, 1000].entries()) {
    const part = { Bucket, Key, UploadId, PartNumber: at + 1, Body: randomBytes(size) }
    Parts.push({ PartNumber: at + 1, ETag: (await s3.send(new UploadPartCommand(part))).ETag })
  }
  await s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }))
  const copy = () => s3.send(new CopyObjectCommand({ Bucket, Key: 'copied-parts', CopySource: `${Bucket}/${Key}` }))
  await copy()
  // overwrite the first copy
  await copy()
  const waiting = await bench.server.sql.query(
    `select g.file from s3_garbage g join s3_part p using (file) join s3_object o using (blob)`,
  )
  expect(waiting).toEqual([])
  expect((await bytes('copied-parts')).equals(await bytes(Key))).toBe(true)
})

it('lets only one of fifty concurrent creations succeed', async () => {
  const all = await Promise.all(
    Array.from({ length: 50 }, (_, at) => refused(put('race', `from ${at}`, { IfNoneMatch: '*' }))),
  )
  expect(all.filter((it) => it === 'nothing went wrong')).toHaveLength(1)
  expect(new Set(all)).toEqual(new Set(['nothing went wrong', 'PreconditionFailed']))
})

it('keeps the metadata of an object, in any language', async () => {
  const said = {
    ContentType: 'text/plain; charset=utf-8',
    CacheControl: 'max-age=60',
    ContentDisposition: 'inline',
    Metadata: { owner: 'bo', place: 'zurich' },
  }
  await put('said', 'x', said)
  expect(await s3.send(new HeadObjectCommand({ Bucket, Key: 'said' }))).toMatchObject(said)
  await s3.send(new CopyObjectCommand({ Bucket, Key: 'said again', CopySource: `${Bucket}/said` }))
  expect(await s3.send(new HeadObjectCommand({ Bucket, Key: 'said again' }))).toMatchObject(said)
  const itself = { Bucket, Key: 'said', CopySource: `${Bucket}/said` }
  expect(await refused(s3.send(new CopyObjectCommand(itself)))).toBe('InvalidRequest')
  await s3.send(new CopyObjectCommand({ ...itself, MetadataDirective: 'REPLACE', Metadata: { owner: 'al' } }))
  expect((await s3.send(new HeadObjectCommand({ Bucket, Key: 'said' }))).Metadata).toEqual({ owner: 'al' })
  expect((await get('said', { ResponseContentType: 'text/x-other' })).ContentType).toBe('text/x-other')
})

it.each(['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as ChecksumAlgorithm[])(
  'verifies and returns %s, and stores nothing with a wrong checksum',
  async (name) => {
    const [field, key] = [`Checksum${name}` as 'ChecksumCRC32', `sum-${name}`]
    const { [field]: sum } = await put(key, 'the bytes', { ChecksumAlgorithm: name })
    expect(sum).toMatch(/^[A-Za-z0-9+/]+=*$/)
    const { [field]: told } = await s3.send(new HeadObjectCommand({ Bucket, Key: key, ChecksumMode: 'ENABLED' }))
    expect(told).toBe(sum)
    expect(await refused(put(`not-${key}`, 'other bytes', { [field]: sum }))).toBe('BadDigest')
    expect(await refused(s3.send(new HeadObjectCommand({ Bucket, Key: `not-${key}` })))).toBe('NotFound')
  },
)

const MiB = 1024 * 1024
async function upload(Key: string, parts: readonly Buffer[]) {
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }))
  const named: CompletedPart[] = []
  for (const [at, Body] of parts.entries()) {
    const { ETag, ChecksumCRC32 } = await s3.send(
      new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: at + 1, Body }),
    )
    named.push({ PartNumber: at + 1, ETag, ChecksumCRC32 })
  }
  const complete = (Parts: CompletedPart[]) =>
    s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }))
  return { UploadId, named, complete }
}

it('combines parts into one object, which can be read and copied by part', async () => {
  const parts = [randomBytes(5 * MiB), randomBytes(5 * MiB), randomBytes(1000)]
  const { UploadId, named, complete } = await upload('in parts', parts)
  expect((await s3.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads).toMatchObject([{ UploadId }])
  const { Parts } = await s3.send(new ListPartsCommand({ Bucket, Key: 'in parts', UploadId, MaxParts: 2 }))
  expect(Parts).toMatchObject([
    { PartNumber: 1, Size: 5 * MiB },
    { PartNumber: 2, Size: 5 * MiB },
  ])
  const wrong = named.map((part, at) => (at === 1 ? { ...part, ETag: named[0]!.ETag } : part))
  expect(await refused(complete(wrong))).toBe('InvalidPart')
  expect(await refused(complete(named.toReversed()))).toBe('InvalidPartOrder')
  const { ETag } = await complete(named)
  const digests = parts.map((part) => createHash('md5').update(part).digest())
  expect(ETag).toBe(`"${createHash('md5').update(Buffer.concat(digests)).digest('hex')}-3"`)
  // a client that did not receive the response repeats the request
  expect((await complete(named)).ETag).toBe(ETag)
  const whole = Buffer.concat(parts)
  expect((await bytes('in parts')).equals(whole)).toBe(true)
  const over = await bytes('in parts', { Range: `bytes=${5 * MiB - 3}-${5 * MiB + 2}` })
  expect(over.equals(whole.subarray(5 * MiB - 3, 5 * MiB + 3))).toBe(true)
  const third = await get('in parts', { PartNumber: 3 })
  expect([third.PartsCount, third.ContentLength]).toEqual([3, 1000])
  await s3.send(new CopyObjectCommand({ Bucket, Key: 'copied', CopySource: `${Bucket}/in parts` }))
  await s3.send(new DeleteObjectCommand({ Bucket, Key: 'in parts' }))
  expect((await bytes('copied')).equals(whole)).toBe(true)
  // the files of a copy are queued for removal until its row references them, and never after that
  const forgotten = await bench.server.sql.query('select file from s3_garbage join s3_part using (file)')
  expect(forgotten).toEqual([])
  await s3.send(new DeleteObjectCommand({ Bucket, Key: 'copied' }))
  expect((await s3.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads).toBeUndefined()
})

it('refuses parts that are too small, copies parts from other objects, and aborts uploads', async () => {
  const small = await upload('small parts', [randomBytes(1000), randomBytes(1000)])
  expect(await refused(small.complete(small.named))).toBe('EntityTooSmall')
  const source = randomBytes(6 * MiB)
  await put('source', source)
  const { UploadId } = small
  const { CopyPartResult } = await s3.send(
    new UploadPartCopyCommand({
      ...{ Bucket, Key: 'small parts', UploadId, PartNumber: 1, CopySource: `${Bucket}/source` },
      CopySourceRange: `bytes=0-${5 * MiB - 1}`,
    }),
  )
  expect(CopyPartResult!.ETag).toBe(md5(source.subarray(0, 5 * MiB)))
  await s3.send(new AbortMultipartUploadCommand({ Bucket, Key: 'small parts', UploadId }))
  expect(await refused(small.complete(small.named))).toBe('NoSuchUpload')
})

it('refuses to copy a range that the source does not have', async () => {
  await put('empty', '')
  await put('five', '12345')
  const Key = 'from ranges'
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }))
  const copy = (source: string, CopySourceRange?: string) =>
    refused(
      s3.send(
        new UploadPartCopyCommand({
          ...{ Bucket, Key, UploadId, PartNumber: 1, CopySource: `${Bucket}/${source}` },
          ...(CopySourceRange !== undefined && { CopySourceRange }),
        }),
      ),
    )
  for (const range of ['bytes=0-0', 'bytes=0-10', `bytes=0-${5 * 1024 ** 3 - 1}`])
    expect([range, await copy('empty', range)]).toEqual([range, 'InvalidRange'])
  for (const range of ['bytes=0-5', 'bytes=5-5', 'bytes=0-99999999999999999999'])
    expect([range, await copy('five', range)]).toEqual([range, 'InvalidRange'])
  for (const range of ['bytes=0-', 'bytes=-3', 'bytes=3-1', 'bytes=0-1,3-4'])
    expect([range, await copy('five', range)]).toEqual([range, 'InvalidArgument'])
  expect((await s3.send(new ListPartsCommand({ Bucket, Key, UploadId }))).Parts).toBeUndefined()
  expect(await copy('empty')).toBe('nothing went wrong')
  expect(await copy('five', 'bytes=0-4')).toBe('nothing went wrong')
  await s3.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
})

it('deletes a bucket with incomplete uploads, and their data', async () => {
  const files = async () =>
    (await bench.server.sql.query<{ count: number }>('select count(*)::int from s3_garbage'))[0]!.count
  await s3.send(new CreateBucketCommand({ Bucket: 'to-abandon' }))
  const of = { Bucket: 'to-abandon', Key: 'upload' }
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand(of))
  for (const PartNumber of [1, 2]) await s3.send(new UploadPartCommand({ ...of, UploadId, PartNumber, Body: 'part' }))
  await s3.send(new PutObjectCommand({ ...of, Body: 'object' }))
  expect(await refused(s3.send(new DeleteBucketCommand({ Bucket: of.Bucket })))).toBe('BucketNotEmpty')
  expect((await s3.send(new ListPartsCommand({ ...of, UploadId }))).Parts).toHaveLength(2)
  await s3.send(new DeleteObjectCommand(of))
  const before = await files()
  // a bucket is not deleted while an upload to it is in use
  await bench.server.sql.transaction(async (tx) => {
    await tx.query('select 1 from s3_upload where id = $1 for update', [UploadId])
    expect(await refused(s3.send(new DeleteBucketCommand({ Bucket: of.Bucket })))).toBe('OperationAborted')
  })
  await s3.send(new DeleteBucketCommand({ Bucket: of.Bucket }))
  expect(await refused(s3.send(new ListPartsCommand({ ...of, UploadId })))).toBe('NoSuchBucket')
  expect((await files()) - before).toBe(2)
  await s3.send(new CreateBucketCommand({ Bucket: of.Bucket }))
  expect(await refused(s3.send(new ListPartsCommand({ ...of, UploadId })))).toBe('NoSuchUpload')
  await s3.send(new DeleteBucketCommand({ Bucket: of.Bucket }))
})

it('deletes many keys at once, including missing ones, and a bucket only if it is empty', async () => {
  await s3.send(new CreateBucketCommand({ Bucket: 'to-empty' }))
  for (const Key of ['a', 'b & <c>', 'd/é']) await s3.send(new PutObjectCommand({ Bucket: 'to-empty', Key, Body: 'x' }))
  expect(await refused(s3.send(new DeleteBucketCommand({ Bucket: 'to-empty' })))).toBe('BucketNotEmpty')
  const Objects = ['a', 'b & <c>', 'd/é', 'never there'].map((Key) => ({ Key }))
  const { Deleted, Errors } = await s3.send(new DeleteObjectsCommand({ Bucket: 'to-empty', Delete: { Objects } }))
  expect([Deleted, Errors]).toEqual([Objects, undefined])
  expect((await s3.send(new ListObjectsV2Command({ Bucket: 'to-empty' }))).KeyCount).toBe(0)
  await s3.send(new DeleteBucketCommand({ Bucket: 'to-empty' }))
  expect(await refused(s3.send(new ListObjectsV2Command({ Bucket: 'to-empty' })))).toBe('NoSuchBucket')
})

it('a user without access cannot read, write, list or delete objects, or take the bucket name', async () => {
  await put('private', 'mine')
  const calls = [
    new GetObjectCommand({ Bucket, Key: 'private' }),
    new PutObjectCommand({ Bucket, Key: 'theirs', Body: 'x' }),
    new ListObjectsV2Command({ Bucket }),
    new DeleteObjectCommand({ Bucket, Key: 'private' }),
    new CopyObjectCommand({ Bucket, Key: 'copy', CopySource: `${Bucket}/private` }),
  ]
  for (const call of calls) expect(await refused(stranger.send(call as never))).toBe('AccessDenied')
  expect(await refused(stranger.send(new CreateBucketCommand({ Bucket })))).toBe('BucketAlreadyExists')
  expect((await fetch(`${bench.endpoint}/${Bucket}/private`)).status).toBe(403)
  expect((await bytes('private')).toString()).toBe('mine')
})

it('does not reveal missing keys to a user who may read but not list', async () => {
  await s3.send(new CreateBucketCommand({ Bucket: 'open-to-read' }))
  await s3.send(new PutObjectCommand({ Bucket: 'open-to-read', Key: 'there', Body: 'x' }))
  const Resource = ['arn:aws:s3:::open-to-read/*']
  const allow = (actions: string[], resources: string[]) => ({
    Effect: 'Allow',
    Principal: '*',
    Action: actions,
    Resource: resources,
  })
  const policy = (Statement: object[]) =>
    s3.send(new PutBucketPolicyCommand({ Bucket: 'open-to-read', Policy: JSON.stringify({ Statement }) }))
  const status = async (key: string) => (await fetch(`${bench.endpoint}/open-to-read/${key}`)).status
  await policy([allow(['s3:GetObject'], Resource)])
  expect([await status('there'), await status('never')]).toEqual([200, 403])
  await policy([allow(['s3:GetObject'], Resource), allow(['s3:ListBucket'], ['arn:aws:s3:::open-to-read'])])
  expect([await status('there'), await status('never')]).toEqual([200, 404])
})

it('enforces the quota in bytes and counts the stored bytes', async () => {
  const port = bench.server.tools.ports['object-storage']
  const { usage } = (await port.account({ user_id: userId, domain_id: 'alpha' }, false))!
  await port.updateAccount(userId, { quota: usage.size + 1000 })
  expect(await refused(put('too much', randomBytes(1001)))).toBe('QuotaExceeded')
  await put('fits', randomBytes(900))
  expect((await port.account({ user_id: userId, domain_id: 'alpha' }, false))!.usage.size).toBe(usage.size + 900)
  // parts of incomplete uploads also count
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: 'parts' }))
  const part = (size: number) =>
    s3.send(new UploadPartCommand({ Bucket, Key: 'parts', UploadId, PartNumber: size, Body: randomBytes(size) }))
  await part(60)
  expect(await refused(part(50))).toBe('QuotaExceeded')
  await s3.send(new AbortMultipartUploadCommand({ Bucket, Key: 'parts', UploadId }))
  await s3.send(new DeleteObjectCommand({ Bucket, Key: 'fits' }))
  expect((await port.account({ user_id: userId, domain_id: 'alpha' }, false))!.usage).toEqual(usage)
  await port.updateAccount(userId, { quota: null })
})

it('enforces the object quota, including incomplete uploads', async () => {
  const { s3: other, userId: otherId } = await bench.client('other-member')
  const of = { Bucket: 'counted' }
  const store = (Key: string) => other.send(new PutObjectCommand({ ...of, Key, Body: 'x' }))
  await other.send(new CreateBucketCommand(of))
  await bench.server.tools.ports['object-storage'].updateAccount(otherId, { quota_objects: 2 })
  await store('one')
  const { UploadId } = await other.send(new CreateMultipartUploadCommand({ ...of, Key: 'parts' }))
  expect(await refused(store('two'))).toBe('QuotaExceeded')
  expect(await refused(other.send(new CreateMultipartUploadCommand({ ...of, Key: 'more' })))).toBe('QuotaExceeded')
  await other.send(new AbortMultipartUploadCommand({ ...of, Key: 'parts', UploadId }))
  await store('two')
})
