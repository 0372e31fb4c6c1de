import { createHash } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteBucketPolicyCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketPolicyCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutBucketPolicyCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { S3_PROXY_PATH, S3_VALIDATE_HEADER } from '@mainstay/contract/object-storage/s3-proxy'
import { s3Keys } from '@mainstay/contract/object-storage/s3-keys'
import { s3Service } from '@mainstay/contract/object-storage/s3-service'
import { s3Users } from '@mainstay/contract/object-storage/s3-users'
import { session } from '@mainstay/contract/identity/session'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { PASSWORD, type PersonaName } from '../../testing/personas'
import { consoleClient } from '../../testing/s3/clients/console-client'
import { startServer, type TestServer } from '../../testing/start-server'

let server: TestServer
const as = 'project-member'
const MiB = 1024 * 1024
beforeAll(async () => {
  server = await startServer()
  await server.call(s3Service.create, { as: 'superuser' })
})
afterAll(() => server.close())

const clientOf = async (who: PersonaName, more: Record<string, string> = {}): Promise<S3Client> =>
  consoleClient(server.url, await server.signIn(who), more)

let client: S3Client
let other: S3Client
let count = 0
let Bucket: string
beforeEach(async () => {
  client ??= await clientOf(as)
  other ??= await clientOf('other-member')
  Bucket = `proxied-${(count += 1)}`
  await client.send(new CreateBucketCommand({ Bucket }))
})

const put = (Key: string, Body: string | Buffer | Readable, more: object = {}) =>
  client.send(new PutObjectCommand({ Bucket, Key, Body, ...more }))
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'good',
    (error: { name: string }) => error.name,
  )

/** Returns a presigned link as created by the SDK, with a placeholder signature. */
function link(key: string, change: Record<string, string | null> = {}): string {
  const now = new Date(Date.now()).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')
  const given: Record<string, string | null> = {
    ...{
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD',
      'X-Amz-SignedHeaders': 'host',
    },
    ...{ 'X-Amz-Credential': `session/${now.slice(0, 8)}/us-east-1/s3/aws4_request`, 'X-Amz-Date': `${now}Z` },
    ...{ 'X-Amz-Expires': '3600', 'X-Amz-Signature': '0'.repeat(64), 'x-id': 'GetObject' },
    ...change,
  }
  const query = new URLSearchParams(Object.entries(given).filter((it): it is [string, string] => it[1] !== null))
  return `${server.url}${S3_PROXY_PATH}/${Bucket}/${key}?${query}`
}
const tokenOf = async (who: PersonaName = as) => ({ 'x-auth-token': await server.signIn(who) })
const projectOf = (who: 'project-member' | 'other-member') => server.cast.people[who].project!.id

/** Returns the session cookie of a browser. It is not bound to a project. */
async function cookieOf(who: 'project-member' | 'other-member'): Promise<string> {
  const { user, domain } = server.cast.people[who]
  const answer = await fetch(`${server.url}${session.login.path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: server.url },
    body: JSON.stringify({ username: user.name, password: PASSWORD, domain: domain.name }),
  })
  return answer.headers.get('set-cookie')!.split(';')[0]!
}

it('creates, lists and deletes buckets below /s3proxy/, path style [S3-016] [S3-017] [S3-024] [S3-025] [S3-026]', async () => {
  const bucketsOf = async (of: S3Client) => (await of.send(new ListBucketsCommand({}))).Buckets!.map(({ Name }) => Name)
  expect(await bucketsOf(client)).toContain(Bucket)
  // in path style, the bucket is the first segment of the path and not part of the host name
  const answer = await fetch(`${server.url}/s3proxy/${Bucket}?list-type=2`, {
    headers: { ...(await tokenOf()), authorization: 'AWS4-HMAC-SHA256 Credential=session' },
  })
  expect([answer.status, await answer.text()]).toMatchObject([200, expect.stringContaining(`<Name>${Bucket}</Name>`)])
  expect(await bucketsOf(other)).not.toContain(Bucket)
  await put('a', 'b')
  expect(await codeOf(client.send(new DeleteBucketCommand({ Bucket })))).toBe('BucketNotEmpty')
  await client.send(new DeleteObjectCommand({ Bucket, Key: 'a' }))
  await client.send(new DeleteBucketCommand({ Bucket }))
  expect(await bucketsOf(client)).not.toContain(Bucket)
})

it('stores, reads and deletes objects with dummy credentials [S3-018] [S3-019] [S3-020] [S3-021] [S3-022]', async () => {
  expect(await client.config.region()).toBe('us-east-1')
  expect(await client.config.credentials()).toMatchObject({ accessKeyId: 'session', secretAccessKey: 'session' })
  const Key = 'a folder/ü+%2F &=?#(1)*!\'".txt'
  await put(Key, 'hello', { ContentType: 'text/plain', Metadata: { from: 'here' } })
  const got = await client.send(new GetObjectCommand({ Bucket, Key }))
  expect(await got.Body!.transformToString()).toBe('hello')
  expect(got).toMatchObject({ ContentType: 'text/plain', Metadata: { from: 'here' }, ContentLength: 5 })
  const head = await client.send(new HeadObjectCommand({ Bucket, Key }))
  expect(head).toMatchObject({ ContentLength: 5, ETag: got.ETag })
  const part = await client.send(new GetObjectCommand({ Bucket, Key, Range: 'bytes=1-3' }))
  expect([part.ContentRange, await part.Body!.transformToString()]).toEqual(['bytes 1-3/5', 'ell'])
  await client.send(new DeleteObjectCommand({ Bucket, Key }))
  expect(await codeOf(client.send(new GetObjectCommand({ Bucket, Key })))).toBe('NoSuchKey')
})

it('transfers large objects unchanged in both directions', async () => {
  const body = Buffer.alloc(24 * MiB, 'mainstay ')
  await put('large', body)
  const got = await client.send(new GetObjectCommand({ Bucket, Key: 'large' }))
  const hash = createHash('sha256')
  for await (const chunk of got.Body as Readable) hash.update(chunk as Buffer)
  expect(hash.digest('hex')).toBe(createHash('sha256').update(body).digest('hex'))
})

/** A body in aws-chunked encoding with a trailing checksum, which the SDK uses for streams. */
const chunked = (text: string, crc32: string) =>
  `${text.length.toString(16)}\r\n${text}\r\n0\r\nx-amz-checksum-crc32:${crc32}\r\n\r\n`

it('verifies the trailing checksum of a streamed body', async () => {
  const Body = Readable.from([Buffer.alloc(MiB, 'a'), Buffer.alloc(MiB, 'b')])
  await put('stream', Body, { ContentLength: 2 * MiB })
  const { ContentLength, ContentEncoding } = await client.send(new HeadObjectCommand({ Bucket, Key: 'stream' }))
  expect([ContentLength, ContentEncoding]).toEqual([2 * MiB, undefined])
  const send = async (key: string, crc32: string) => {
    const answer = await fetch(`${server.url}${S3_PROXY_PATH}/${Bucket}/${key}`, {
      method: 'PUT',
      headers: {
        ...(await tokenOf()),
        ...{ authorization: 'AWS4-HMAC-SHA256 Credential=session', 'content-encoding': 'aws-chunked' },
        ...{ 'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER', 'x-amz-trailer': 'x-amz-checksum-crc32' },
        'x-amz-decoded-content-length': '5',
      },
      body: chunked('hello', crc32),
    })
    return [answer.status, /<Code>(\w+)<\/Code>/.exec(await answer.text())?.[1]]
  }
  expect(await send('whole', 'NhCmhg==')).toEqual([200, undefined])
  expect(await send('torn', 'AAAAAA==')).toEqual([400, 'BadDigest'])
  expect(await codeOf(client.send(new HeadObjectCommand({ Bucket, Key: 'torn' })))).toBe('NotFound')
})

it('passes request conditions on to S3', async () => {
  const { ETag } = await put('a', 'one')
  const asked = client.send(new GetObjectCommand({ Bucket, Key: 'a', IfNoneMatch: ETag }))
  await expect(asked).rejects.toMatchObject({ $metadata: { httpStatusCode: 304 } })
  expect(await codeOf(put('a', 'two', { IfNoneMatch: '*' }))).toBe('PreconditionFailed')
})

it('lists objects by prefix and delimiter, with pages [S3-023]', async () => {
  for (const key of ['x/', 'x/1', 'x/2', 'x/sub/1', 'x/sub/2', 'y']) await put(key, '')
  const page = (more: object) =>
    client.send(new ListObjectsV2Command({ Bucket, Prefix: 'x/', Delimiter: '/', MaxKeys: 2, ...more }))
  const first = await page({})
  expect(first.Contents!.map(({ Key }) => Key)).toEqual(['x/', 'x/1'])
  expect(first.IsTruncated).toBe(true)
  const second = await page({ ContinuationToken: first.NextContinuationToken })
  expect(second.Contents!.map(({ Key }) => Key)).toEqual(['x/2'])
  expect(second.CommonPrefixes).toEqual([{ Prefix: 'x/sub/' }])
  expect(second.IsTruncated).toBe(false)
})

it('lists at most 1000 keys, which is also the default [CO-017]', async () => {
  await put('a', '')
  const most = async (MaxKeys?: number) => (await client.send(new ListObjectsV2Command({ Bucket, MaxKeys }))).MaxKeys
  expect([await most(), await most(999), await most(1000), await most(1001)]).toEqual([1000, 999, 1000, 1000])
})

it('stores a folder as an empty object with a trailing slash [S3-031]', async () => {
  await put('folder/', '')
  const head = await client.send(new HeadObjectCommand({ Bucket, Key: 'folder/' }))
  expect(head.ContentLength).toBe(0)
  expect(await codeOf(client.send(new HeadObjectCommand({ Bucket, Key: 'folder' })))).toBe('NotFound')
})

it('sets, reads and deletes a bucket policy [S3-027] [S3-028] [S3-029]', async () => {
  const { arn } = await server.call(s3Keys.account, { as: 'other-member' })
  const Policy = JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      { Effect: 'Allow', Principal: { AWS: [arn] }, Action: 's3:GetObject', Resource: `arn:aws:s3:::${Bucket}/*` },
    ],
  })
  await put('a', 'shared')
  const read = () => codeOf(other.send(new GetObjectCommand({ Bucket, Key: 'a' })))
  expect(await read()).toBe('AccessDenied')
  await client.send(new PutBucketPolicyCommand({ Bucket, Policy }))
  expect(JSON.parse((await client.send(new GetBucketPolicyCommand({ Bucket }))).Policy!)).toEqual(JSON.parse(Policy))
  expect(await read()).toBe('good')
  await client.send(new DeleteBucketPolicyCommand({ Bucket }))
  expect(await read()).toBe('AccessDenied')
  expect(await codeOf(client.send(new GetBucketPolicyCommand({ Bucket })))).toBe('NoSuchBucketPolicy')
})

it('validates a bucket policy without storing it if a header requests it [S3-030]', async () => {
  const looking = await clientOf(as, { [S3_VALIDATE_HEADER]: 'true' })
  const policy = (Action: string) => ({
    Bucket,
    Policy: JSON.stringify({
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Principal: '*', Action, Resource: `arn:aws:s3:::${Bucket}/*` }],
    }),
  })
  await looking.send(new PutBucketPolicyCommand(policy('s3:GetObject')))
  expect(await codeOf(client.send(new GetBucketPolicyCommand({ Bucket })))).toBe('NoSuchBucketPolicy')
  expect(await codeOf(looking.send(new PutBucketPolicyCommand(policy('nonsense'))))).toBe('MalformedPolicy')
})

it('deletes many objects in one call [S3-032]', async () => {
  for (const key of ['a', 'b', 'c']) await put(key, key)
  const Delete = { Objects: [{ Key: 'a' }, { Key: 'b' }] }
  const { Deleted } = await client.send(new DeleteObjectsCommand({ Bucket, Delete }))
  expect(Deleted!.map(({ Key }) => Key).toSorted((a, b) => (a! < b! ? -1 : 1))).toEqual(['a', 'b'])
  const left = await client.send(new ListObjectsV2Command({ Bucket }))
  expect(left.Contents!.map(({ Key }) => Key)).toEqual(['c'])
})

it('uploads with a presigned link [S3-033]', async () => {
  const headers = { ...(await tokenOf()), 'content-type': 'text/plain' }
  const answer = await fetch(link('by-link', { 'x-id': 'PutObject', 'x-amz-meta-via': 'link' }), {
    ...{ method: 'PUT', headers, body: 'by a link' },
  })
  expect(answer.status).toBe(200)
  const got = await client.send(new GetObjectCommand({ Bucket, Key: 'by-link' }))
  expect([await got.Body!.transformToString(), got.Metadata]).toEqual(['by a link', { via: 'link' }])
})

it('downloads with a presigned link and a session cookie, in the project given in the link [S3-034]', async () => {
  await put('a', 'for me')
  const asBrowser = async (url: string, who: 'project-member' | 'other-member', more: Record<string, string> = {}) =>
    fetch(url, { headers: { cookie: await cookieOf(who), 'sec-fetch-site': 'same-origin', ...more } })
  const url = link('a', { project_id: projectOf(as) })
  const good = await asBrowser(url, as)
  expect([good.status, await good.text()]).toEqual([200, 'for me'])
  // fails without a project, in another user's project, and without access
  expect((await asBrowser(link('a'), as)).status).toBe(403)
  expect((await asBrowser(url, 'other-member')).status).toBe(404)
  expect((await asBrowser(link('a', { project_id: projectOf('other-member') }), 'other-member')).status).toBe(403)
  expect((await fetch(url)).status).toBe(401)
  // other sites cannot make a browser follow the link with the cookie
  expect(
    (await asBrowser(url, as, { origin: 'http://elsewhere.example', 'sec-fetch-site': 'cross-site' })).status,
  ).toBe(403)
})

it('limits the validity of links to 3600 s [CO-038]', async () => {
  await put('a', 'b')
  const headers = await tokenOf()
  const answerOf = async (change: Record<string, string | null>) => {
    const answer = await fetch(link('a', change), { headers })
    return [answer.status, /<Code>(\w+)<\/Code>/.exec(await answer.text())?.[1]]
  }
  const ago = (seconds: number) =>
    `${new Date(Date.now() - seconds * 1000).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`
  expect(await answerOf({ 'X-Amz-Date': ago(3590) })).toEqual([200, undefined])
  expect(await answerOf({ 'X-Amz-Date': ago(3602) })).toEqual([403, 'AccessDenied'])
  expect(await answerOf({ 'X-Amz-Expires': '3601' })).toEqual([400, 'AuthorizationQueryParametersError'])
  // without a signature, a link would never expire
  expect(await answerOf({ 'X-Amz-Signature': null })).toEqual([403, 'AccessDenied'])
})

it('requires a header set by the console for writes with a cookie', async () => {
  const cookie = await cookieOf(as)
  const write = (more: Record<string, string>) =>
    fetch(link('a', { project_id: projectOf(as) }), {
      ...{ method: 'PUT', body: 'x', headers: { cookie, origin: server.url, ...more } },
    })
  const refused = await write({})
  expect([refused.status, await refused.text()]).toMatchObject([403, expect.stringContaining('<Code>csrf</Code>')])
  const foreign = await write({ origin: 'http://elsewhere.example', 'x-requested-with': 'x' })
  expect(foreign.status).toBe(403)
  expect((await write({ 'x-requested-with': 'mainstay' })).status).toBe(200)
})

it('never lets stored content run as a console page', async () => {
  await put('page.html', '<script>alert(1)</script>', { ContentType: 'text/html', ContentDisposition: 'inline' })
  await put('picture.png', 'png', { ContentType: 'image/png' })
  const headers = await tokenOf()
  const read = async (key: string, change = {}, more = {}) =>
    (await fetch(link(key, change), { headers: { ...headers, ...more } })).headers
  for (const inline of [null, '1']) {
    const told = await read('page.html', { inline })
    expect(told.get('content-disposition')).toMatch(/^attachment; filename="page.html"/)
    expect(told.get('content-security-policy')).toMatch(/^sandbox;/)
    expect(told.get('x-content-type-options')).toBe('nosniff')
    expect(told.get('set-cookie')).toBeNull()
  }
  expect((await read('picture.png')).get('content-disposition')).toMatch(/^attachment/)
  expect((await read('picture.png', { inline: '1' })).get('content-disposition')).toBeNull()
  const asScript = await fetch(link('page.html'), { headers: { ...headers, 'sec-fetch-dest': 'script' } })
  expect(asScript.status).toBe(403)
})

it('refuses to read, write or delete objects in another user’s bucket', async () => {
  await put('a', 'mine')
  for (const command of [
    new GetObjectCommand({ Bucket, Key: 'a' }),
    new ListObjectsV2Command({ Bucket }),
    new PutObjectCommand({ Bucket, Key: 'b', Body: 'x' }),
    new DeleteObjectCommand({ Bucket, Key: 'a' }),
    new GetBucketPolicyCommand({ Bucket }),
    new DeleteBucketCommand({ Bucket }),
  ])
    expect(await codeOf(other.send(command as GetObjectCommand))).toBe('AccessDenied')
  // the name is taken nevertheless
  expect(await codeOf(other.send(new CreateBucketCommand({ Bucket })))).toBe('BucketAlreadyExists')
  expect(await (await client.send(new GetObjectCommand({ Bucket, Key: 'a' }))).Body!.transformToString()).toBe('mine')
})

it('reports missing access with an XML error code, never as JSON', async () => {
  const answerOf = async (headers: Record<string, string>, path = `/${Bucket}?list-type=2`) => {
    const answer = await fetch(`${server.url}${S3_PROXY_PATH}${path}`, {
      headers: { authorization: 'AWS4-HMAC-SHA256 Credential=session', ...headers },
    })
    expect(answer.headers.get('content-type')).toMatch(/^application\/xml/)
    return `${answer.status} ${/<Code>([\w]+)<\/Code>/.exec(await answer.text())?.[1]}`
  }
  expect(await answerOf({})).toBe('401 unauthorized')
  expect(await answerOf({ 'x-auth-token': 'made-up' })).toBe('401 unauthorized')
  expect(await answerOf(await tokenOf('superuser'), '/')).toBe('403 AccessDenied')
  expect(await answerOf(await tokenOf(), '/b/%ff')).toBe('400 InvalidURI')
  const user = { as: 'superuser', params: { scope: 'cluster', id: server.cast.people[as].user.id } } as const
  await server.call(s3Users.update, { ...user, body: { is_enabled: false } })
  expect(await answerOf(await tokenOf())).toBe('403 s3_user_disabled')
  await server.call(s3Users.update, { ...user, body: { is_enabled: true } })
  await server.call(s3Service.delete, { as: 'superuser' })
  expect(await answerOf(await tokenOf())).toBe('404 s3_not_found')
  await server.call(s3Service.create, { as: 'superuser' })
  expect(await answerOf(await tokenOf())).toBe('200 undefined')
})

it('releases the slots of calls whose clients disconnect before processing starts', async () => {
  const port = server.tools.ports['object-storage']
  const headers = { ...(await tokenOf()), authorization: 'AWS4-HMAC-SHA256 Credential=session' }
  const { barrierOf } = port
  let asked = 0
  let go = () => {}
  const gate = new Promise<void>((resolve) => (go = resolve))
  port.barrierOf = async (owner) => {
    asked += 1
    await gate
    return barrierOf(owner)
  }
  try {
    const calls = Array.from({ length: 64 }, () => {
      const call = http.get({
        host: '127.0.0.1',
        port: new URL(server.url).port,
        path: '/s3proxy/',
        headers,
        agent: false,
      })
      call.on('error', () => undefined)
      return call
    })
    await expect.poll(() => asked).toBe(64)
    for (const call of calls) call.destroy()
    await new Promise((resolve) => setTimeout(resolve, 200))
  } finally {
    go()
    port.barrierOf = barrierOf
  }
  expect(await codeOf(client.send(new ListBucketsCommand({})))).toBe('good')
})

it('stores no part of an interrupted upload', async () => {
  const { port } = new URL(server.url)
  const headers = {
    ...(await tokenOf()),
    ...{ authorization: 'AWS4-HMAC-SHA256 Credential=session', 'content-length': String(8 * MiB) },
  }
  const request = http.request({ host: '127.0.0.1', port, method: 'PUT', path: `/s3proxy/${Bucket}/half`, headers })
  request.on('error', () => undefined)
  request.write(Buffer.alloc(MiB))
  await new Promise((resolve) => setTimeout(resolve, 200))
  request.destroy()
  await expect.poll(() => codeOf(client.send(new HeadObjectCommand({ Bucket, Key: 'half' })))).toBe('NotFound')
})

it('never sends requests to a host that is named in the path', async () => {
  const asked: string[] = []
  const elsewhere = http.createServer((request, reply) => (asked.push(request.url!), reply.end()))
  await new Promise<void>((done) => elsewhere.listen(0, '127.0.0.1', done))
  const host = `127.0.0.1:${(elsewhere.address() as AddressInfo).port}`
  const headers = { ...(await tokenOf()), authorization: 'AWS4-HMAC-SHA256 x' }
  for (const path of [`//${host}/`, `/@${host}/`, `/http://${host}/`, `/..//${host}/`, `/\\${host}`]) {
    const request = http.request({
      host: '127.0.0.1',
      port: new URL(server.url).port,
      path: `/s3proxy${path}`,
      headers,
    })
    await new Promise((resolve) => request.on('response', (response) => resolve(response.resume())).end())
  }
  elsewhere.close()
  expect(asked).toEqual([])
})
