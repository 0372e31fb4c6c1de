import {
  CreateBucketCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { s3Metadata, s3Runs, type S3RunDraft } from '@mainstay/contract/object-storage/s3-files'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { startS3, type S3Bench } from '../../testing/s3/clients/client'
import { copyLimits } from './copy-in-parts'
import { s3OnBehalfOf } from './own-calls'

/* Copies of objects above the size limit, which is lowered here to avoid files of 5 GiB. */

const as = 'project-member'
const MiB = 1024 ** 2
const usual = { ...copyLimits }
/** Encodes text the way the SDK returns it in headers. */
const utf8 = (text: string) => Buffer.from(text, 'utf8').toString('latin1')
const large = Buffer.alloc(12 * MiB, 'abcdefghijklmnopqrstuvwxyz')
let bench: S3Bench
let s3: S3Client
beforeAll(async () => {
  bench = await startS3()
  ;({ s3 } = await bench.client(as))
  Object.assign(copyLimits, { atOnce: 10 * MiB, part: 5 * MiB })
})
afterAll(async () => {
  Object.assign(copyLimits, usual)
  await bench.close()
})

let count = 0
let Bucket: string
beforeEach(async () => {
  Bucket = `copied-${(count += 1)}`
  await s3.send(new CreateBucketCommand({ Bucket }))
})
const put = (Key: string, Body: Buffer | string, more: object = {}) =>
  s3.send(new PutObjectCommand({ Bucket, Key, Body, ...more }))
const head = (Key: string) => s3.send(new HeadObjectCommand({ Bucket, Key }))
const get = (Key: string) => s3.send(new GetObjectCommand({ Bucket, Key }))
const bytesOf = async (Key: string) => Buffer.from(await (await get(Key)).Body!.transformToByteArray())
const run = (draft: Omit<S3RunDraft, 'bucket' | 'overwrite'>, overwrite = false) =>
  bench.server.call(s3Runs.create, { as, body: { bucket: Bucket, overwrite, ...draft } })
const uploads = async () => (await s3.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads ?? []

it(
  'copies a large file in parts with its metadata and tags, and does not replace an existing object',
  { tags: 'all' },
  async () => {
    const told = { ContentType: 'video/mp4', CacheControl: 'no-store', Metadata: { author: 'Zoë' } }
    await put('film', large, { ...told, ServerSideEncryption: 'AES256', Tagging: 'stage=final%20cut' })
    await run({ action: 'copy', keys: ['film'], to: { bucket: Bucket, folder: 'copies/' } })
    const copy = await head('copies/film')
    expect(copy).toMatchObject({ ...told, ServerSideEncryption: 'AES256', Metadata: { author: utf8('Zoë') } })
    // the copy has three parts
    expect(copy.ETag).toMatch(/-3"$/)
    expect((await bytesOf('copies/film')).equals(large)).toBe(true)
    const { TagSet } = await s3.send(new GetObjectTaggingCommand({ Bucket, Key: 'copies/film' }))
    expect(TagSet).toEqual([{ Key: 'stage', Value: 'final cut' }])
    await put('copies/film', 'other')
    const again = run({ action: 'copy', keys: ['film'], to: { bucket: Bucket, folder: 'copies/' } })
    await expect(again).rejects.toMatchObject({ code: 'conflict' })
    expect((await bytesOf('copies/film')).toString()).toBe('other')
    await run({ action: 'move', keys: ['film'], to: { bucket: Bucket, folder: 'copies/' } }, true)
    expect((await bytesOf('copies/film')).equals(large)).toBe(true)
    await expect(get('film')).rejects.toMatchObject({ name: 'NoSuchKey' })
    expect(await uploads()).toEqual([])
  },
)

it('moves a folder with large and small files', async () => {
  await put('from/large', large)
  await put('from/small', 'small')
  const { id } = await run({ action: 'move', keys: ['from/'], to: { bucket: Bucket, folder: 'to/' } })
  const view = () => bench.server.call(s3Runs.view, { as, params: { id: id! } })
  await expect.poll(async () => (await view()).state, { timeout: 30_000 }).toBe('success')
  expect((await bytesOf('to/from/large')).equals(large)).toBe(true)
  expect((await bytesOf('to/from/small')).toString()).toBe('small')
  await expect(get('from/large')).rejects.toMatchObject({ name: 'NoSuchKey' })
})

it('changes the metadata of a large file and keeps its content', async () => {
  await put('film', large, { ContentType: 'video/mp4' })
  const object = { bucket: Bucket, key: 'film' }
  const { etag, headers } = await bench.server.call(s3Metadata.view, { as, query: object })
  const body = { ...object, etag, headers: { ...headers, 'content-type': 'video/webm' }, metadata: { by: 'Zoë' } }
  await bench.server.call(s3Metadata.update, { as, body })
  expect(await head('film')).toMatchObject({ ContentType: 'video/webm', Metadata: { by: utf8('Zoë') } })
  expect((await bytesOf('film')).equals(large)).toBe(true)
})

it('a copy leaves nothing behind if the source has changed', async () => {
  await put('film', large)
  const { user, domain } = bench.server.cast.people[as]
  const port = bench.server.tools.ports['object-storage']
  const signer = await port.signer({ user_id: user.id, domain_id: domain.id })
  const own = s3OnBehalfOf({ upstream: port.upstream()!, signer, source: null }, new AbortController().signal)
  const stale = { bucket: Bucket, key: 'film', etag: '0'.repeat(32), size: large.length }
  await expect(own.copy(stale, { bucket: Bucket, key: 'copy' }, { overwrite: true })).rejects.toMatchObject({
    code: 'PreconditionFailed',
  })
  await expect(get('copy')).rejects.toMatchObject({ name: 'NoSuchKey' })
  expect(await uploads()).toEqual([])
})
