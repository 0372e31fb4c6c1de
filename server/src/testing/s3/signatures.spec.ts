import { createHash, createHmac } from 'node:crypto'
import http from 'node:http'
import { S3_REGION } from '@mainstay/contract/object-storage/s3-service'
import { CreateBucketCommand, GetObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { signRequest } from '@mainstay/engines/s3/signature/sign'
import { readTarget } from '@mainstay/engines/s3/signature/target'
import { startS3, type S3Bench } from './clients/client'

/* Signatures: a request that was changed in any way is refused, and an incomplete one leaves nothing behind. */

let bench: S3Bench
let s3: S3Client
let signer: { accessKey: string; secretKey: string }
let owner = { user_id: '', domain_id: '' }
const Bucket = 'signatures'
beforeAll(async () => {
  bench = await startS3()
  const made = await bench.client('project-member')
  ;({ s3 } = made)
  signer = made
  const { user, domain } = bench.server.cast.people['project-member']
  owner = { user_id: user.id, domain_id: domain.id }
  await s3.send(new CreateBucketCommand({ Bucket }))
})
afterAll(() => bench.close())

interface Sent {
  method?: string
  path: string
  query?: string
  headers?: Record<string, string>
  body?: readonly (string | Buffer)[]
}
const sha256 = (body: string | Buffer) => createHash('sha256').update(body).digest('hex')

/** Sends a signed request after applying `change`. Returns status and error code. */
async function send(
  { method = 'PUT', path, query = '', headers = {}, body = [] }: Sent,
  {
    payload,
    change = (it) => it,
    now,
  }: { payload?: string; change?: (it: Required<Sent>) => Required<Sent>; now?: Date } = {},
): Promise<string> {
  const { host, hostname, port } = new URL(bench.endpoint)
  const bytes = Buffer.concat(body.map((it) => Buffer.from(it)))
  const target = { path, query: readTarget(`/?${query}`).query }
  const signed = signRequest(
    { method, ...target, headers: { host, ...headers }, payload: payload ?? sha256(bytes) },
    signer,
    S3_REGION,
    now,
  )
  const length: Record<string, string> = 'content-length' in headers ? {} : { 'content-length': String(bytes.length) }
  const sent = change({ method, path, query, headers: { ...signed, ...length }, body })
  return new Promise((resolve, reject) => {
    const request = http.request({
      ...{ hostname, port, method: sent.method, headers: sent.headers, agent: false },
      path: sent.query === '' ? sent.path : `${sent.path}?${sent.query}`,
    })
    request.on('response', (response) => {
      let text = ''
      response.on('data', (part) => (text += String(part)))
      response.on('end', () => resolve(/<Code>(\w+)</.exec(text)?.[1] ?? String(response.statusCode)))
      response.on('error', reject)
    })
    request.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'))
    void (async () => {
      for (const part of sent.body) {
        request.write(part)
        await new Promise((later) => setImmediate(later))
      }
      request.end()
    })()
  })
}
const isThere = (Key: string) =>
  s3.send(new GetObjectCommand({ Bucket, Key })).then(
    ({ Body }) => Body!.transformToString(),
    () => null,
  )
const object = (key: string, body = 'the bytes', headers = {}): Sent => ({
  path: `/${Bucket}/${key}`,
  body: [body],
  headers,
})

it('accepts a request that is unchanged since signing', async () => {
  expect(await send(object('plain', 'the bytes', { 'x-amz-meta-a': 'b' }))).toBe('200')
  expect(await isThere('plain')).toBe('the bytes')
})

it.each<[string, (it: Required<Sent>) => Required<Sent>, string]>([
  [
    'another method',
    (it) => ({ ...it, method: 'DELETE', body: [], headers: { ...it.headers, 'content-length': '0' } }),
    'SignatureDoesNotMatch',
  ],
  ['another object', (it) => ({ ...it, path: `${it.path}x` }), 'SignatureDoesNotMatch'],
  ['another query', (it) => ({ ...it, query: 'x=1' }), 'SignatureDoesNotMatch'],
  [
    'a different header value',
    (it) => ({ ...it, headers: { ...it.headers, 'x-amz-meta-a': 'c' } }),
    'SignatureDoesNotMatch',
  ],
  ['an added header', (it) => ({ ...it, headers: { ...it.headers, 'x-amz-acl': 'private' } }), 'AccessDenied'],
  ['other bytes', (it) => ({ ...it, body: ['the bitez'] }), 'XAmzContentSHA256Mismatch'],
  [
    'another time',
    (it) => ({
      ...it,
      headers: {
        ...it.headers,
        'x-amz-date': it.headers['x-amz-date']!.replace(/.Z$/, (end) => (end === '0Z' ? '1Z' : '0Z')),
      },
    }),
    'SignatureDoesNotMatch',
  ],
  [
    'another signature',
    (it) => ({
      ...it,
      headers: {
        ...it.headers,
        authorization: it.headers['authorization']!.replace(/.$/, (end) => (end === '0' ? '1' : '0')),
      },
    }),
    'SignatureDoesNotMatch',
  ],
  [
    'no signature',
    (it) => {
      const { authorization: _, ...headers } = it.headers
      return { ...it, headers }
    },
    'AccessDenied',
  ],
  [
    'another key',
    (it) => ({
      ...it,
      headers: { ...it.headers, authorization: it.headers['authorization']!.replace(signer.accessKey, 'MS0123') },
    }),
    'InvalidAccessKeyId',
  ],
])('refuses a request that arrives with %s', async (what, change, code) => {
  const key = what.replaceAll(' ', '-')
  expect(await send(object(key, 'the bytes', { 'x-amz-meta-a': 'b' }), { change })).toBe(code)
  expect(await isThere(key)).toBeNull()
})

it('refuses a request dated more than 15 minutes in the past or future', async () => {
  for (const minutes of [-16, 16]) {
    const now = new Date(Date.now() + minutes * 60_000)
    expect(await send(object('late'), { now })).toBe('RequestTimeTooSkewed')
  }
})

it('refuses a disabled key, account or domain from the next request on', async () => {
  const port = bench.server.tools.ports['object-storage']
  const switches: [(enabled: boolean) => Promise<unknown>, string][] = [
    [(enabled) => port.updateKey(owner.user_id, signer.accessKey, { enabled }), 'key'],
    [(enabled) => port.updateAccount(owner.user_id, { enabled }), 'account'],
    [(enabled) => port.setDomainEnabled(owner.domain_id, enabled), 'domain'],
  ]
  for (const [set, what] of switches) {
    await set(false)
    expect([what, await send(object('disabled'))]).toEqual([what, 'InvalidAccessKeyId'])
    await set(true)
    expect([what, await send(object('disabled'))]).toEqual([what, '200'])
  }
})

/** A link valid for one minute. Headers in its query are signed. */
function presigned(method: string, path: string, more: Record<string, string>): Sent {
  const { host } = new URL(bench.endpoint)
  const stamp = `${new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`
  const scope = `${stamp.slice(0, 8)}/${S3_REGION}/s3/aws4_request`
  const query = Object.entries({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${signer.accessKey}/${scope}`,
    ...{ 'X-Amz-Date': stamp, 'X-Amz-Expires': '60', 'X-Amz-SignedHeaders': 'host', ...more },
  })
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .sort()
    .join('&')
  const request = [method, path, query, `host:${host}\n`, 'host', 'UNSIGNED-PAYLOAD'].join('\n')
  const key = [stamp.slice(0, 8), S3_REGION, 's3', 'aws4_request'].reduce<string | Buffer>(
    (from, word) => createHmac('sha256', from).update(word).digest(),
    `AWS4${signer.secretKey}`,
  )
  const text = ['AWS4-HMAC-SHA256', stamp, scope, sha256(request)].join('\n')
  const signature = createHmac('sha256', key).update(text).digest('hex')
  return { method, path, query: `${query}&X-Amz-Signature=${signature}`, headers: { host } }
}

it('accepts signed headers in a link and refuses additional ones', async () => {
  const path = `/${Bucket}/link`
  const link = presigned('PUT', path, { 'x-amz-meta-place': 'Zürich', 'x-amz-tagging': 'a=1' })
  const put = (change: (it: Required<Sent>) => Required<Sent>) =>
    send(object('unused'), { change: (it) => change({ ...it, ...link }) })
  expect(await put((it) => ({ ...it, query: it.query.replace('Z%C3%BCrich', 'Bern') }))).toBe('SignatureDoesNotMatch')
  expect(await put((it) => ({ ...it, headers: { ...it.headers, 'x-amz-acl': 'private' } }))).toBe('AccessDenied')
  expect(await isThere('link')).toBeNull()
  expect(await put((it) => ({ ...it, headers: { ...it.headers, 'content-length': '9' } }))).toBe('200')
  const { Metadata, TagCount } = await s3.send(new GetObjectCommand({ Bucket, Key: 'link' }))
  expect([Buffer.from(Metadata!['place']!, 'latin1').toString('utf8'), TagCount]).toEqual(['Zürich', 1])
  const broken = presigned('PUT', path, { 'x-amz-meta-place': 'a\nb' })
  expect(await send(object('unused'), { change: (it) => ({ ...it, ...broken }) })).toBe('InvalidArgument')
})

/** A body in signed chunks. */
function chunked(path: string, headers: Record<string, string>, chunks: readonly string[], time: Date) {
  const stamp = `${time.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`
  const scope = `${stamp.slice(0, 8)}/${S3_REGION}/s3/aws4_request`
  const payload = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD'
  const { host } = new URL(bench.endpoint)
  const signed = signRequest(
    { method: 'PUT', path, query: [], headers: { host, ...headers }, payload },
    signer,
    S3_REGION,
    time,
  )
  const key = [stamp.slice(0, 8), S3_REGION, 's3', 'aws4_request'].reduce<string | Buffer>(
    (from, word) => createHmac('sha256', from).update(word).digest(),
    `AWS4${signer.secretKey}`,
  )
  let last = /Signature=(\w+)/.exec(signed['authorization']!)![1]!
  return [...chunks, ''].map((chunk) => {
    const text = ['AWS4-HMAC-SHA256-PAYLOAD', stamp, scope, last, sha256(''), sha256(chunk)].join('\n')
    last = createHmac('sha256', key).update(text).digest('hex')
    return `${Buffer.byteLength(chunk).toString(16)};chunk-signature=${last}\r\n${chunk}\r\n`
  })
}

it.each([1, 7, 64 * 1024])(
  'reads a body in signed chunks when %i bytes arrive at a time',
  { tags: 'all' },
  async (size) => {
    const time = new Date()
    const chunks = ['a'.repeat(8192), 'b'.repeat(8192), 'the end']
    const key = `chunks-${size}`
    const whole = Buffer.byteLength(chunks.join(''))
    const headers = { 'content-encoding': 'aws-chunked', 'x-amz-decoded-content-length': String(whole) }
    const texts = chunked(`/${Bucket}/${key}`, headers, chunks, time)
    const cut = (text: string) => {
      const pieces: string[] = []
      for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size))
      return pieces
    }
    const payload = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD'
    const request = (body: string): Sent => ({ path: `/${Bucket}/${key}`, headers, body: cut(body) })
    const wrong = texts.join('').replace('the end', 'the eND')
    expect(await send(request(wrong), { payload, now: time })).toBe('SignatureDoesNotMatch')
    expect(await isThere(key)).toBeNull()
    expect(await send(request(texts.join('')), { payload, now: time })).toBe('200')
    expect(await isThere(key)).toBe(chunks.join(''))
  },
)

it('leaves neither an object nor a file after a body of the wrong length or an interruption', async () => {
  const large = 'x'.repeat(100_000)
  const files = () => bench.server.sql.query('select file from s3_garbage')
  const before = (await files()).length
  const time = new Date()
  const texts = chunked(`/${Bucket}/cut`, { 'x-amz-decoded-content-length': '200000' }, [large], time)
  const headers = { 'x-amz-decoded-content-length': '200000' }
  const payload = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD'
  const short = { path: `/${Bucket}/cut`, headers, body: texts }
  expect(await send(short, { payload, now: time })).toBe('IncompleteBody')
  const long = { 'x-amz-decoded-content-length': '50000' }
  const over = chunked(`/${Bucket}/cut`, long, [large], time)
  expect(await send({ path: `/${Bucket}/cut`, headers: long, body: over }, { payload, now: time })).toBe(
    'IncompleteBody',
  )
  expect(await isThere('cut')).toBeNull()
  // the partial files have been queued for removal and are already deleted
  expect((await files()).length).toBe(before + 2)
  const left = await bench.server.sql.query<{ count: number }>(
    'select count(*)::int as count from s3_object where key = $1',
    ['cut'],
  )
  expect(left[0]!.count).toBe(0)
})
