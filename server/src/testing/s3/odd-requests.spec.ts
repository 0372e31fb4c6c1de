import http from 'node:http'
import net from 'node:net'
import process from 'node:process'
import {
  CreateBucketCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutBucketPolicyCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { S3_PROXY_PATH } from '@mainstay/contract/object-storage/s3-proxy'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { refused, startS3, type S3Bench } from './clients/client'
import { hostileRequests } from './hostile-requests'

/* Unusual requests that must not be mistaken for others. */

let bench: S3Bench
let s3: S3Client
let token: string
const Bucket = 'odd-requests'
beforeAll(async () => {
  bench = await startS3()
  s3 = (await bench.client('project-member')).s3
  token = await bench.server.signIn('project-member')
  await s3.send(new CreateBucketCommand({ Bucket }))
  const open = (Action: string, names: string) => ({
    ...{ Effect: 'Allow', Principal: '*', Action, Resource: `arn:aws:s3:::${Bucket}/${names}` },
  })
  const Statement = [open('s3:GetObject', 'open*'), open('s3:*', 'wall*')]
  await s3.send(new PutBucketPolicyCommand({ Bucket, Policy: JSON.stringify({ Statement }) }))
})
afterAll(() => bench.close())

const put = (Key: string, Body = Key, more = {}) => s3.send(new PutObjectCommand({ Bucket, Key, Body, ...more }))
const textOf = async (Key: string) => (await s3.send(new GetObjectCommand({ Bucket, Key }))).Body!.transformToString()
/** Sends a request with a session, for which the S3 signature is not checked. */
const send = async (method: string, path: string, headers: Record<string, string> = {}, body?: string) => {
  const answer = await fetch(`${bench.server.url}${S3_PROXY_PATH}/${Bucket}${path}`, {
    ...{ method, headers: { 'x-auth-token': token, authorization: 'AWS4-HMAC-SHA256 Credential=session', ...headers } },
    ...(body !== undefined && { body }),
  })
  const text = await answer.text()
  return { status: answer.status, text, code: /<Code>(\w+)/.exec(text)?.[1] ?? '', headers: answer.headers }
}

it('resumes a download only if the object has not changed', async () => {
  await put('open', 'first text')
  const before = await s3.send(new HeadObjectCommand({ Bucket, Key: 'open' }))
  const range = { range: 'bytes=6-' }
  const addresses = [
    (headers: Record<string, string>) => send('GET', '/open', headers),
    async (headers: Record<string, string>) => {
      const answer = await fetch(`${bench.endpoint}/${Bucket}/open`, { headers })
      return { status: answer.status, text: await answer.text() }
    },
  ]
  const modified = before.LastModified!.toUTCString()
  for (const get of addresses)
    for (const condition of [before.ETag!, modified])
      expect(await get({ ...range, 'if-range': condition })).toMatchObject({ status: 206, text: 'text' })
  await put('open', 'other words')
  for (const get of addresses) {
    for (const condition of [before.ETag!, `W/${before.ETag}`, 'Mon, 01 Jan 2024 00:00:00 GMT', 'never'])
      expect(await get({ ...range, 'if-range': condition })).toMatchObject({ status: 200, text: 'other words' })
    expect(await get({ range: 'BYTES=6-' })).toMatchObject({ status: 206, text: 'words' })
  }
  const { headers } = await send('HEAD', '/open')
  expect((await send('GET', '/open', { 'if-none-match': `W/${headers.get('etag')}` })).status).toBe(304)
})

it('deletes exactly the given key, even if it contains line separators', async () => {
  const keys = ['a\nb', 'a\u2028b', 'a\u0085b', 'c\nd', 'c\u0001d']
  for (const key of keys) await put(key)
  const remove = (key: string) =>
    send(
      'POST',
      '?delete',
      { 'content-type': 'application/xml' },
      `<Delete><Object><Key>${key}</Key></Object></Delete>`,
    )
  const left = async () =>
    ((await s3.send(new ListObjectsV2Command({ Bucket, EncodingType: 'url' }))).Contents ?? []).map((it) =>
      decodeURIComponent(it.Key!),
    )
  for (const key of ['a\u2028b', 'a\u0085b']) {
    expect((await remove(key)).status).toBe(200)
    expect(await left()).toContain('a\nb')
    expect(await left()).not.toContain(key)
  }
  await remove('c&#1;d')
  expect(await left()).toEqual(expect.arrayContaining(['a\nb', 'c\nd']))
  expect(await left()).not.toContain('c\u0001d')
  expect((await send('POST', '?delete', {}, '<Delete><Object><Key>a\u2028&#1;</Key></Object></Delete>')).code).toBe(
    'MalformedXML',
  )
})

it('refuses unsupported or impossible requests without side effects', async () => {
  await put('kept', 'as it is')
  const etag = (await s3.send(new HeadObjectCommand({ Bucket, Key: 'kept' }))).ETag!
  const write = (path: string, headers: Record<string, string>) =>
    send('PUT', path, headers, 'x').then(({ code }) => code)
  expect(await write('/kept', { 'x-amz-write-offset-bytes': '8' })).toBe('NotImplemented')
  expect(await write('/moved?renameObject', { 'x-amz-rename-source': '/kept' })).toBe('NotImplemented')
  expect(await write('/kept', { 'if-match': etag, 'if-none-match': '*' })).toBe('PreconditionFailed')
  expect(await write('/kept', { 'x-amz-meta-a': 'a'.repeat(2048) })).toBe('MetadataTooLarge')
  for (const word of ['session', 'metadataTable', 'metadataConfiguration', 'abac'])
    expect((await send('GET', `?${word}`)).code).toBe('NotImplemented')
  for (const number of ['0', '10001', 'x', '-1'])
    expect((await send('GET', `/kept?partNumber=${number}`)).code).toBe('InvalidArgument')
  expect((await send('GET', '/kept?partNumber=1', { range: 'bytes=0-1' })).code).toBe('InvalidRequest')
  expect([await textOf('kept'), await refused(textOf('moved'))]).toEqual(['as it is', 'NoSuchKey'])
})

it('names the missing bucket or key in the error, because clients display it', async () => {
  expect((await send('GET', '/no%26thing')).text).toContain('<Key>no&#38;thing</Key>')
  const missing = await s3
    .send(new ListObjectsV2Command({ Bucket: 'there-is-no-such' }))
    .catch((error: unknown) => error)
  expect(missing).toMatchObject({ name: 'NoSuchBucket', BucketName: 'there-is-no-such' })
})

it('refuses a conditional write before its body is sent', async () => {
  await put('wall')
  const attempt = async (key: string, condition: Record<string, string>) => {
    const length = 64 * 1024 ** 2
    const request = http.request(`${bench.endpoint}/${Bucket}/${key}`, {
      ...{ method: 'PUT', agent: false },
      headers: { expect: '100-continue', 'content-length': length, ...condition },
    })
    request.flushHeaders()
    return new Promise<string>((resolve, reject) => {
      request.once('continue', () => resolve('asked for its body')).once('error', reject)
      request.once('response', (answer) => resolve(String(answer.resume().statusCode)))
    }).finally(() => request.on('error', () => {}).destroy())
  }
  expect(await attempt('wall', { 'if-none-match': '*' })).toBe('412')
  expect(await attempt('wall', { 'if-match': '"other"' })).toBe('412')
  expect(await attempt('wall-none', { 'if-match': '*' })).toBe('404')
  expect(await attempt('wall', { 'if-match': '*' })).toBe('asked for its body')
  expect(await attempt('wall-none', { 'if-none-match': '*' })).toBe('asked for its body')
  expect(await textOf('wall')).toBe('wall')
})

const answersWithinMs = 10_000
it('answers any request from an anonymous or signed-in attacker quickly and without an internal error', async () => {
  await put('wall')
  const memory = process.memoryUsage().rss
  const faults: unknown[] = []
  const direct = (method: string, path: string, headers: Record<string, string>, body?: string) =>
    fetch(`${bench.endpoint}/${Bucket}${path}`, {
      ...{ method, headers, signal: AbortSignal.timeout(answersWithinMs) },
      ...(body !== undefined && { body }),
    }).then(async (answer) => ({ status: answer.status, text: await answer.text() }))
  for (const [method, path, headers = {}, body] of hostileRequests(Bucket))
    for (const way of [send, direct]) {
      const began = performance.now()
      const told = await way(method, path, headers, body).then(
        ({ status, text }) => (status >= 500 && status !== 501 ? `${status} ${text.slice(0, 200)}` : 'well'),
        (error: Error) => `${error.name} ${error.cause instanceof Error ? error.cause.message : error.message}`,
      )
      // an early refusal may reset the connection while the body is being sent
      const isWell = told === 'well' || /ECONNRESET|EPIPE|other side closed|is not a valid|unsupported/i.test(told)
      const took = performance.now() - began
      if (!isWell || took > answersWithinMs)
        faults.push([
          way === send ? 'session' : 'direct',
          method,
          path.slice(0, 60),
          JSON.stringify(headers).slice(0, 90),
          body?.slice(0, 60),
          told,
          Math.round(took),
        ])
    }
  expect(faults).toEqual([])
  expect(await textOf('open')).toBeTruthy()
  expect(process.memoryUsage().rss - memory).toBeLessThan(400 * 1024 ** 2)
})

/** Sends raw bytes to the S3 port. Returns the status, or how the connection ended. */
const raw = (text: string) =>
  new Promise<string>((resolve) => {
    const { hostname, port } = new URL(bench.endpoint)
    const socket = net.connect(Number(port), hostname, () => socket.write(text))
    let got = ''
    const end = (how: string) => {
      clearTimeout(late)
      socket.destroy()
      resolve(/^HTTP\/1.1 (\d+)/.exec(got)?.[1] ?? how)
    }
    const late = setTimeout(() => end('no answer'), answersWithinMs)
    socket.on('data', (part) => {
      got += String(part)
      if (got.includes('\r\n\r\n')) end('')
    })
    socket.on('error', () => end('cut off')).on('close', () => end('cut off'))
  })

it('answers malformed requests and refuses invalid links', async () => {
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d{3}/g, '')
  const parameters = {
    ...{ 'X-Amz-Algorithm': 'AWS4-HMAC-SHA256', 'X-Amz-Date': time, 'X-Amz-Expires': '60' },
    'X-Amz-Credential': `nobody/${time.slice(0, 8)}/us-east-1/s3/aws4_request`,
    ...{ 'X-Amz-SignedHeaders': 'host', 'X-Amz-Signature': '0'.repeat(64) },
  }
  const link = (more: Record<string, string | undefined> = {}) => {
    const all = Object.entries({ ...parameters, ...more }).filter(([, value]) => value !== undefined)
    return `/${Bucket}/wall?${all.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`
  }
  const links = [
    ...Object.keys(parameters).map((name) => link({ [name]: undefined })),
    ...Object.keys(parameters).flatMap((name) =>
      ['', 'x', '%', '\0', '-1', '0', '999999999999'].map((it) => link({ [name]: it })),
    ),
    ...['host;x-missing', ';', 'a;'.repeat(3000), 'HOST'].map((it) => link({ 'X-Amz-SignedHeaders': it })),
    `${link()}&X-Amz-Signature=${'1'.repeat(64)}&X-Amz-Expires=1`,
    `/${Bucket}/wall?Expires=x&AWSAccessKeyId=a&Signature=b`,
    `/${Bucket}/wall?Expires=99999999999&AWSAccessKeyId=a&Signature=%ff`,
  ]
  const heads = [
    ...links.map((it) => `GET ${it} HTTP/1.1\r\nHost: s3\r\n`),
    ...[
      '%',
      '/%zz',
      '/a%00b',
      '//',
      '/../x',
      '*',
      'http://[',
      `/${'a'.repeat(12_000)}`,
      '/?%',
      `/${Bucket}/%ff`,
      '/a b',
    ].map((it) => `GET ${it} HTTP/1.1\r\nHost: s3\r\n`),
    `GET /${Bucket}/wall HTTP/1.1\r\nHost: s3\r\nX-Long: ${'a'.repeat(40_000)}\r\n`,
    `GET /${Bucket}/wall HTTP/1.1\r\nHost: s3\r\n${'X-A: b\r\n'.repeat(3000)}`,
    `GET /${Bucket}/wall HTTP/1.1\r\n`,
    ...[
      ',',
      'AWS',
      'AWS :',
      'AWS4-HMAC-SHA256',
      'AWS4-HMAC-SHA256 Credential=,SignedHeaders=,Signature=',
      ' ',
      'Basic x',
    ]
      .concat([`AWS4-HMAC-SHA256 ${'Credential=a/'.repeat(1500)}`, `AWS4-HMAC-SHA256 ${','.repeat(15_000)}`])
      .map((it) => `GET /${Bucket}/wall HTTP/1.1\r\nHost: s3\r\nAuthorization: ${it}\r\nX-Amz-Date: ${time}\r\n`),
    ...[
      'Transfer-Encoding: chunked',
      'Content-Length: x',
      'Content-Length: 1\r\nContent-Length: 2',
      'Expect: nonsense\r\nContent-Length: 1',
    ]
      .concat(['Content-Length: 1\r\nTransfer-Encoding: chunked', 'Content-Length: 99999999999999'])
      .map((it) => `PUT /${Bucket}/closed HTTP/1.1\r\nHost: s3\r\n${it}\r\n`),
  ]
  const told = await Promise.all(heads.map(async (head) => [head.slice(0, 300), await raw(`${head}\r\n`)] as const))
  expect(told.filter(([, how]) => !/^[234]\d\d$|^501$/.test(how))).toEqual([])
  // no link with an invalid signature was served
  const served = told.slice(0, links.length).filter(([head, how]) => how === '200' && head.includes('X-Amz-Signature'))
  expect(served).toEqual([])
})
