import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  PutBucketLifecycleConfigurationCommand,
  PutObjectAclCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  UploadPartCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { refuse } from '@mainstay/engines/s3/http/refuse'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { silentLogger } from '../silent-logger'
import { refused, startS3, type S3Bench } from './clients/client'

/* Disk space that is reserved for the database, because sign-ins require it. */

let bench: S3Bench
let s3: S3Client
const Bucket = 'disk-reserve'
const { statfs } = fs
const setStatfs = (next: typeof fs.statfs) => {
  fs.statfs = next
  syncBuiltinESMExports()
}
beforeAll(async () => {
  bench = await startS3()
  s3 = (await bench.client('project-member')).s3
  await s3.send(new CreateBucketCommand({ Bucket }))
  await s3.send(new PutObjectCommand({ Bucket, Key: 'there', Body: 'small' }))
})
afterEach(() => setStatfs(statfs))
afterAll(() => bench.close())

it('refuses every write within the reserve, but allows reads and deletions', async () => {
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: 'parts' }))
  const upload = { Bucket, Key: 'parts', UploadId }
  const { ETag } = await s3.send(new UploadPartCommand({ ...upload, PartNumber: 1, Body: 'part' }))
  const Tagging = { TagSet: [{ Key: 'a', Value: 'b' }] }
  const writes = {
    small: () => s3.send(new PutObjectCommand({ Bucket, Key: 'new', Body: 'x' })),
    empty: () => s3.send(new PutObjectCommand({ Bucket, Key: 'new', Body: '' })),
    large: () => s3.send(new PutObjectCommand({ Bucket, Key: 'new', Body: 'x'.repeat(100_000) })),
    copy: () => s3.send(new CopyObjectCommand({ Bucket, Key: 'new', CopySource: `${Bucket}/there` })),
    bucket: () => s3.send(new CreateBucketCommand({ Bucket: `${Bucket}-new` })),
    upload: () => s3.send(new CreateMultipartUploadCommand({ Bucket, Key: 'new' })),
    part: () => s3.send(new UploadPartCommand({ ...upload, PartNumber: 2, Body: 'part' })),
    complete: () =>
      s3.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] } })),
    tags: () => s3.send(new PutObjectTaggingCommand({ Bucket, Key: 'there', Tagging })),
    acl: () => s3.send(new PutObjectAclCommand({ Bucket, Key: 'there', ACL: 'public-read' })),
  }
  setStatfs((async (path: string) => ({ ...(await statfs(path)), bavail: 100 })) as unknown as typeof fs.statfs)
  for (const [name, write] of Object.entries(writes))
    expect([name, await refused(write())]).toEqual([name, 'InsufficientStorage'])
  await expect(writes.small()).rejects.toMatchObject({ $metadata: { httpStatusCode: 507 } })
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key: 'there' }))
  expect(await Body!.transformToString()).toBe('small')
  // these calls free space, so they are allowed
  const Rules = [{ ID: 'x', Status: 'Enabled' as const, Filter: { Prefix: '' }, Expiration: { Days: 1 } }]
  await s3.send(new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration: { Rules } }))
  await s3.send(new DeleteObjectCommand({ Bucket, Key: 'there' }))
  setStatfs(statfs)
  await writes.complete()
  expect(await refused(writes.small())).toBe('nothing went wrong')
})

it.each(['disk_full', '53100'])('reports a full database disk (%s) as 507 InsufficientStorage', async (code) => {
  const said: unknown[] = []
  const response = { headersSent: false, destroyed: false, end: (text: string) => said.push(text) }
  const call = {
    ...{ id: 'X', method: 'PUT', path: '/b/k', isRead: true, response },
    begin: (status: number) => said.push(status),
  }
  await refuse(Object.assign(new Error('no space left on device'), { code }), call as never, silentLogger)
  expect(said).toEqual([507, expect.stringContaining('<Code>InsufficientStorage</Code>')])
})
