import { createHmac } from 'node:crypto'
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutBucketPolicyCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { S3_REGION } from '@mainstay/contract/object-storage/s3-service'
import { presignLink } from '@mainstay/engines/s3/signature/sign'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startS3, type S3Bench } from './clients/client'
import { sendRaw, type RawRequest } from './clients/signed-request'
import { bodyOf, FORM_TYPE, signedBy4 } from './clients/form-client'
import { policyOf, refused } from './people'

/* Host names: which ones refer to a bucket, and on which ones browsers may run stored content. */

const Bucket = 'host.names'
let plain: S3Bench
let named: S3Bench
const users = new Map<S3Bench, Awaited<ReturnType<S3Bench['client']>>>()
beforeAll(async () => {
  plain = await startS3()
  named = await startS3({
    environment: {
      MAINSTAY_HOSTS: 'console.example',
      MAINSTAY_ADMIN_ADDRESS: 'https://admin.example:8888',
      MAINSTAY_S3_DOMAIN: 's3.example,eu.s3.example,console.example,s3.console.example,files.admin.example',
    },
  })
  for (const bench of [plain, named]) {
    const user = await bench.client('project-member')
    users.set(bench, user)
    for (const name of [Bucket, 'neighbour']) await user.s3.send(new CreateBucketCommand({ Bucket: name }))
    await user.s3.send(new PutObjectCommand({ Bucket: 'neighbour', Key: 'key', Body: 'of the neighbour' }))
  }
})
afterAll(async () => {
  for (const bench of [plain, named]) await bench?.close()
})

interface Asked extends Omit<RawRequest, 'signer' | 'host'> {
  isSigned?: boolean
}
/** Sends a request that is signed for this host, which may have more labels than the address it connects to. */
const ask = (bench: S3Bench, host: string, { isSigned = true, ...request }: Asked) =>
  sendRaw(bench.endpoint, { ...request, host, signer: isSigned ? users.get(bench)! : null })
const outcome = async (...args: Parameters<typeof ask>) => {
  const { status, code } = await ask(...args)
  return code === undefined ? String(status) : `${status} ${code}`
}
const keysIn = async (bench: S3Bench, name: string) =>
  ((await users.get(bench)!.s3.send(new ListObjectsV2Command({ Bucket: name }))).Contents ?? []).map(({ Key }) => Key)

it('refuses bucket host names if MAINSTAY_S3_DOMAIN is not set, and changes nothing', async () => {
  const { s3 } = users.get(plain)!
  for (const host of [`${Bucket}.localhost`, `${Bucket}.LOCALHOST`, `${Bucket}.localhost.`]) {
    expect(await outcome(plain, host, { path: '/' })).toBe('400 InvalidRequest')
    expect(await outcome(plain, host, { method: 'PUT', path: '/photo.jpg' })).toBe('400 InvalidRequest')
    expect(await outcome(plain, host, { method: 'PUT', path: '/neighbour/key', body: 'other' })).toBe(
      '400 InvalidRequest',
    )
    expect(await outcome(plain, host, { method: 'DELETE', path: '/neighbour' })).toBe('400 InvalidRequest')
  }
  expect((await ask(plain, `${Bucket}.localhost`, { path: '/' })).text).toContain('MAINSTAY_S3_DOMAIN')
  expect((await s3.send(new ListBucketsCommand({}))).Buckets?.map(({ Name }) => Name)).toEqual([Bucket, 'neighbour'])
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: 'neighbour', Key: 'key' }))
  expect(await Body!.transformToString()).toBe('of the neighbour')
  // other names refer to the server itself
  for (const host of ['localhost', '127.0.0.1', 's3.somewhere.example'])
    expect(await outcome(plain, host, { path: '/neighbour/key' })).toBe('200')
})

it('serves a bucket at its name below MAINSTAY_S3_DOMAIN, with either signature version, links and forms', async () => {
  const { s3, accessKey, secretKey } = users.get(named)!
  const { port } = new URL(named.endpoint)
  const host = `${Bucket}.s3.example`
  const { endpoint } = await named.server.tools.ports['object-storage'].service()
  expect(endpoint).toBe(`http://s3.example:${port}`)
  // the path is a key, even if a bucket has this name
  expect(await outcome(named, host, { method: 'PUT', path: '/neighbour', body: 'a' })).toBe('200')
  expect(await outcome(named, host, { method: 'PUT', path: '/neighbour/key', body: 'b' })).toBe('200')
  expect(await outcome(named, host, { method: 'PUT', path: '//slash', body: 'c' })).toBe('200')
  expect(await keysIn(named, Bucket)).toEqual(['/slash', 'neighbour', 'neighbour/key'])
  expect((await ask(named, host, { path: '/neighbour/key' })).text).toBe('b')
  expect(await outcome(named, host, { method: 'DELETE', path: '/neighbour' })).toBe('204')
  expect(await refused(s3.send(new HeadBucketCommand({ Bucket: 'neighbour' })))).toBe('nothing went wrong')
  expect((await ask(named, host, { path: '/', query: [['list-type', '2']] })).text).toContain(`<Name>${Bucket}</Name>`)
  // the longest matching domain applies, and case does not matter; other names do not refer to a bucket
  expect(await outcome(named, `${Bucket}.eu.s3.example`, { path: '/neighbour/key' })).toBe('200')
  expect(await outcome(named, 'Host.Names.S3.Example.', { path: '/neighbour/key' })).toBe('200')
  for (const other of ['s3.example', 'eu.s3.example', '127.0.0.1', 'xs3.example'])
    expect(await outcome(named, other, { path: '/neighbour/key' })).toBe('200')
  expect(await outcome(named, 'none.s3.example', { path: '/neighbour/key' })).toBe('404 NoSuchBucket')
  expect(await outcome(named, `${Bucket}.localhost`, { path: '/neighbour/key' })).toBe('400 InvalidRequest')
  expect(await outcome(named, 'made.s3.example', { method: 'PUT', path: '/' })).toBe('200')
  expect(await outcome(named, 'made.s3.example', { method: 'DELETE', path: '/' })).toBe('204')

  const date = new Date().toUTCString()
  const toSign = `GET\n\n\n${date}\n/${Bucket}/neighbour/key`
  const signature = createHmac('sha1', secretKey).update(toSign).digest('base64')
  const byV2 = { date, authorization: `AWS ${accessKey}:${signature}` }
  expect(await outcome(named, host, { path: '/neighbour/key', headers: byV2, isSigned: false })).toBe('200')
  const link = new URL(
    presignLink(
      { endpoint: `http://${host}:${port}`, path: '/neighbour/key', region: S3_REGION },
      { accessKey, secretKey },
      60,
      new Date(),
    ),
  )
  const query = [...link.searchParams]
  expect(await outcome(named, host, { path: link.pathname, query, isSigned: false })).toBe('200')
  expect(await outcome(named, `other.s3.example`, { path: link.pathname, query, isSigned: false })).toBe(
    '403 SignatureDoesNotMatch',
  )
  const conditions = [{ bucket: Bucket }, { success_action_status: '201' }, { key: 'from a form' }]
  const fields = [
    ...conditions.slice(1).flatMap((it) => Object.entries(it)),
    ...signedBy4(users.get(named)!, conditions),
  ]
  const sent = await ask(named, host, {
    ...{ method: 'POST', path: '/', headers: { 'content-type': FORM_TYPE }, isSigned: false },
    body: bodyOf([...fields, ['file', 'bytes', 'x']]),
  })
  expect([sent.status, sent.headers.location]).toEqual([201, `http://${host}:${port}/from%20a%20form`])
})

it('returns the location of a completed upload in the client’s address style', async () => {
  const { s3 } = users.get(named)!
  const { port } = new URL(named.endpoint)
  const Key = 'a b#c?d+ü%41.bin'
  const encoded = 'a%20b%23c%3Fd%2B%C3%BC%2541.bin'
  const locationAt = async (host: string, path: string) => {
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }))
    const part = { PartNumber: 1, Body: 'part' }
    const { ETag } = await s3.send(new UploadPartCommand({ Bucket, Key, UploadId, ...part }))
    const list = `<Part><PartNumber>1</PartNumber><ETag>${ETag}</ETag></Part>`
    const body = `<CompleteMultipartUpload>${list}</CompleteMultipartUpload>`
    const done = await ask(named, host, { method: 'POST', path, query: [['uploadId', UploadId!]], body })
    return /<Location>([^<]*)</.exec(done.text)?.[1]
  }
  expect(await locationAt('s3.example', `/${Bucket}/${encoded}`)).toBe(`http://s3.example:${port}/${Bucket}/${encoded}`)
  expect(await locationAt(`${Bucket}.s3.example`, `/${encoded}`)).toBe(`http://${Bucket}.s3.example:${port}/${encoded}`)
})

it('prevents browsers from running stored content unless the host name differs from the console’s', async () => {
  const Key = 'page'
  for (const bench of [plain, named]) {
    const { s3 } = users.get(bench)!
    const policy = policyOf(Bucket, { Action: ['s3:GetObject', 's3:ListBucket'] })
    await s3.send(new PutBucketPolicyCommand({ Bucket, Policy: policy }))
  }
  const shownAs = async (bench: S3Bench, host: string, path: string, ContentType: string, status = 200) => {
    await users.get(bench)!.s3.send(new PutObjectCommand({ Bucket, Key, ContentType, Body: '<script>1</script>' }))
    const answer = await ask(bench, host, { path, isSigned: false })
    expect(answer.status).toBe(status)
    return answer.headers['content-security-policy'] ?? 'as it is'
  }
  const path = `/${Bucket}/${Key}`
  // browsers sniff unknown types, and use the last one if there are two
  for (const type of ['text/html', 'image/svg+xml', 'application/xml', 'text/plain', '?', 'application/pdf, text/html'])
    expect([type, await shownAs(plain, 'localhost', path, type)]).toEqual([type, 'sandbox'])
  // PDF viewers do not start in a sandbox, and a PDF cannot access the page anyway
  expect(await shownAs(plain, 'localhost', path, 'application/pdf')).toBe('as it is')
  // responses generated by the server contain names chosen by tenants
  expect(await shownAs(plain, 'localhost', `/${Bucket}`, 'text/html')).toBe('sandbox')
  expect(await shownAs(plain, 'localhost', `/${Bucket}/none`, 'text/html', 404)).toBe('sandbox')

  for (const host of [
    'console.example',
    's3.console.example',
    'files.admin.example',
    'localhost',
    '127.0.0.1',
    'x.example',
  ])
    expect([host, await shownAs(named, host, path, 'text/html')]).toEqual([host, 'sandbox'])
  expect(await shownAs(named, 's3.example', path, 'text/html')).toBe('as it is')
  expect(await shownAs(named, `${Bucket}.s3.example`, `/${Key}`, 'text/html')).toBe('as it is')
})
