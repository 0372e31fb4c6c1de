import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketEncryptionCommand,
  DeleteObjectCommand,
  GetBucketEncryptionCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutBucketEncryptionCommand,
  PutBucketPolicyCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  UploadPartCommand,
  type S3Client,
  type ServerSideEncryptionByDefault,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testDatabase } from '../postgres/postgres'
import { customerKey, refused, type S3Bench, startS3 } from './clients/client'

/* Object encryption as requested with the SDK, and the resulting data on disk and in the database. */

let bench: S3Bench
let s3: S3Client
const Bucket = 'encrypted'
beforeAll(async () => {
  bench = await startS3({ environment: { MAINSTAY_S3_KMS_KEYS: 'payroll,archive' } })
  s3 = (await bench.client('project-member')).s3
  await s3.send(new CreateBucketCommand({ Bucket }))
})
afterAll(() => bench.close())

const secret = customerKey()
const withKms = (SSEKMSKeyId?: string) => ({ ServerSideEncryption: 'aws:kms' as const, SSEKMSKeyId })

const put = (Key: string, Body: Buffer, more = {}) => s3.send(new PutObjectCommand({ Bucket, Key, Body, ...more }))
const get = (Key: string, more = {}) => s3.send(new GetObjectCommand({ Bucket, Key, ...more }))
const bytes = async (Key: string, more = {}) => Buffer.from(await (await get(Key, more)).Body!.transformToByteArray())
const head = (Key: string, more = {}) => s3.send(new HeadObjectCommand({ Bucket, Key, ...more }))
/** Plaintext that is easy to find. */
const marked = (size: number) => Buffer.alloc(size, 'what nobody may read on a disk. ')

/** Returns everything that is stored for objects, on disk and in rows. */
async function stored(): Promise<Buffer[]> {
  const blobs = path.join(bench.server.folder, 'engine', 's3', 'blobs')
  const names = (await readdir(blobs, { recursive: true })).filter((name) => name.includes('/'))
  const files = await Promise.all(names.map((name) => readFile(path.join(blobs, name))))
  const rows = await bench.server.sql.query<{ inline: Buffer }>('select inline from s3_object where inline is not null')
  return [...files, ...rows.map(({ inline }) => inline)]
}
const isAnywhere = async (text: string) => (await stored()).some((all) => all.includes(text))

const modes: [string, object, object][] = [
  ['SSE-S3', { ServerSideEncryption: 'AES256' }, {}],
  ['SSE-KMS', withKms('payroll'), {}],
  ['SSE-C', secret, secret],
]

it.each(modes)(
  'with %s, stores no plaintext on disk or in rows and returns the original content',
  async (mode, how, key) => {
    for (const size of [0, 1, 8192, 8193, 65_536, 65_537, 3_000_000]) {
      const body = marked(size)
      const name = `${mode}/${size}`
      await put(name, body, how)
      expect([size, (await bytes(name, key)).equals(body)]).toEqual([size, true])
      expect((await head(name, key)).ContentLength).toBe(size)
    }
    expect(await isAnywhere('nobody may read')).toBe(false)
    // proves once that the search would find plaintext
    if (mode !== 'SSE-S3') return
    await put(`${mode}/plain`, marked(20_000))
    expect(await isAnywhere('nobody may read')).toBe(true)
    await put(`${mode}/plain`, Buffer.from('gone'))
    await bench.server.sql.query('update s3_garbage set due = now()')
    await expect.poll(() => isAnywhere('nobody may read'), { timeout: 20_000 }).toBe(false)
  },
)

it.each(modes)('with %s, decrypts any range', async (mode, how, key) => {
  const body = randomBytes(300_000)
  const frame = 64 * 1024
  await put(`${mode}/ranges`, body, how)
  const ranges = [
    [0, 0],
    [frame - 1, frame],
    [frame, 2 * frame - 1],
    [10, 250_000],
    [4 * frame + 5, 299_999],
    [299_999, 299_999],
  ]
  for (const [from, to] of ranges) {
    const part = await bytes(`${mode}/ranges`, { ...key, Range: `bytes=${from}-${to}` })
    expect([from, to, part.equals(body.subarray(from, to! + 1))]).toEqual([from, to, true])
  }
})

it('returns the encryption of an object when it is written, read or requested with HEAD', async () => {
  const asked = [
    [{ ServerSideEncryption: 'AES256' }, {}, { ServerSideEncryption: 'AES256' }],
    [withKms('payroll'), {}, withKms('payroll')],
    [withKms('arn:aws:kms:us-east-1:1:key/archive'), {}, withKms('archive')],
    [withKms(), {}, withKms('alias/aws/s3')],
    [secret, secret, { SSECustomerAlgorithm: 'AES256', SSECustomerKeyMD5: secret.SSECustomerKeyMD5 }],
  ] as const
  for (const [how, key, told] of asked) {
    expect(await put('told', marked(100), how)).toMatchObject(told)
    expect(await get('told', key)).toMatchObject(told)
    expect(await head('told', key)).toMatchObject(told)
  }
  await put('told', marked(100))
  expect((await head('told')).ServerSideEncryption).toBeUndefined()
})

it('the ETag with SSE-C or SSE-KMS does not reveal the content', async () => {
  const body = marked(1000)
  const md5 = `"${createHash('md5').update(body).digest('hex')}"`
  expect((await put('etag', body, { ServerSideEncryption: 'AES256' })).ETag).toBe(md5)
  for (const how of [withKms('payroll'), secret])
    expect((await put('etag', body, how)).ETag).toMatch(/^"[0-9a-f]{32}"$/)
  for (const how of [withKms('payroll'), secret]) expect((await put('etag', body, how)).ETag).not.toBe(md5)
})

it('an SSE-C object requires its key, and other objects refuse one', async () => {
  await put('locked', marked(100_000), secret)
  await put('open', marked(100), { ServerSideEncryption: 'AES256' })
  for (const call of [get, head]) {
    const wrong = call === get ? 'InvalidRequest' : '400'
    expect(await refused(call('locked'))).toBe(wrong)
    expect(await refused(call('locked', customerKey()))).toBe(wrong)
    expect(await refused(call('open', secret))).toBe(wrong)
  }
})

it('refuses invalid or conflicting encryption headers', async () => {
  const { SSECustomerKeyMD5, ...withoutSum } = secret
  const cases: [string, object][] = [
    ['InvalidArgument', { ...secret, ServerSideEncryption: 'AES256' }],
    ['InvalidEncryptionAlgorithmError', { ...secret, SSECustomerAlgorithm: 'AES128' }],
    ['InvalidArgument', { SSEKMSKeyId: 'payroll' }],
    ['InvalidArgument', { ServerSideEncryption: 'AES256', SSEKMSKeyId: 'payroll' }],
    ['InvalidArgument', { ServerSideEncryption: 'rot13' }],
    ['KMS.NotFoundException', withKms('nobody-has-it')],
    // the SSE-S3 key cannot be requested by name
    ['KMS.NotFoundException', withKms('sse/s3')],
  ]
  for (const [code, how] of cases) expect([how, await refused(put('refused', marked(10), how))]).toEqual([how, code])
  expect(await refused(head('refused'))).toBe('NotFound')
  // the SDK corrects customer keys, so these headers are added manually
  const raw = (headers: Record<string, string>) => {
    const one = new PutObjectCommand({ Bucket, Key: 'refused', Body: 'x' })
    one.middlewareStack.add(
      (next) => (args) => {
        Object.assign((args.request as { headers: Record<string, string> }).headers, headers)
        return next(args)
      },
      { step: 'build' },
    )
    return refused(s3.send(one))
  }
  const name = 'x-amz-server-side-encryption-customer'
  const full: Record<string, string> = {
    [`${name}-algorithm`]: 'AES256',
    [`${name}-key`]: withoutSum.SSECustomerKey,
    [`${name}-key-md5`]: SSECustomerKeyMD5,
  }
  for (const missing of Object.keys(full)) {
    const { [missing]: _, ...rest } = full
    expect([missing, await raw(rest)]).toEqual([missing, 'InvalidArgument'])
  }
  expect(await raw(full)).toBe('nothing went wrong')
  expect(await raw({ ...full, [`${name}-key-md5`]: customerKey().SSECustomerKeyMD5 })).toBe('InvalidArgument')
  const short = createHash('md5').update('short').digest('base64')
  expect(await raw({ ...full, [`${name}-key`]: 'c2hvcnQ=', [`${name}-key-md5`]: short })).toBe('InvalidArgument')
  expect(await raw({ 'x-amz-server-side-encryption-context': 'e30=' })).toBe('NotImplemented')
  await put('open-to-all', marked(1))
  const reading = new HeadObjectCommand({ Bucket, Key: 'open-to-all' })
  reading.middlewareStack.add(
    (next) => (args) => {
      ;(args.request as { headers: Record<string, string> }).headers['x-amz-server-side-encryption'] = 'AES256'
      return next(args)
    },
    { step: 'build' },
  )
  expect(await refused(s3.send(reading))).toBe('400')
})

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

it.each(modes)('with %s, encrypts a multipart upload and reads across its parts', async (mode, how, key) => {
  const parts = [randomBytes(5 * 1024 ** 2), randomBytes(5 * 1024 ** 2 + 3), randomBytes(1000)]
  const whole = Buffer.concat(parts)
  await upload(`${mode}/parts`, parts, how, key)
  expect((await bytes(`${mode}/parts`, key)).equals(whole)).toBe(true)
  const [from, to] = [5 * 1024 ** 2 - 10, 10 * 1024 ** 2 + 50]
  const across = await bytes(`${mode}/parts`, { ...key, Range: `bytes=${from}-${to}` })
  expect(across.equals(whole.subarray(from, to + 1))).toBe(true)
  expect((await bytes(`${mode}/parts`, { ...key, PartNumber: 2 })).equals(parts[1]!)).toBe(true)
  const all = await stored()
  for (const part of parts) expect(all.some((file) => file.includes(part.subarray(0, 64)))).toBe(false)
})

it('requires the upload’s key for each of its parts', async () => {
  const parts = [randomBytes(100)]
  expect(await refused(upload('wrong-key', parts, secret, customerKey()))).toBe('InvalidRequest')
  expect(await refused(upload('no-key', parts, secret, {}))).toBe('InvalidRequest')
  expect(await refused(upload('needless', parts, {}, secret))).toBe('InvalidRequest')
})

it('applies a bucket’s default encryption to new objects that do not specify their own', async () => {
  const read = async () =>
    (await s3.send(new GetBucketEncryptionCommand({ Bucket }))).ServerSideEncryptionConfiguration?.Rules
  const set = (ApplyServerSideEncryptionByDefault: ServerSideEncryptionByDefault, more = {}) =>
    s3.send(
      new PutBucketEncryptionCommand({
        Bucket,
        ServerSideEncryptionConfiguration: { Rules: [{ ApplyServerSideEncryptionByDefault, ...more }] },
      }),
    )
  expect(await refused(read())).toBe('ServerSideEncryptionConfigurationNotFoundError')
  await put('before', marked(100))
  await set({ SSEAlgorithm: 'AES256' })
  expect(await read()).toEqual([{ ApplyServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }])
  expect(await put('by-default', marked(100))).toMatchObject({ ServerSideEncryption: 'AES256' })
  expect((await put('by-default', marked(100), secret)).ServerSideEncryption).toBeUndefined()
  const kms = { SSEAlgorithm: 'aws:kms' as const, KMSMasterKeyID: 'archive' }
  await set(kms, { BucketKeyEnabled: true })
  expect(await read()).toEqual([{ ApplyServerSideEncryptionByDefault: kms, BucketKeyEnabled: true }])
  await s3.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource: `${Bucket}/before` }))
  await upload('default-parts', [randomBytes(100)], {}, {})
  for (const Key of ['copy', 'default-parts']) expect(await head(Key)).toMatchObject(withKms('archive'))
  expect((await head('before')).ServerSideEncryption).toBeUndefined()
  expect(await refused(set({ SSEAlgorithm: 'AES256', KMSMasterKeyID: 'archive' }))).toBe('InvalidArgument')
  expect(await refused(set({ SSEAlgorithm: 'rot13' as 'AES256' }))).toBe('MalformedXML')
  await s3.send(new DeleteBucketEncryptionCommand({ Bucket }))
  expect(await refused(read())).toBe('ServerSideEncryptionConfigurationNotFoundError')
  expect((await put('after', marked(100))).ServerSideEncryption).toBeUndefined()
})

it('encrypts each version as specified when it was written', async () => {
  const versioned = { Bucket: 'encrypted-versions' }
  await s3.send(new CreateBucketCommand(versioned))
  await s3.send(
    new PutBucketVersioningCommand({ ...versioned, VersioningConfiguration: { Status: 'Enabled' as const } }),
  )
  const written: [string | undefined, Buffer, object][] = []
  for (const [, how, key] of modes) {
    const body = randomBytes(20_000)
    written.push([(await put('key', body, { ...versioned, ...how })).VersionId, body, key])
  }
  await s3.send(new DeleteObjectCommand({ ...versioned, Key: 'key', VersionId: written[2]![0] }))
  for (const [VersionId, body, key] of written.slice(0, 2))
    expect((await bytes('key', { ...versioned, VersionId, ...key })).equals(body)).toBe(true)
  expect(await head('key', versioned)).toMatchObject({ ...withKms('payroll'), VersionId: written[1]![0] })
})

it('a policy can require encryption', async () => {
  const other_ = 'insists'
  await s3.send(new CreateBucketCommand({ Bucket: other_ }))
  const Statement = {
    ...{ Effect: 'Deny', Principal: '*', Action: 's3:PutObject', Resource: `arn:aws:s3:::${other_}/*` },
    Condition: { StringNotEquals: { 's3:x-amz-server-side-encryption': 'aws:kms' } },
  }
  const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [Statement] })
  await s3.send(new PutBucketPolicyCommand({ Bucket: other_, Policy }))
  expect(await refused(put('x', marked(1), { Bucket: other_ }))).toBe('AccessDenied')
  expect(await refused(put('x', marked(1), { Bucket: other_, ServerSideEncryption: 'AES256' }))).toBe('AccessDenied')
  expect(await refused(put('x', marked(1), { Bucket: other_, ...withKms() }))).toBe('nothing went wrong')
})

it('does not return the content of files that were swapped on disk', async () => {
  await put('mine', marked(100_000), { ServerSideEncryption: 'AES256' })
  await put('theirs', randomBytes(100_000), { ServerSideEncryption: 'AES256' })
  await bench.server.sql.query(
    `update s3_object set blob = (select blob from s3_object where key = 'theirs') where key = 'mine'`,
  )
  expect(await refused(get('mine'))).toBe('InternalError')
  // the other file's data key cannot be used either, because it is bound to its object
  await bench.server.sql.query(
    `update s3_object set head = (select head from s3_object where key = 'theirs') where key = 'mine'`,
  )
  expect(await refused(get('mine'))).toBe('InternalError')
})

it(
  'cannot read objects with a different sealing key, and can read them again with the previous one',
  { tags: 'all' },
  async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'mainstay-s3-keys-'))
    const database = await testDatabase()
    const start = (key: string, names = '') =>
      startS3({
        keep: { folder, databaseUrl: database.url },
        environment: { MAINSTAY_SEALING_KEY: key.repeat(32), MAINSTAY_S3_KMS_KEYS: names },
      })
    try {
      const body = marked(30_000)
      const first = await start('a', 'named')
      const { s3: own, userId } = await first.client('project-member')
      await own.send(new CreateBucketCommand({ Bucket }))
      await own.send(new PutObjectCommand({ Bucket, Key: 'kept', Body: body, ...withKms('named') }))
      await own.send(new PutObjectCommand({ Bucket, Key: 'customer', Body: body, ...secret }))
      await first.close()

      const second = await start('b', 'named')
      const service = await second.server.tools.ports['object-storage'].service()
      expect(service).toMatchObject({ state: 'degraded', detail: expect.stringContaining('Locked encryption keys: 3') })
      await second.server.sql.query('delete from s3_key where user_id = $1', [userId])
      const again = (await second.client('project-member')).s3
      expect(await refused(again.send(new GetObjectCommand({ Bucket, Key: 'kept' })))).toBe('InternalError')
      const { Body } = await again.send(new GetObjectCommand({ Bucket, Key: 'customer', ...secret }))
      expect(Buffer.from(await Body!.transformToByteArray()).equals(body)).toBe(true)
      await second.close()

      // objects can still be decrypted if their key name is no longer configured
      const third = await start('a')
      const last = (await third.client('project-member')).s3
      const { Body: there } = await last.send(new GetObjectCommand({ Bucket, Key: 'kept' }))
      expect(Buffer.from(await there!.transformToByteArray()).equals(body)).toBe(true)
      expect((await third.server.tools.ports['object-storage'].service()).detail).toBeNull()
      await third.close()
    } finally {
      await database.drop()
      await rm(folder, { recursive: true, force: true })
    }
  },
)
