import { createHmac } from 'node:crypto'
import http from 'node:http'
import { CreateBucketCommand, GetObjectCommand, HeadObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { signatureV2, stringToSignV2 } from '@mainstay/engines/s3/signature/v2'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startS3, type S3Bench } from './clients/client'

/* Signature Version 2, as used by older clients, in headers and in links. */

let bench: S3Bench
let s3: S3Client
let signer: { accessKey: string; secretKey: string }
const Bucket = 'signature-v2'
beforeAll(async () => {
  bench = await startS3()
  const made = await bench.client('project-member')
  ;({ s3 } = made)
  signer = made
  await s3.send(new CreateBucketCommand({ Bucket }))
})
afterAll(() => bench.close())

interface Sent {
  method: string
  /** Path and query. */
  url: string
  headers: Record<string, string>
  body: string
}
const send = ({ method, url, headers, body }: Sent, endpoint = bench.endpoint): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(endpoint)
    const length = String(Buffer.byteLength(body))
    const request = http.request({
      ...{ hostname, port, method, path: url, agent: false },
      headers: { ...headers, 'content-length': length },
    })
    request.on('response', (response) => {
      let text = ''
      response.on('data', (part) => (text += String(part)))
      response.on('end', () => resolve(/<Code>(\w+)</.exec(text)?.[1] ?? `${response.statusCode} ${text}`))
    })
    request.on('error', reject)
    request.end(body)
  })
const hmac = (text: string) => createHmac('sha1', signer.secretKey).update(text).digest('base64')

/** A signed request. `resource`: the path and subresource to sign, if they differ from the URL. */
function signed(
  method: string,
  url: string,
  {
    resource = url,
    headers = {},
    body = '',
    date = new Date().toUTCString(),
  }: Partial<Sent> & { resource?: string; date?: string } = {},
): Sent {
  const own = Object.entries(headers).filter(([name]) => name.startsWith('x-amz-'))
  const lines = own.sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, value]) => `${name}:${value}\n`)
  const dated = headers['x-amz-date'] === undefined ? date : ''
  const text = [
    ...[method, headers['content-md5'] ?? '', headers['content-type'] ?? '', dated],
    `${lines.join('')}${resource}`,
  ].join('\n')
  const authorization = `AWS ${signer.accessKey}:${hmac(text)}`
  return { method, url, body, headers: { ...headers, authorization, ...(date !== '' && { date }) } }
}
/** A link valid for `seconds`. `query`: parameters to add; `resource` and `own`: the path and headers to sign. */
function link(method: string, path: string, seconds: number, { query = '', resource = path, own = '' } = {}): Sent {
  const expires = Math.floor(Date.now() / 1000) + seconds
  const signature = encodeURIComponent(hmac(`${method}\n\n\n${expires}\n${own}${resource}`))
  const url = `${path}?AWSAccessKeyId=${signer.accessKey}&Expires=${expires}&Signature=${signature}${query}`
  return { method, url, headers: {}, body: '' }
}
const content = (Key: string) =>
  s3.send(new GetObjectCommand({ Bucket, Key })).then(
    ({ Body }) => Body!.transformToString(),
    () => null,
  )

// Examples from https://docs.aws.amazon.com/AmazonS3/latest/userguide/RESTAuthentication.html
it.each<[string, string, string, [string, string][], Record<string, string>, string]>([
  [
    'an object',
    'GET',
    '/johnsmith/photos/puppy.jpg',
    [],
    { date: 'Tue, 27 Mar 2007 19:36:42 +0000' },
    'bWq2s1WEIj+Ydj0vQ697zp+IXMU=',
  ],
  [
    'an upload',
    'PUT',
    '/johnsmith/photos/puppy.jpg',
    [],
    { date: 'Tue, 27 Mar 2007 21:15:45 +0000', 'content-type': 'image/jpeg', 'content-length': '94328' },
    'MyyxeRY7whkBe+bq8fHCL/2kKUg=',
  ],
  [
    'a list',
    'GET',
    '/johnsmith/',
    [
      ['prefix', 'photos'],
      ['max-keys', '50'],
      ['marker', 'puppy'],
    ],
    { date: 'Tue, 27 Mar 2007 19:42:41 +0000' },
    'htDYFYduRNen8P9ZfE/s9SuKy0U=',
  ],
  [
    'an access list',
    'GET',
    '/johnsmith/',
    [['acl', '']],
    { date: 'Tue, 27 Mar 2007 19:44:46 +0000' },
    'c2WLPFtWHVgbEmeEG93a4cG37dM=',
  ],
  [
    'an upload with headers',
    'PUT',
    '/static.johnsmith.net/db-backup.dat.gz',
    [],
    {
      date: 'Tue, 27 Mar 2007 21:06:08 +0000',
      'x-amz-acl': 'public-read',
      'content-type': 'application/x-download',
      'content-md5': '4gJE4saaMU4BqNR0kLY+lw==',
      'x-amz-meta-reviewedby': 'joe@johnsmith.net,jane@johnsmith.net',
      'x-amz-meta-filechecksum': '0x02661779',
      'x-amz-meta-checksumalgorithm': 'crc32',
      'content-encoding': 'gzip',
    },
    'ilyl83RwaSoYIEdixDQcA4OnAnc=',
  ],
  ['all buckets', 'GET', '/', [], { date: 'Wed, 28 Mar 2007 01:29:59 +0000' }, 'qGdzdERIC03wnaRNKh6OqZehG9s='],
  [
    'a path as it was sent',
    'GET',
    '/dictionary/fran%C3%A7ais/pr%c3%a9f%c3%a8re',
    [],
    { date: 'Wed, 28 Mar 2007 01:49:49 +0000' },
    'DNEZGsoieTZ92F3bUfSPQcbGmlM=',
  ],
  ['a link', 'GET', '/johnsmith/photos/puppy.jpg', [], { date: '1175139620' }, 'NpgCjnDzrM+WFzoENXmpNDUsSn8='],
])('computes the published signature of %s', (_, method, rawPath, query, headers, signature) => {
  const text = stringToSignV2({ method, rawPath, query, headers }, headers['date']!)
  expect(signatureV2('wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', text)).toBe(signature)
})

it('accepts a signature in a header, with either date header', async () => {
  const headers = { 'x-amz-meta-b': 'two', 'x-amz-meta-a': 'one', 'content-type': 'text/plain' }
  const path = `/${Bucket}/a%20b/%C3%A9`
  expect(await send(signed('PUT', path, { headers, body: 'the bytes' }))).toBe('200 ')
  expect(await content('a b/é')).toBe('the bytes')
  const { Metadata } = await s3.send(new HeadObjectCommand({ Bucket, Key: 'a b/é' }))
  expect(Metadata).toEqual({ a: 'one', b: 'two' })
  const now = new Date()
  const stamp = `${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`
  for (const at of [now.toUTCString(), stamp])
    for (const date of ['', 'Tue, 27 Mar 2007 19:36:42 +0000'])
      expect(await send(signed('GET', path, { headers: { 'x-amz-date': at }, date }))).toBe('200 the bytes')
  // subresources are signed in alphabetical order; list parameters are not signed
  const uploads = `/${Bucket}/parts?uploads`
  const id = /<UploadId>(.*)<\/UploadId>/.exec(await send(signed('POST', uploads)))![1]!
  const part = signed('PUT', `/${Bucket}/parts?uploadId=${id}&partNumber=1`, {
    resource: `/${Bucket}/parts?partNumber=1&uploadId=${id}`,
  })
  expect(await send(part)).toBe('200 ')
  expect(await send(signed('GET', `/${Bucket}?prefix=a&max-keys=1`, { resource: `/${Bucket}` }))).toMatch(
    '<Key>a b/é</Key>',
  )
})

it.each<[string, (it: Sent) => Sent, string]>([
  ['another method', (it) => ({ ...it, method: 'DELETE', body: '' }), 'SignatureDoesNotMatch'],
  ['another object', (it) => ({ ...it, url: `${it.url}x` }), 'SignatureDoesNotMatch'],
  ['a sub-resource', (it) => ({ ...it, url: `${it.url}?tagging` }), 'SignatureDoesNotMatch'],
  ['another header', (it) => ({ ...it, headers: { ...it.headers, 'x-amz-meta-a': 'c' } }), 'SignatureDoesNotMatch'],
  ['an added header', (it) => ({ ...it, headers: { ...it.headers, 'x-amz-acl': 'private' } }), 'SignatureDoesNotMatch'],
  [
    'another type',
    (it) => ({ ...it, headers: { ...it.headers, 'content-type': 'text/html' } }),
    'SignatureDoesNotMatch',
  ],
  [
    'another date',
    (it) => ({ ...it, headers: { ...it.headers, date: new Date(Date.now() + 60_000).toUTCString() } }),
    'SignatureDoesNotMatch',
  ],
  [
    'an added date',
    (it) => ({ ...it, headers: { ...it.headers, 'x-amz-date': it.headers['date']! } }),
    'SignatureDoesNotMatch',
  ],
  [
    'another key',
    (it) => ({ ...it, headers: { ...it.headers, authorization: it.headers['authorization']!.replace('MS', 'MT') } }),
    'InvalidAccessKeyId',
  ],
])('refuses a request that arrives with %s', async (what, change, code) => {
  const key = what.replaceAll(' ', '-')
  const request = signed('PUT', `/${Bucket}/${key}`, { headers: { 'x-amz-meta-a': 'b' }, body: 'the bytes' })
  expect(await send(change(request))).toBe(code)
  expect(await content(key)).toBeNull()
})

it('requires version 4 for subresources that version 2 does not sign', async () => {
  const Locked = `${Bucket}-locked`
  await s3.send(new CreateBucketCommand({ Bucket: Locked, ObjectLockEnabledForBucket: true }))
  const path = `/${Locked}/held`
  expect(await send(signed('PUT', path, { body: 'x' }))).toBe('200 ')
  // otherwise anyone could add the subresource to a signed URL
  expect(await send(signed('GET', `${path}?retention`, { resource: path }))).toBe('InvalidRequest')
})

it('refuses malformed signatures, and dates outside the allowed time window', async () => {
  const path = `/${Bucket}/never`
  const at = (date: string) => send(signed('PUT', path, { date }))
  for (const minutes of [-16, 16])
    expect(await at(new Date(Date.now() + minutes * 60_000).toUTCString())).toBe('RequestTimeTooSkewed')
  expect(await at('')).toBe('AccessDenied')
  expect(await at('Bad Date')).toBe('AccessDenied')
  expect(await send(signed('PUT', path, { headers: { 'x-amz-date': 'Bad Date' } }))).toBe('AccessDenied')
  const withHeader = (authorization: string) => send({ method: 'PUT', url: path, headers: { authorization }, body: '' })
  expect(await withHeader('AWS HAHAHA')).toBe('InvalidArgument')
  expect(await withHeader('Basic abc')).toBe('InvalidArgument')
  // an empty header counts as missing
  expect(await withHeader('')).toBe('AccessDenied')
  expect(await content('never')).toBeNull()
})

it('accepts links exactly as signed until they expire', async () => {
  const path = `/${Bucket}/link`
  const put = { ...link('PUT', path, 60, { query: '&x-amz-meta-a=b', own: 'x-amz-meta-a:b\n' }), body: 'by a link' }
  expect(await send(put)).toBe('200 ')
  expect((await s3.send(new HeadObjectCommand({ Bucket, Key: 'link' }))).Metadata).toEqual({ a: 'b' })
  expect(await send({ ...put, url: put.url.replace('a=b', 'a=c') })).toBe('SignatureDoesNotMatch')
  expect(await send({ ...put, headers: { 'x-amz-meta-a': 'c' } })).toBe('SignatureDoesNotMatch')
  const get = link('GET', path, 60)
  expect(await send(get)).toBe('200 by a link')
  for (const [from, to] of [
    ['/link?', '/other?'],
    ['/link?', '/link?tagging&'],
    ['/link?', '/link?response-content-type=text/html&'],
    [/Expires=\d+/, `Expires=${Math.floor(Date.now() / 1000) + 3600}`],
  ] as const)
    expect(await send({ ...get, url: get.url.replace(from, to) })).toBe('SignatureDoesNotMatch')
  const type = 'text/x-é'
  const resource = `${path}?response-content-type=${type}`
  const query = `&response-content-type=${encodeURIComponent(type)}`
  expect(await send(link('GET', path, 60, { resource, query }))).toBe('200 by a link')
  expect(await send(link('GET', path, -1))).toBe('AccessDenied')
  for (const name of ['AWSAccessKeyId', 'Expires', 'Signature'])
    expect(await send({ ...get, url: get.url.replace(`${name}=`, 'x=') })).toBe('AccessDenied')
  expect(await send({ ...get, url: get.url.replace(/Expires=\d+/, 'Expires=soon') })).toBe('AccessDenied')
  const authorization = signed('GET', path).headers['authorization']!
  expect(await send({ ...get, headers: { authorization } })).toBe('InvalidArgument')
})

it('requires version 4 if version 2 is disabled', async () => {
  const other = await startS3({ environment: { MAINSTAY_S3_SIGV2: 'off' } })
  try {
    const before = signer
    signer = await other.client('project-member')
    const header = await send(signed('GET', '/'), other.endpoint)
    const query = await send(link('GET', '/', 60), other.endpoint)
    signer = before
    expect([header, query]).toEqual(['InvalidRequest', 'InvalidRequest'])
  } finally {
    await other.close()
  }
})
