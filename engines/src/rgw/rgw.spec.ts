import { s3Keys } from '@mainstay/contract/object-storage/s3-keys'
import { S3_VALIDATE_HEADER } from '@mainstay/contract/object-storage/s3-proxy'
import { s3Service } from '@mainstay/contract/object-storage/s3-service'
import { s3Users } from '@mainstay/contract/object-storage/s3-users'
import { engines } from '@mainstay/contract/infrastructure/engines'
import { session } from '@mainstay/contract/identity/session'
import { CompleteMultipartUploadCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { tier } from '../../../tools/lib/tier.mjs'
import { openObjectStorage } from '../../../server/src/testing/s3/under-test'
import { startServer, type TestServer } from '../../../server/src/testing/start-server'
import type { ObjectStorageUnderTest } from '../conformance/object-storage/fixture'
import { codeOf } from '../conformance/object-storage/fixture'
import { ADMIN_KEY, startFakeGateway, type FakeGateway } from './testing/fake-gateway'

/* Tests the engine with an in-memory gateway: how it handles gateway failures, and which bytes reach it. */

let gateway: FakeGateway
let server: TestServer
let bench: ObjectStorageUnderTest
let mine: S3Client
const as = 'project-member'
const environmentFor = ({ url }: FakeGateway) => ({
  ...{ MAINSTAY_RGW_ENDPOINT: url, MAINSTAY_RGW_ACCESS_KEY: ADMIN_KEY, MAINSTAY_RGW_SECRET_KEY: 'secret' },
  MAINSTAY_S3_PORT: 'none',
})

beforeAll(async () => {
  gateway = await startFakeGateway()
  const environment = environmentFor(gateway)
  server = await startServer({ environment })
  bench = await openObjectStorage({ environment })
  mine = await bench.console(bench.people.me)
})
afterAll(async () => {
  await bench.close()
  await server.close()
  await gateway.close()
})
beforeEach(() => {
  delete gateway.trouble.code
  delete gateway.trouble.delayMs
  delete gateway.trouble.status
})

const userId = () => server.cast.people[as].user.id
const caps = () => gateway.users.get('mainstay')!
/** Polls the service view, because health is cached for three seconds. */
const seen = (state: string, detail: unknown) =>
  expect.poll(() => server.call(s3Service.view, { as: 'superuser' })).toMatchObject({ state, detail })

it('reports the health of the gateway to operators, with advice', async () => {
  await seen('healthy', null)
  const { capabilities } = await server.call(s3Service.view, { as })
  expect(capabilities).toEqual({ disabling_keys: false, key_use: false, policy_validation: false })
  const all = caps().caps
  caps().caps = [{ type: 'users', perm: 'read' }]
  const command = "radosgw-admin caps add --uid='mainstay' --caps='users=*;buckets=read'"
  await seen('failed', expect.stringContaining(`lacks permissions for users and buckets. Grant them: ${command}`))
  caps().caps = all
  const advices = [
    ['InvalidAccessKeyId', 'MAINSTAY_RGW_ACCESS_KEY'],
    ['SignatureDoesNotMatch', 'MAINSTAY_RGW_SECRET_KEY'],
    ['RequestTimeTooSkewed', 'clocks'],
    ['AccessDenied', 'users=*;buckets=read'],
  ] as const
  // each change of health is seen up to three seconds later
  for (const [code, advice] of tier === 'gate' ? advices.slice(-1) : advices) {
    gateway.trouble.code = code
    await seen('failed', expect.stringContaining(advice))
  }
  const [engine] = (await server.call(engines.list, { as: 'superuser' })).data.filter(({ engine: it }) => it === 'rgw')
  expect(engine!.problems).toEqual([expect.stringContaining('users=*;buckets=read')])
  delete gateway.trouble.code
  gateway.trouble.delayMs = 2_100
  await seen('degraded', expect.stringMatching(/took 2\.\d s to respond/))
  delete gateway.trouble.delayMs
  await seen('healthy', null)
  // details are for operators only
  expect(await server.call(s3Service.view, { as })).toMatchObject({ detail: null, usage: null })
})

it('a failing gateway causes a 503 error with an explanation, and does not disable object storage', async () => {
  await server.call(s3Keys.account, { as })
  for (const trouble of [
    { code: 'AccessDenied' },
    { code: 'InternalError', status: 500 },
    { code: 'x', status: 502 },
  ]) {
    Object.assign(gateway.trouble, { status: 403, ...trouble })
    const asked = server.call(s3Keys.account, { as })
    await expect(asked).rejects.toMatchObject({
      code: 'engine_unavailable',
      message: expect.stringMatching(/Ask an|Try again/),
    })
    await expect(server.call(s3Keys.create, { as, body: {} })).rejects.toMatchObject({ code: 'engine_unavailable' })
  }
  expect((await server.call(session.meta, { as })).services.s3.available).toBe(true)
})

it('never puts a secret in a URL', async () => {
  await server.call(s3Keys.account, { as })
  const { sec_key, acc_key } = await server.call(s3Keys.create, { as, body: {} })
  await server.call(s3Keys.delete, { as, params: { key: acc_key } })
  const secrets = [...gateway.users.values()].flatMap(({ keys }) => keys.map((key) => key.secret_key))
  for (const secret of [sec_key, ...secrets]) expect(gateway.asked.filter((it) => it.includes(secret))).toEqual([])
})

it('the next command removes keys that a server crash left only on the gateway or only in the database', async () => {
  const { acc_key } = await server.call(s3Keys.create, { as, body: { name: 'kept' } })
  const user = gateway.users.get(userId())!
  user.keys.push({ access_key: 'MS00000000000000000A', secret_key: 'nobody was told' })
  user.keys.push({ access_key: 'AN-OPERATORS-OWN', secret_key: 'x' })
  await server.call(s3Keys.update, { as, params: { key: acc_key }, body: { name: 'renamed' } })
  const other = await server.call(s3Keys.create, { as, body: {} })
  const there = user.keys.map((key) => key.access_key)
  expect(there).not.toContain('MS00000000000000000A')
  expect(there).toEqual(expect.arrayContaining([acc_key, other.acc_key, 'AN-OPERATORS-OWN']))
  // a key that the gateway has lost no longer counts against the limit
  user.keys = user.keys.filter((key) => key.access_key !== acc_key)
  const third = await server.call(s3Keys.create, { as, body: {} })
  const keys = (await server.call(s3Keys.account, { as })).keys.map((key) => key.acc_key)
  expect(keys).toEqual([other.acc_key, third.acc_key])
  for (const key of keys) await server.call(s3Keys.delete, { as, params: { key } })
})

it('recreates a user that the gateway has lost, in the same suspension state', async () => {
  await server.call(s3Keys.account, { as })
  const operator = { as: 'superuser', params: { scope: 'cluster', id: userId() } } as const
  await server.call(s3Users.update, { ...operator, body: { is_enabled: false } })
  expect(gateway.users.get(userId())!.suspended).toBe(1)
  gateway.users.delete(userId())
  await server.call(s3Users.update, { ...operator, body: { quota: 5 } })
  expect(gateway.users.get(userId())).toMatchObject({ suspended: 1, user_quota: { enabled: true, max_size: 5 } })
  await server.call(s3Users.update, { ...operator, body: { quota_objects: 7 } })
  expect(gateway.users.get(userId())!.user_quota).toEqual({ enabled: true, max_size: 5, max_objects: 7 })
  await server.call(s3Users.update, { ...operator, body: { is_enabled: true, quota: null, quota_objects: null } })
  expect(gateway.users.get(userId())).toMatchObject({ suspended: 0, user_quota: { enabled: false } })
})

const chunked = (text: string, sum: string) => ({
  headers: {
    ...{ 'content-encoding': 'gzip, aws-chunked', 'x-amz-trailer': 'x-amz-checksum-crc32' },
    ...{ 'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER', 'x-amz-meta-a': 'b' },
    'x-amz-decoded-content-length': String(text.length),
  },
  body: `${text.length.toString(16)}\r\n${text}\r\n0\r\nx-amz-checksum-crc32:${sum}\r\n\r\n`,
})
const put = (key: string, more: object) => bench.send(bench.people.me, { method: 'PUT', path: `/b/${key}`, ...more })

it('decodes chunked bodies for the gateway, and never completes an upload with a wrong checksum', async () => {
  expect(await put('whole', chunked('hello', 'NhCmhg=='))).toBe('200')
  const { bytes, headers } = gateway.objects.get('/b/whole')!
  expect(bytes.toString()).toBe('hello')
  expect(headers).toMatchObject({ 'content-length': '5', 'content-encoding': 'gzip', 'x-amz-meta-a': 'b' })
  expect(headers).toMatchObject({ 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' })
  expect(Object.keys(headers).filter((name) => /trailer|decoded/.test(name))).toEqual([])
  expect(await put('torn', chunked('hello', 'AAAAAA=='))).toBe('400 BadDigest')
  const large = chunked('x'.repeat(3_000_000), 'AAAAAA==')
  expect(await put('torn-later', large)).toBe('400 BadDigest')
  const wrong = { headers: { 'x-amz-content-sha256': '0'.repeat(64) }, body: 'hello' }
  expect(await put('hashed', wrong)).toBe('400 XAmzContentSHA256Mismatch')
  // a small body is never sent; the upload of a large body has already begun and is aborted
  await expect.poll(() => gateway.brokenOff).toEqual(['/b/torn-later'])
  expect([...gateway.objects.keys()]).toEqual(['/b/whole'])
})

it('handles a refusal before or during the upload, and reuses the connection for the next call', async () => {
  const send = (Key: string, bytes: number) =>
    codeOf(mine.send(new PutObjectCommand({ Bucket: 'b', Key, Body: Buffer.alloc(bytes) })))
  for (let round = 0; round < 3; round++) {
    // one body that is completely sent before the refusal, and one that is not
    for (const bytes of [600 * 1024, 20_000_000])
      for (const when of ['early', 'midway']) {
        expect(await send(when, bytes)).toBe('QuotaExceeded')
        expect(await send('good', 300 * 1024)).toBe('good')
      }
  }
})

it('does not forward policy validation to the gateway, which would store the policy', async () => {
  const look = { headers: { [S3_VALIDATE_HEADER]: 'true' }, body: '{}' }
  expect(await bench.send(bench.people.me, { method: 'PUT', path: '/b?policy', ...look })).toBe('501 NotImplemented')
  expect(gateway.asked.filter((it) => it.startsWith('PUT /b?policy'))).toEqual([])
})

it('adds the ETag of a multipart upload, which the gateway omits', async () => {
  await put('parts', { body: 'put together' })
  const { ETag } = await mine.send(
    new CompleteMultipartUploadCommand({ Bucket: 'b', Key: 'parts', UploadId: 'u', MultipartUpload: { Parts: [] } }),
  )
  expect(ETag).toBe('"5c0f07a6af3eeab4e559345dbb957116"')
})

it('users can sign in while the gateway is unreachable, and the service reports why it is unavailable', async () => {
  const lost = await startFakeGateway()
  await lost.close()
  const alone = await startServer({ environment: environmentFor(lost) })
  try {
    const told = await alone.call(s3Service.view, { as: 'superuser' })
    expect(told).toMatchObject({ s3_enabled: true, state: 'failed', usage: null })
    expect(told.detail).toBe(
      `The gateway at ${lost.url} cannot be used: it refuses connections. Check that it is running, and check MAINSTAY_RGW_ENDPOINT`,
    )
    expect((await alone.call(session.meta, { as })).services.s3.available).toBe(true)
    await expect(alone.call(s3Keys.account, { as })).rejects.toMatchObject({
      ...{ code: 'engine_unavailable', status: 503 },
      message: 'Object storage is not available: it refuses connections. Try again later.',
    })
    const domain = alone.cast.people[as].domain.id
    const port = alone.tools.ports['object-storage']
    await expect(port.setDomainEnabled(domain, false)).rejects.toMatchObject({ code: 'engine_unavailable' })
    // the setting is stored in the database, and applied once the gateway responds
    expect(await port.isDomainEnabled(domain)).toBe(false)
  } finally {
    await alone.close()
  }
})
