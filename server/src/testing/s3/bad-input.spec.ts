import {
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { signRequest } from '@mainstay/engines/s3/signature/sign'
import { readTarget } from '@mainstay/engines/s3/signature/target'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { refused, startS3, type S3Bench } from './clients/client'

/*
 * Requests that no client sends by default. The server answers each of them with a 4xx error and without using much
 * memory.
 */

let bench: S3Bench
let s3: S3Client
let signer: { accessKey: string; secretKey: string }
const Bucket = 'bad-input'
beforeAll(async () => {
  bench = await startS3()
  const made = await bench.client('project-member')
  ;({ s3 } = made)
  signer = made
  await s3.send(new CreateBucketCommand({ Bucket }))
  await s3.send(new PutObjectCommand({ Bucket, Key: 'key', Body: 'x' }))
  await s3.send(new PutObjectCommand({ Bucket, Key: 'empty', Body: '' }))
})
afterAll(() => bench.close())

/** Sends a signed request. Returns the status with the error code, and the response headers. */
async function send(
  method: string,
  address: string,
  {
    headers = {},
    body,
    payload = 'UNSIGNED-PAYLOAD',
  }: { headers?: Record<string, string>; body?: string | ReadableStream; payload?: string } = {},
): Promise<{ said: string; headers: Headers }> {
  const { path, query } = readTarget(address)
  const { host } = new URL(bench.endpoint)
  const signed = signRequest({ method, path, query, headers: { host, ...headers }, payload }, signer, 'us-east-1')
  const init = { method, headers: signed, ...(body !== undefined && { body, duplex: 'half' }) } as RequestInit
  const answer = await fetch(`${bench.endpoint}${address}`, init)
  const code = /<Code>(\w+)</.exec(await answer.text())?.[1]
  return { said: code === undefined ? String(answer.status) : `${answer.status} ${code}`, headers: answer.headers }
}

it('refuses a page of zero buckets, and returns an empty last page for zero parts', async () => {
  expect((await send('GET', '/?max-buckets=0')).said).toBe('400 InvalidArgument')
  const at = { Bucket, Key: 'parts' }
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand(at))
  await s3.send(new UploadPartCommand({ ...at, UploadId, PartNumber: 1, Body: 'x' }))
  const { Parts, IsTruncated } = await s3.send(new ListPartsCommand({ ...at, UploadId, MaxParts: 0 }))
  expect([Parts, IsTruncated]).toEqual([undefined, false])
})

it.each(['-'.repeat(36), 'a'.repeat(36), '00000000-0000-0000-0000-00000000000-'])(
  'finds no upload with the ID %s',
  async (id) => {
    for (const method of ['GET', 'DELETE'])
      expect((await send(method, `/${Bucket}/key?uploadId=${id}`)).said).toBe('404 NoSuchUpload')
  },
)

it('refuses a copy source whose name cannot be stored', async () => {
  for (const source of [`${Bucket}/a%00b`, `bad%00input/key`, `${Bucket}/%ff`])
    expect((await send('PUT', `/${Bucket}/copy`, { headers: { 'x-amz-copy-source': source } })).said).toBe(
      '400 InvalidArgument',
    )
})

it('returns no bytes for part 1 of an empty object', async () => {
  const { said, headers } = await send('GET', `/${Bucket}/empty?partNumber=1`)
  expect([said, headers.get('content-range'), headers.get('content-length')]).toEqual(['200', null, '0'])
})

it('lists no parts of a completed upload', async () => {
  const at = { Bucket, Key: 'completed' }
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand(at))
  const { ETag } = await s3.send(new UploadPartCommand({ ...at, UploadId, PartNumber: 1, Body: 'x' }))
  const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] }
  await s3.send(new CompleteMultipartUploadCommand({ ...at, UploadId, MultipartUpload }))
  expect(await refused(s3.send(new ListPartsCommand({ ...at, UploadId })))).toBe('NoSuchUpload')
})

it('limits the trailing headers of a chunked body', async () => {
  const headers = { 'x-amz-decoded-content-length': '1', 'x-amz-trailer': 'x-amz-checksum-crc32' }
  let sent = 0
  const body = new ReadableStream({
    start: (stream) => stream.enqueue(Buffer.from('1\r\nx\r\n0\r\n')),
    pull(stream) {
      if ((sent += 1) > 64) stream.close()
      else stream.enqueue(Buffer.from(`x-amz-meta-${sent}:${'y'.repeat(8000)}\r\n`))
    },
  })
  const payload = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER'
  expect((await send('PUT', `/${Bucket}/chunks`, { headers, body, payload })).said).toBe('400 IncompleteBody')
})
