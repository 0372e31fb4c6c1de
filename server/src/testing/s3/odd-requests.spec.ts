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

/* Requests that clients seldom make, and that must not be taken for others. */

let bench: S3Bench
let s3: S3Client
let token: string
const Bucket = 'odd-requests'
beforeAll(async () => {
  bench = await startS3()
  s3 = (await bench.client('project-member')).s3
  token = await bench.server.signIn('project-member')
  await s3.send(new CreateBucketCommand({ Bucket }))
  const Statement = {
    Effect: 'Allow',
    Principal: '*',
    Action: 's3:GetObject',
    Resource: `arn:aws:s3:::${Bucket}/open*`,
  }
  await s3.send(new PutBucketPolicyCommand({ Bucket, Policy: JSON.stringify({ Statement }) }))
})
afterAll(() => bench.close())

const put = (Key: string, Body = Key, more = {}) => s3.send(new PutObjectCommand({ Bucket, Key, Body, ...more }))
const textOf = async (Key: string) => (await s3.send(new GetObjectCommand({ Bucket, Key }))).Body!.transformToString()
/** Whatever was signed: the session stands for it. */
const send = async (method: string, path: string, headers: Record<string, string> = {}, body?: string) => {
  const answer = await fetch(`${bench.server.url}${S3_PROXY_PATH}/${Bucket}${path}`, {
    ...{ method, headers: { 'x-auth-token': token, authorization: 'AWS4-HMAC-SHA256 Credential=session', ...headers } },
    ...(body !== undefined && { body }),
  })
  const text = await answer.text()
  return { status: answer.status, text, code: /<Code>(\w+)/.exec(text)?.[1] ?? '', headers: answer.headers }
}

it('goes on with a download only while the object is still what has been read of it', async () => {
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

it('deletes the very key that a document names, also one with letters that end lines elsewhere', async () => {
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

it('does nothing else where it is asked for what is not there, or for what cannot be', async () => {
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

it('names what is missing in its answer, as clients show it', async () => {
  expect((await send('GET', '/no%26thing')).text).toContain('<Key>no&#38;thing</Key>')
  const missing = await s3
    .send(new ListObjectsV2Command({ Bucket: 'there-is-no-such' }))
    .catch((error: unknown) => error)
  expect(missing).toMatchObject({ name: 'NoSuchBucket', BucketName: 'there-is-no-such' })
})
