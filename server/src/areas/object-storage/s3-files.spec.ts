import { buffer } from 'node:stream/consumers'
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  PutBucketPolicyCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import {
  ARCHIVE_SECONDS,
  MOST_ARCHIVE_ENTRIES,
  s3Archives,
  s3Links,
  s3Metadata,
} from '@mainstay/contract/object-storage/s3-files'
import { s3Keys } from '@mainstay/contract/object-storage/s3-keys'
import { s3Service } from '@mainstay/contract/object-storage/s3-service'
import { s3Users } from '@mainstay/contract/object-storage/s3-users'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { fromBuffer, type ZipFile } from 'yauzl'
import { startS3, type S3Bench } from '../../testing/s3/clients/client'
import type { PersonaName } from '../../testing/personas'

const as = 'project-member'
const MiB = 1024 * 1024
let bench: S3Bench
let s3: S3Client
let userId: string
let accessKey: string
let other: S3Client
beforeAll(async () => {
  bench = await startS3()
  ;({ s3, userId, accessKey } = await bench.client(as))
  ;({ s3: other } = await bench.client('other-member'))
})
afterAll(() => bench.close())

let count = 0
let Bucket: string
beforeEach(async () => {
  Bucket = `kept-${(count += 1)}`
  await s3.send(new CreateBucketCommand({ Bucket }))
})
const put = (Key: string, Body: string | Buffer) => s3.send(new PutObjectCommand({ Bucket, Key, Body }))
const policy = (...statements: object[]) =>
  s3.send(
    new PutBucketPolicyCommand({ Bucket, Policy: JSON.stringify({ Version: '2012-10-17', Statement: statements }) }),
  )

const prepare = (keys: string[], more: { folder?: string; bucket?: string; who?: PersonaName } = {}) => {
  const { folder = '', bucket = Bucket, who = as } = more
  return bench.server.call(s3Archives.create, { as: who, body: { bucket, folder, keys } })
}
const fetchZip = (id: string, who: PersonaName = as) =>
  bench.server.fetch(s3Archives.download, { as: who, params: { id } })

/** Returns the contents of an archive by entry name. */
async function unpacked(bytes: Buffer): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  const zip = await new Promise<ZipFile>((resolve, reject) =>
    fromBuffer(bytes, { lazyEntries: true }, (error, it) => (error ? reject(error) : resolve(it))),
  )
  await new Promise<void>((resolve, reject) => {
    zip.on('entry', (entry) => {
      if (entry.fileName.endsWith('/')) {
        found[entry.fileName] = 'folder'
        return zip.readEntry()
      }
      zip.openReadStream(entry, (error, stream) => {
        if (error) return reject(error)
        buffer(stream).then((content) => {
          found[entry.fileName] = content.length > 1000 ? `${content.length} bytes` : content.toString()
          zip.readEntry()
        }, reject)
      })
    })
    zip.on('end', resolve).on('error', reject)
    zip.readEntry()
  })
  return found
}

it('archives files and folders with relative names and has the announced size', async () => {
  await put('a/b/1.txt', 'one')
  await put('a/b/c/2.txt', 'two')
  await put('a/b/none/', '')
  await put('a/other.txt', 'no')
  await put('a/../x.txt', 'step')
  const { id, name, entries, size } = await prepare(['a/b/', 'a/../'], { folder: 'a/' })
  expect([name, entries]).toEqual(['a.zip', 4])
  const response = await fetchZip(id)
  expect(response.status).toBe(200)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'application/zip',
    'content-length': String(size),
    'content-disposition': expect.stringContaining('filename="a.zip"'),
  })
  expect(await unpacked(Buffer.from(await response.arrayBuffer()))).toEqual({
    ...{ 'b/1.txt': 'one', 'b/c/2.txt': 'two', 'b/none/': 'folder', '__/x.txt': 'step' },
  })
  expect((await prepare(['a/b/c/2.txt'])).name).toBe('2.txt.zip')
  expect((await prepare([''])).name).toBe(`${Bucket}.zip`)
})

it(
  'lists objects that were changed or deleted during the download and includes all others',
  { tags: 'all' },
  async () => {
    const large = Buffer.alloc(8 * MiB, 'x')
    await put('0 first', large)
    await put('1 changed', 'before')
    await put('2 gone', 'bye')
    await put('3 stays', 'here')
    await put('4 closed', 'secret')
    const { id, size } = await prepare([''])
    const response = await fetchZip(id)
    const reader = response.body!.getReader()
    const parts = [(await reader.read()).value!]
    await put('1 changed', 'after')
    await s3.send(new DeleteObjectCommand({ Bucket, Key: '2 gone' }))
    await put('5 new', 'later')
    await policy({
      ...{ Effect: 'Deny', Principal: '*', Action: 's3:GetObject' },
      Resource: `arn:aws:s3:::${Bucket}/4 closed`,
    })
    for (let part = await reader.read(); !part.done; part = await reader.read()) parts.push(part.value)
    const bytes = Buffer.concat(parts)
    expect(bytes.length).toBe(size)
    expect(await unpacked(bytes)).toEqual({
      ...{ '0 first': `${large.length} bytes`, '3 stays': 'here' },
      '_missing.txt': expect.stringMatching(
        /1 changed: changed since the download began\r\n2 gone: deleted since the download began\r\n4 closed: no permission to read it/,
      ),
    })
  },
)

it('allows each user one archive download at a time and frees the slot when it is cancelled', async () => {
  await put('large', Buffer.alloc(32 * MiB))
  const first = await fetchZip((await prepare([''])).id)
  expect(first.status).toBe(200)
  await expect(prepare([''])).rejects.toMatchObject({ status: 429, code: 'too_many_requests' })
  await first.body!.cancel()
  await expect
    .poll(() =>
      prepare(['']).then(
        () => 'free',
        () => 'taken',
      ),
    )
    .toBe('free')
})

it('aborts the download if reading an object fails midway, so that no archive is silently incomplete', async () => {
  await put('large', Buffer.alloc(4 * MiB))
  const [row] = await bench.server.sql.query<{
    blob: string
  }>(`select blob from s3_object where key = 'large' and blob is not null
    order by mtime desc limit 1`)
  const { id } = await prepare([''])
  const { truncate, readdir } = await import('node:fs/promises')
  const path = await import('node:path')
  const folder = path.join(bench.server.folder, 'engine', 's3', 'blobs')
  const file = (await readdir(folder, { recursive: true })).find((name) => name.endsWith(row!.blob))!
  await truncate(path.join(folder, file), MiB)
  const response = await fetchZip(id)
  await expect(response.arrayBuffer()).rejects.toThrow()
})

it('returns a prepared archive once, only to its user and only for a limited time', async () => {
  await put('a', '1')
  const { id, expires_at } = await prepare([''])
  expect(Date.parse(expires_at) - Date.now()).toBeLessThanOrEqual(ARCHIVE_SECONDS * 1000)
  expect((await fetchZip(id, 'other-member')).status).toBe(404)
  const response = await fetchZip(id)
  await response.arrayBuffer()
  expect([response.status, (await fetchZip(id)).status]).toEqual([200, 404])
  expect((await fetchZip('no-such')).status).toBe(404)
})

it(
  'archives only objects that the user can list, up to a maximum number',
  { tags: 'all', timeout: 60_000 },
  async () => {
    await put('a', '1')
    await expect(prepare([''], { who: 'other-member' })).rejects.toMatchObject({ code: 'forbidden' })
    await expect(prepare([''], { bucket: 'no-such-bucket' })).rejects.toMatchObject({ code: 'not_found' })
    await expect(prepare(['b/', 'c'])).rejects.toMatchObject({ code: 'not_found' })
    for (const body of [
      { bucket: Bucket, folder: 'a', keys: ['a'] },
      { bucket: Bucket, folder: '', keys: [] },
      { bucket: Bucket, folder: '', keys: ['x'.repeat(1025)] },
      { bucket: 'X', folder: '', keys: ['a'] },
    ])
      await expect(bench.server.call(s3Archives.create, { as, body })).rejects.toMatchObject({ code: 'validation' })
    await bench.server.sql.query(
      `insert into s3_object (bucket_id, key, size, etag, inline, head)
       select id, 'many/' || n, 0, 'd41d8cd98f00b204e9800998ecf8427e', '', '{}'
         from s3_bucket, generate_series(1, $2::int) as n where name = $1`,
      [Bucket, MOST_ARCHIVE_ENTRIES],
    )
    expect(await prepare(['many/'])).toMatchObject({ entries: MOST_ARCHIVE_ENTRIES })
    await expect(prepare([''])).rejects.toMatchObject({ code: 'validation', fields: { keys: expect.anything() } })
  },
)

it('refuses to download an archive while object storage is disabled for the user', async () => {
  await put('a', '1')
  const { id } = await prepare([''])
  const disable = (is_enabled: boolean) =>
    bench.server.call(s3Users.update, {
      as: 'superuser',
      params: { scope: 'cluster', id: userId },
      body: { is_enabled },
    })
  await disable(false)
  const refused = await fetchZip(id)
  expect([refused.status, await refused.json()]).toMatchObject([403, { error: { err_code: 's3_user_disabled' } }])
  await disable(true)
  expect((await fetchZip(id)).status).toBe(200)
})

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()
interface Shared {
  seconds?: number
  acc_key?: string
  bucket?: string
  who?: PersonaName
}
const share = (key: string, { seconds = 3600, acc_key = accessKey, bucket = Bucket, who = as }: Shared = {}) =>
  bench.server.call(s3Links.create, { as: who, body: { bucket, key, acc_key, expires_at: inSeconds(seconds) } })

/** Expects a time that is this many seconds after a call that was made between `least` and now, to within a second. */
function expectsSeconds(time: string, seconds: number, least: number): void {
  const from = Date.parse(time) - seconds * 1000
  expect(from).toBeGreaterThan(least - 1000)
  expect(from).toBeLessThan(Date.now() + 1000)
}

it('lets anonymous users read the shared object, and no other, until the link expires', async () => {
  await put('ä/b c+%2F(1).txt', 'shared')
  await put('other', 'not shared')
  const least = Date.now()
  const { url, expires_at, size } = await share('ä/b c+%2F(1).txt', { seconds: 7 * 86_400 - 5 })
  expect([new URL(url).origin, size]).toEqual([bench.endpoint, 6])
  expectsSeconds(expires_at, 7 * 86_400 - 5, least)
  const query = new URL(url).searchParams
  const told = `${query.get('X-Amz-Date')}`.replace(/(....)(..)(..)T(..)(..)(..)Z/, '$1-$2-$3T$4:$5:$6Z')
  expect(Date.parse(told) + Number(query.get('X-Amz-Expires')) * 1000).toBe(Date.parse(expires_at))
  expect(await (await fetch(url)).text()).toBe('shared')
  const elsewhere = new URL(url)
  elsewhere.pathname = `/${Bucket}/other`
  expect((await fetch(elsewhere)).status).toBe(403)
  expect((await fetch(url, { method: 'DELETE' })).status).toBe(403)
  expect((await fetch(url.replace(/X-Amz-Expires=\d+/, 'X-Amz-Expires=604800'))).status).toBe(403)
})

it('expires a link on time and invalidates it when its key is disabled', { tags: 'all' }, async () => {
  await put('a', '1')
  const short = await share('a', { seconds: 6 })
  expect((await fetch(short.url)).status).toBe(200)
  const long = await share('a')
  await expect.poll(async () => (await fetch(short.url)).status, { timeout: 20_000 }).toBe(403)
  expect((await fetch(long.url)).status).toBe(200)
  const set = (enabled: boolean) =>
    bench.server.call(s3Keys.update, { as, params: { key: accessKey }, body: { enabled } })
  await set(false)
  expect((await fetch(long.url)).status).toBe(403)
  await expect(share('a')).rejects.toMatchObject({ code: 'validation', fields: { acc_key: expect.anything() } })
  await set(true)
})

it('does not share unreadable objects, use keys of other users or create links for more than seven days', async () => {
  await put('a', '1')
  const theirs = (await bench.server.call(s3Keys.account, { as: 'other-member' })).keys[0]!.acc_key
  await expect(share('a', { who: 'other-member', acc_key: theirs })).rejects.toMatchObject({ code: 'forbidden' })
  await expect(share('a', { who: 'other-member' })).rejects.toMatchObject({ fields: { acc_key: expect.anything() } })
  await expect(share('b')).rejects.toMatchObject({ code: 'not_found' })
  await expect(share('a', { bucket: 'no-such-bucket' })).rejects.toMatchObject({ code: 'not_found' })
  await expect(share('a/../b')).rejects.toMatchObject({ fields: { key: expect.anything() } })
  const body = { bucket: Bucket, key: 'a', acc_key: accessKey }
  for (const end of [{}, { seconds: 60, expires_at: inSeconds(60) }, { seconds: 7 * 86_400 + 1 }, { seconds: 0 }])
    await expect(bench.server.call(s3Links.create, { as, body: { ...body, ...end } })).rejects.toMatchObject({
      code: 'validation',
    })
  const least = Date.now()
  const longest = await bench.server.call(s3Links.create, { as, body: { ...body, seconds: 604_800 } })
  expectsSeconds(longest.expires_at, 604_800, least)
  for (const seconds of [7 * 86_400 + 2, 0, -60])
    await expect(share('a', { seconds })).rejects.toMatchObject({ fields: { expires_at: expect.anything() } })
  // objects that a policy makes readable can be shared
  await policy({ Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: `arn:aws:s3:::${Bucket}/*` })
  const { url } = await share('a', { who: 'other-member', acc_key: theirs })
  expect(await (await fetch(url)).text()).toBe('1')
  await policy({ Effect: 'Deny', Principal: '*', Action: 's3:GetObject', Resource: `arn:aws:s3:::${Bucket}/*` })
  expect((await fetch(url)).status).toBe(403)
  await expect(share('a')).rejects.toMatchObject({ code: 'forbidden' })
  void other
})

it('replaces all metadata of an object but keeps its content', async () => {
  await s3.send(
    new PutObjectCommand({
      ...{ Bucket, Key: 'a/../b', Body: 'bytes', ContentType: 'text/plain', CacheControl: 'no-store' },
      ...{ ContentDisposition: 'attachment', Metadata: { from: 'me', old: '1' } },
    }),
  )
  const view = () => bench.server.call(s3Metadata.view, { as, query: { bucket: Bucket, key: 'a/../b' } })
  const before = await view()
  expect(before).toMatchObject({
    headers: {
      'content-type': 'text/plain',
      'cache-control': 'no-store',
      'content-disposition': 'attachment',
      expires: '',
    },
    metadata: { from: 'me', old: '1' },
  })
  const body = { bucket: Bucket, key: 'a/../b', etag: before.etag, metadata: { from: 'Zoë 日本' } }
  const headers = { 'content-type': 'text/markdown', 'cache-control': '', 'content-language': 'de' }
  const update = (more: object = {}) =>
    bench.server.call(s3Metadata.update, { as, body: { ...body, headers, ...more } })
  const after = await update()
  expect(after).toEqual(await view())
  expect(after).toMatchObject({
    headers: {
      'content-type': 'text/markdown',
      'cache-control': '',
      'content-disposition': '',
      'content-language': 'de',
    },
    metadata: { from: 'Zoë 日本' },
  })
  expect(after.metadata).not.toHaveProperty('old')
  const found = await s3.send(new GetObjectCommand({ Bucket, Key: 'a/../b' }))
  expect(await found.Body!.transformToString()).toBe('bytes')
  await expect(update({ etag: '0'.repeat(32) })).rejects.toMatchObject({ code: 'conflict' })
  for (const wrong of [
    { metadata: { 'A B': 'x' } },
    { metadata: { a: 'x\r\ny: z' } },
    { metadata: { a: 'x'.repeat(1000), b: 'x'.repeat(1000), c: 'x'.repeat(1000) } },
    { headers: { host: 'elsewhere' } },
    { headers: { 'content-type': 'a\nb' } },
    { key: '' },
  ])
    await expect(update(wrong)).rejects.toMatchObject({ code: 'validation' })
  await expect(
    bench.server.call(s3Metadata.view, { as, query: { bucket: Bucket, key: 'none' } }),
  ).rejects.toMatchObject({
    code: 'not_found',
  })
  const theirs = { as: 'other-member', query: { bucket: Bucket, key: 'a/../b' } } as const
  await expect(bench.server.call(s3Metadata.view, theirs)).rejects.toMatchObject({ code: 'forbidden' })
})

it('keeps the encryption of an object when the metadata is changed', async () => {
  for (const ServerSideEncryption of ['AES256', 'aws:kms'] as const) {
    const { ETag } = await s3.send(new PutObjectCommand({ Bucket, Key: 'sealed', Body: 'x', ServerSideEncryption }))
    const body = { bucket: Bucket, key: 'sealed', etag: ETag!.replaceAll('"', ''), headers: {}, metadata: { a: 'b' } }
    await bench.server.call(s3Metadata.update, { as, body })
    const found = await s3.send(new GetObjectCommand({ Bucket, Key: 'sealed' }))
    expect([found.ServerSideEncryption, found.Metadata]).toEqual([ServerSideEncryption, { a: 'b' }])
  }
})

it('refuses archives and links while object storage is not available', async () => {
  await put('a', '1')
  await bench.server.call(s3Service.delete, { as: 'superuser' })
  await expect(prepare([''])).rejects.toMatchObject({ code: 's3_not_found' })
  await expect(share('a')).rejects.toMatchObject({ code: 's3_not_found' })
  await bench.server.call(s3Service.create, { as: 'superuser' })
})
