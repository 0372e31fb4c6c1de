import { randomBytes } from 'node:crypto'
import { open, readdir, rename } from 'node:fs/promises'
import path from 'node:path'
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  UploadPartCommand,
  type CompletedPart,
  type S3Client,
  type S3ServiceException,
} from '@aws-sdk/client-s3'
import { openBlobs } from '@mainstay/engines/s3/store/blobs'
import { startScrub, type Scrub } from '@mainstay/engines/s3/store/scrub'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startS3, type S3Bench } from './clients/client'

/*
 * The scrub reads files, compares them with their checksums and recounts usage. Defective data is found, reported, and
 * never returned to clients.
 */

const Bucket = 'scrubbed'
let bench: S3Bench
let s3: S3Client
let scrub: Scrub
let lines: object[]
/** Waiting times between reads, in milliseconds. */
let waited: number[]
let folder = ''
beforeEach(async () => {
  bench = await startS3()
  s3 = (await bench.client('project-member')).s3
  await s3.send(new CreateBucketCommand({ Bucket }))
  folder = path.join(bench.server.folder, 'engine', 's3', 'blobs')
  lines = []
  const note = (fields: object) => void lines.push(fields)
  waited = []
  const timers = {
    now: () => 0,
    // blocks the automatic runs, which wait for a minute or more
    wait: (ms: number, signal: AbortSignal) =>
      ms < 60_000
        ? Promise.resolve(void waited.push(ms))
        : new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())),
  }
  scrub = startScrub(
    bench.server.sql,
    await openBlobs(folder),
    { debug: note, info: note, warn: note, error: note },
    timers,
  )
})
afterEach(async () => {
  await scrub.close()
  await bench.close()
})

const put = (Key: string, Body: Buffer, more = {}) => s3.send(new PutObjectCommand({ Bucket, Key, Body, ...more }))
const bytes = async (Key: string, more = {}) => {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key, ...more }))
  return Buffer.from(await Body!.transformToByteArray())
}
const refused = (call: Promise<unknown>) =>
  call.then(
    () => 'nothing went wrong',
    ({ name, $metadata }: S3ServiceException) => `${name} ${$metadata.httpStatusCode}`,
  )
const service = () => bench.server.tools.ports['object-storage'].service()
const sql = <Row>(text: string, values: unknown[] = []) => bench.server.sql.query<Row>(text, values)
const age = () => sql(`update s3_file set check_at = now() - interval '1 second'`)
async function fileOf(key: string, part = 0): Promise<string> {
  const [row] = await sql<{ file: string }>(
    `select coalesce(p.file, o.blob) as file from s3_object o left join s3_part p on o.parts > 0 and p.blob = o.blob
     where key = $1 order by p.n offset $2 limit 1`,
    [key, part],
  )
  return path.join(folder, row!.file.slice(-2), row!.file)
}
/** Flips one bit of a file. */
async function damage(file: string): Promise<void> {
  const handle = await open(file, 'r+')
  const one = Buffer.alloc(1)
  await handle.read(one, 0, 1, 5000)
  one[0]! ^= 1
  await handle.write(one, 0, 1, 5000)
  await handle.close()
}

it('reads each file again after 30 days, at a limited rate', async () => {
  await put('whole', randomBytes(5 * 1024 ** 2))
  await put('small', randomBytes(100))
  const [{ days, files }] = (await sql<{ days: number; files: number }>(
    `select round(extract(epoch from min(check_at) - now()) / 86400)::int as days, count(*)::int as files from s3_file`,
  )) as [{ days: number; files: number }]
  expect([days, files]).toEqual([30, 1])
  expect(await scrub.checkFiles()).toBe(0)
  expect(waited).toEqual([])
  await age()
  expect(await scrub.checkFiles()).toBe(0)
  // 20 MiB per second
  expect(waited).toEqual([50, 50, 50, 50, 50])
  const due = await sql(`select 1 from s3_file where check_at < now() + interval '29 days'`)
  expect(due).toEqual([])
  expect(await service()).toMatchObject({ state: 'healthy', detail: null })
})

it('reports a damaged object in the log and in the service state, and answers 500 instead of its content', async () => {
  const good = randomBytes(100_000)
  await put('good', good)
  await put('damaged/one', randomBytes(100_000))
  await put('encrypted', randomBytes(100_000), { ServerSideEncryption: 'AES256' })
  await damage(await fileOf('damaged/one'))
  await damage(await fileOf('encrypted'))
  await age()
  expect(await scrub.checkFiles()).toBe(2)
  for (const Key of ['damaged/one', 'encrypted']) {
    expect(await refused(bytes(Key))).toBe('InternalError 500')
    const copy = new CopyObjectCommand({ Bucket, Key: 'copy', CopySource: `${Bucket}/${Key}` })
    expect(await refused(s3.send(copy))).toBe('InternalError 500')
    expect(await refused(s3.send(new HeadObjectCommand({ Bucket, Key })))).toBe('nothing went wrong')
  }
  expect((await bytes('good')).equals(good)).toBe(true)
  expect(lines.at(-1)).toMatchObject({ objects: [`${Bucket}/damaged/one`, `${Bucket}/encrypted`], files: 2 })
  expect(await service()).toMatchObject({
    state: 'degraded',
    detail: expect.stringContaining('Damaged or missing files: 2'),
  })
  // a known defect is not reported again
  await age()
  expect(await scrub.checkFiles()).toBe(0)
  await put('damaged/one', good)
  await s3.send(new DeleteObjectCommand({ Bucket, Key: 'encrypted' }))
  expect((await bytes('damaged/one')).equals(good)).toBe(true)
  expect(await service()).toMatchObject({ state: 'healthy', detail: null })
})

it('detects a missing file and clears the defect once it is restored', async () => {
  const body = randomBytes(50_000)
  await put('lost', body)
  const file = await fileOf('lost')
  await rename(file, `${file}.away`)
  await age()
  expect(await scrub.checkFiles()).toBe(1)
  expect(await refused(bytes('lost'))).toBe('InternalError 500')
  await rename(`${file}.away`, file)
  await age()
  expect(await scrub.checkFiles()).toBe(0)
  expect((await bytes('lost')).equals(body)).toBe(true)
  expect(await service()).toMatchObject({ state: 'healthy' })
})

it('refuses the damaged part of a multipart object and returns the other parts', async () => {
  const Key = 'parts'
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }))
  const Parts: CompletedPart[] = []
  const bodies = [randomBytes(5 * 1024 ** 2), randomBytes(20_000)]
  for (const [at, Body] of bodies.entries()) {
    const { ETag } = await s3.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: at + 1, Body }))
    Parts.push({ ETag, PartNumber: at + 1 })
  }
  await s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }))
  await damage(await fileOf(Key, 1))
  await age()
  expect(await scrub.checkFiles()).toBe(1)
  expect(lines.at(-1)).toMatchObject({ objects: [`${Bucket}/parts`] })
  expect(await refused(bytes(Key))).toBe('InternalError 500')
  expect((await bytes(Key, { Range: 'bytes=0-999' })).equals(bodies[0]!.subarray(0, 1000))).toBe(true)
})

it('ignores files of overwritten or deleted objects, and drops their records once they are removed', async () => {
  await put('gone', randomBytes(50_000))
  const file = await fileOf('gone')
  await s3.send(new DeleteObjectCommand({ Bucket, Key: 'gone' }))
  await damage(file)
  await age()
  expect(await scrub.checkFiles()).toBe(0)
  await sql('update s3_garbage set due = now()')
  await expect.poll(() => sql('select 1 from s3_file'), { timeout: 20_000 }).toEqual([])
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.includes('/'))
  expect(files).toEqual([])
})

it('corrects a wrong usage count and logs the correction', async () => {
  await put('one', randomBytes(1000))
  await put('two', randomBytes(20_000))
  await scrub.countUsage()
  expect(lines).toEqual([])
  await sql(`insert into s3_usage_delta (bucket_id, bytes, objects) select id, 500, -1 from s3_bucket`)
  expect((await service()).usage).toEqual({ buckets: 1, objects: 1, size: 21_500 })
  await scrub.countUsage()
  expect((await service()).usage).toEqual({ buckets: 1, objects: 2, size: 21_000 })
  expect(lines).toEqual([expect.objectContaining({ bucket: Bucket, bytes: -500, objects: 1 })])
})

it('also counts and checks old versions', async () => {
  const VersioningConfiguration = { Status: 'Enabled' } as const
  await s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }))
  const { VersionId } = await put('key', randomBytes(20_000))
  const former = await fileOf('key')
  await put('key', randomBytes(30_000))
  await s3.send(new DeleteObjectCommand({ Bucket, Key: 'key' }))
  await scrub.countUsage()
  expect(lines).toEqual([])
  expect((await service()).usage).toEqual({ buckets: 1, objects: 2, size: 50_000 })
  await damage(former)
  await age()
  expect(await scrub.checkFiles()).toBe(1)
  expect(lines.at(-1)).toMatchObject({ objects: [`${Bucket}/key`] })
  expect(await refused(bytes('key', { VersionId }))).toBe('InternalError 500')
})

it('adds checksums to files from an older server and checks them from then on', async () => {
  await put('early', randomBytes(50_000))
  await sql('delete from s3_file')
  await scrub.countUsage()
  expect(await scrub.checkFiles()).toBe(0)
  await damage(await fileOf('early'))
  await age()
  expect(await scrub.checkFiles()).toBe(1)
})
