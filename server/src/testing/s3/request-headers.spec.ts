import http from 'node:http'
import {
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetBucketTaggingCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutBucketPolicyCommand,
  PutObjectCommand,
  type S3Client,
  type S3ServiceException,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startS3, type S3Bench } from './clients/client'

/* Optional request headers. */

let bench: S3Bench
let s3: S3Client
let userId = ''
const Bucket = 'request-headers'
beforeAll(async () => {
  bench = await startS3()
  ;({ s3, userId } = await bench.client('project-member'))
  await s3.send(new CreateBucketCommand({ Bucket }))
  await s3.send(new PutObjectCommand({ Bucket, Key: 'a/b', Body: 'body' }))
  const Resource = [`arn:aws:s3:::${Bucket}`, `arn:aws:s3:::${Bucket}/*`]
  const Statement = [{ Effect: 'Allow', Principal: '*', Action: ['s3:ListBucket', 's3:PutObject'], Resource }]
  await s3.send(new PutBucketPolicyCommand({ Bucket, Policy: JSON.stringify({ Statement }) }))
})
afterAll(() => bench.close())

const refused = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    ({ name, $metadata }: S3ServiceException) => (name === 'Unknown' ? String($metadata.httpStatusCode) : name),
  )

it('refuses every call if the bucket does not have the expected owner', async () => {
  const { Owner } = await s3.send(new ListObjectsV2Command({ Bucket, FetchOwner: true })).then((it) => it.Contents![0]!)
  const calls = (ExpectedBucketOwner: string) => [
    new ListObjectsV2Command({ Bucket, ExpectedBucketOwner }),
    new HeadBucketCommand({ Bucket, ExpectedBucketOwner }),
    new PutObjectCommand({ Bucket, Key: 'expected', Body: 'x', ExpectedBucketOwner }),
    new HeadObjectCommand({ Bucket, Key: 'a/b', ExpectedBucketOwner }),
    new CopyObjectCommand({ Bucket, Key: 'copy', CopySource: `${Bucket}/a/b`, ExpectedBucketOwner }),
    new CopyObjectCommand({
      ...{ Bucket, Key: 'copy', CopySource: `${Bucket}/a/b`, ExpectedSourceBucketOwner: ExpectedBucketOwner },
    }),
    new DeleteObjectCommand({ Bucket, Key: 'expected', ExpectedBucketOwner }),
  ]
  for (const owner of [Owner!.ID!, userId])
    for (const call of calls(owner)) expect(await refused(s3.send(call as never))).toBe('done')
  for (const call of [...calls(`${Owner!.ID!}0`), new GetBucketTaggingCommand({ Bucket, ExpectedBucketOwner: '1' })])
    expect(['AccessDenied', '403']).toContain(await refused(s3.send(call as never)))
})

it('refuses unsupported storage classes in a write, a copy and a multipart upload', async () => {
  const calls = (StorageClass: 'STANDARD' | 'GLACIER' | 'REDUCED_REDUNDANCY') => [
    new PutObjectCommand({ Bucket, Key: 'classed', Body: 'x', StorageClass }),
    new CopyObjectCommand({ Bucket, Key: 'classed', CopySource: `${Bucket}/a/b`, StorageClass }),
    new CreateMultipartUploadCommand({ Bucket, Key: 'classed', StorageClass }),
  ]
  for (const name of ['GLACIER', 'REDUCED_REDUNDANCY', 'nonsense' as 'GLACIER'] as const)
    for (const call of calls(name)) expect(await refused(s3.send(call as never))).toBe('InvalidStorageClass')
  for (const call of calls('STANDARD')) expect(await refused(s3.send(call as never))).toBe('done')
})

it('lists the buckets in the requested region and returns their region', async () => {
  const list = async (BucketRegion?: string) => (await s3.send(new ListBucketsCommand({ BucketRegion }))).Buckets
  expect(await list('us-east-1')).toMatchObject([{ Name: Bucket, BucketRegion: 'us-east-1' }])
  expect(await list('eu-west-1')).toEqual([])
  expect((await list())!.map((it) => it.BucketRegion)).toEqual([undefined])
})

it('refuses an unordered list with a delimiter', async () => {
  const code = async (query: string) => {
    const text = await (await fetch(`${bench.endpoint}/${Bucket}?${query}`)).text()
    return /<Code>(\w+)</.exec(text)?.[1] ?? 'done'
  }
  expect(await code('allow-unordered=true')).toBe('done')
  expect(await code('allow-unordered=false&delimiter=/')).toBe('done')
  for (const version of ['', '&list-type=2'])
    expect(await code(`allow-unordered=true&delimiter=/${version}`)).toBe('InvalidArgument')
})

/** Sends an anonymous request with header values as raw bytes. */
const raw = (method: string, key: string, headers: Record<string, string>) =>
  new Promise<http.IncomingMessage>((resolve, reject) => {
    const request = http.request(`${bench.endpoint}/${Bucket}/${key}`, { method, headers, agent: false })
    request.on('response', (response) => resolve(response.resume()))
    request.on('error', reject)
    request.end()
  })

it('returns metadata byte for byte, whether UTF-8 or not', async () => {
  const utf8 = Buffer.from('Zürich 𝄞').toString('latin1')
  const put = {
    'content-length': '0',
    'x-amz-meta-a': utf8,
    'x-amz-meta-b': 'caf\xe9',
    'content-disposition': 'x=\xe9',
  }
  expect((await raw('PUT', 'said', put)).statusCode).toBe(200)
  const { Metadata, ContentDisposition } = await s3.send(new HeadObjectCommand({ Bucket, Key: 'said' }))
  expect([Metadata, ContentDisposition]).toEqual([{ a: utf8, b: 'caf\xe9' }, 'x=\xe9'])
  await s3.send(new CopyObjectCommand({ Bucket, Key: 'said again', CopySource: `${Bucket}/said` }))
  expect((await s3.send(new HeadObjectCommand({ Bucket, Key: 'said again' }))).Metadata).toEqual(Metadata)
})

it('treats an empty Authorization header as missing', async () => {
  expect((await raw('PUT', 'anybody', { 'content-length': '0', authorization: '' })).statusCode).toBe(200)
  expect((await raw('DELETE', 'anybody', { authorization: '' })).statusCode).toBe(403)
})
