import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketPolicyCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  ListObjectsV2Command,
  PutBucketPolicyCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  UploadPartCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { auditLog } from '@mainstay/contract/monitoring/audit-log'
import type { AuditLine } from '@mainstay/contract/monitoring/audit-lines'
import { s3Keys } from '@mainstay/contract/object-storage/s3-keys'
import { s3Links, s3Metadata, s3Runs } from '@mainstay/contract/object-storage/s3-files'
import { S3_VALIDATE_HEADER } from '@mainstay/contract/object-storage/s3-proxy'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { refused } from '../../testing/s3/clients/client'
import { consoleClient } from '../../testing/s3/clients/console-client'
import { policyOf } from '../../testing/s3/people'
import { startServer, type TestServer } from '../../testing/start-server'

const as = 'project-member'
let server: TestServer
let client: S3Client
let other: S3Client
beforeAll(async () => {
  server = await startServer()
  client = consoleClient(server.url, await server.signIn(as))
  other = consoleClient(server.url, await server.signIn('other-member'))
})
afterAll(async () => {
  client.destroy()
  other.destroy()
  await server.close()
})

let count = 0
let Bucket: string
beforeEach(async () => {
  Bucket = `audited-${(count += 1)}`
  await client.send(new CreateBucketCommand({ Bucket }))
})
const put = (Key: string, more: object = {}) => client.send(new PutObjectCommand({ Bucket, Key, Body: 'x', ...more }))

/**
 * Returns audit log entries for the bucket and its objects, oldest first. Waits for at least `least` entries, because
 * they can be written after the response.
 */
async function lines(least: number): Promise<AuditLine[]> {
  const query = { object_name: `contains:${Bucket}`, sorters: undefined }
  let found: AuditLine[] = []
  await expect
    .poll(async () => {
      found = (await server.call(auditLog.list, { as: 'superuser', query })).data.toReversed()
      return found.length >= least && found.every(({ result }) => result !== 'unknown')
    })
    .toBe(true)
  return found
}
const short = ({ activity, object_name, result, status, error_code }: AuditLine) =>
  `${activity} ${object_name} ${result} ${status}${error_code ? ` ${error_code}` : ''}`

it('writes an entry with user, object and result for each change, and none for reads', async () => {
  await put('a/b c.txt')
  await client.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource: `${Bucket}/a/b%20c.txt` }))
  await client.send(
    new PutObjectTaggingCommand({ Bucket, Key: 'copy', Tagging: { TagSet: [{ Key: 'k', Value: 'v' }] } }),
  )
  const Policy = policyOf(Bucket, { Action: ['s3:GetObject', 's3:ListBucket'] })
  await client.send(new PutBucketPolicyCommand({ Bucket, Policy }))
  await client.send(new GetObjectCommand({ Bucket, Key: 'copy' }))
  await client.send(new ListObjectsV2Command({ Bucket }))
  await client.send(new DeleteObjectCommand({ Bucket, Key: 'copy' }))
  expect(await refused(client.send(new DeleteBucketCommand({ Bucket })))).toBe('BucketNotEmpty')
  await client.send(new DeleteObjectCommand({ Bucket, Key: 'a/b c.txt' }))
  await client.send(new DeleteBucketCommand({ Bucket }))
  const found = await lines(9)
  expect(found.map(short)).toEqual([
    `s3_bucket.create ${Bucket} success 200`,
    `s3_object.create ${Bucket}/a/b c.txt success 200`,
    `s3_object.create ${Bucket}/copy success 200`,
    `s3_object.update ${Bucket}/copy success 200`,
    `s3_bucket.update ${Bucket} success 200`,
    `s3_object.delete ${Bucket}/copy success 200`,
    `s3_bucket.delete ${Bucket} error 409 BucketNotEmpty`,
    `s3_object.delete ${Bucket}/a/b c.txt success 200`,
    `s3_bucket.delete ${Bucket} success 200`,
  ])
  const { user, project } = server.cast.people[as]
  for (const line of found)
    expect(line).toMatchObject({ user_id: user.id, project_id: project!.id, address: '127.0.0.1' })
  expect(found.map(({ changes }) => changes.map(({ field, to }) => [field, to]))).toEqual([
    ...[[], [], [['copy_source', `${Bucket}/a/b%20c.txt`]], [['tagging', 'set']], [['policy', 'set']], [], [], [], []],
  ])
  expect(found[1]).toMatchObject({ method: 'PUT', path: `/s3proxy/${Bucket}/a/b%20c.txt` })
})

it('writes an entry for a refused call, and none when a policy is validated', async () => {
  const key = { Bucket, Key: 'theirs' }
  expect(await refused(other.send(new PutObjectCommand({ ...key, Body: 'x' })))).toBe('AccessDenied')
  const looking = consoleClient(server.url, await server.signIn(as), { [S3_VALIDATE_HEADER]: 'true' })
  const Policy = policyOf(Bucket, { Action: ['s3:GetObject', 's3:ListBucket'] })
  await looking.send(new PutBucketPolicyCommand({ Bucket, Policy }))
  looking.destroy()
  const [, denied, ...more] = await lines(2)
  expect(short(denied!)).toBe(`s3_object.create ${Bucket}/theirs error 403 AccessDenied`)
  expect(denied).toMatchObject({ user_id: server.cast.people['other-member'].user.id })
  expect(more).toEqual([])
})

it('writes a single entry for a batch delete, with the number of objects that could not be deleted', async () => {
  for (const Key of ['a', 'b', 'kept-1', 'kept-2']) await put(Key)
  const statement = { Effect: 'Deny', Action: 's3:DeleteObject', Resource: `arn:aws:s3:::${Bucket}/kept-*` }
  await client.send(new PutBucketPolicyCommand({ Bucket, Policy: policyOf(Bucket, statement) }))
  const remove = (...keys: string[]) =>
    client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: keys.map((Key) => ({ Key })) } }))
  await remove('a')
  expect((await remove('b', 'kept-1', 'kept-2')).Errors).toHaveLength(2)
  const found = (await lines(8)).slice(6)
  expect(found.map(short)).toEqual([
    `s3_object.deleteSeveral ${Bucket} success 200`,
    `s3_object.deleteSeveral ${Bucket} error 200 AccessDenied`,
  ])
  expect(found[1]!.message).toBe('2 objects were not changed')
})

it('reports a batch delete as done only when its last step is complete', async () => {
  for (const Key of ['first', 'held']) await put(Key)
  const Objects = ['first', 'held'].map((Key) => ({ Key, VersionId: 'null' }))
  const batch = "select result from audit where action = 's3_object.deleteSeveral' and subject_name = $1"
  let removal: Promise<unknown>
  await server.sql.transaction(async (tx) => {
    await tx.query("select 1 from s3_object where key = 'held' for update")
    removal = client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }))
    await expect
      .poll(() =>
        server.sql.query(
          "select 1 from s3_object join s3_bucket b on b.id = bucket_id where key = 'first' and b.name = $1",
          [Bucket],
        ),
      )
      .toEqual([])
    expect(await server.sql.query(batch, [Bucket])).toEqual([{ result: 'unknown' }])
  })
  await removal!
  expect(await server.sql.query(batch, [Bucket])).toEqual([{ result: 'success' }])
})

it('writes a single entry for a multipart upload when the upload is completed', async () => {
  const key = { Bucket, Key: 'large' }
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(key))
  const part = await client.send(new UploadPartCommand({ ...key, UploadId, PartNumber: 1, Body: 'part' }))
  const MultipartUpload = { Parts: [{ PartNumber: 1, ETag: part.ETag }] }
  await client.send(new CompleteMultipartUploadCommand({ ...key, UploadId, MultipartUpload }))
  expect((await lines(2)).map(short)).toEqual([
    `s3_bucket.create ${Bucket} success 200`,
    `s3_object.create ${Bucket}/large success 200`,
  ])
})

it('writes a change in the embedded engine and its entry in the same transaction', async () => {
  await put('kept')
  await put('large', { Body: 'x'.repeat(20_000) })
  const [found] = await server.sql.query<{ lines: number; together: number }>(
    `select count(*)::int as lines, count(*) filter (where audit.xmin = object.xmin)::int as together
     from s3_object object join s3_bucket bucket on bucket.id = bucket_id
       join audit on subject_name = bucket.name || '/' || key
     where bucket.name = $1`,
    [Bucket],
  )
  expect(found).toEqual({ lines: 2, together: 2 })
})

it('changes nothing if the entry cannot be written', async () => {
  await put('kept')
  const key = { Bucket, Key: 'kept' }
  const closed = `closed_${count}`
  await server.sql.query(
    `alter table audit add constraint ${closed} check (not starts_with(subject_name, '${Bucket}')) not valid`,
  )
  try {
    const Tagging = { TagSet: [{ Key: 'k', Value: 'v' }] }
    const Policy = policyOf(Bucket, { Action: ['s3:GetObject', 's3:ListBucket'] })
    const { UploadId } = await client.send(new CreateMultipartUploadCommand({ ...key, Key: 'parts' }))
    const part = { ...key, Key: 'parts', UploadId }
    const { ETag } = await client.send(new UploadPartCommand({ ...part, PartNumber: 1, Body: 'part' }))
    for (const command of [
      new PutObjectCommand({ ...key, Body: 'other' }),
      new PutObjectCommand({ Bucket, Key: 'large', Body: 'x'.repeat(20_000) }),
      new CopyObjectCommand({ Bucket, Key: 'copy', CopySource: `${Bucket}/kept` }),
      new CompleteMultipartUploadCommand({ ...part, MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] } }),
      new PutObjectTaggingCommand({ ...key, Tagging }),
      new PutBucketPolicyCommand({ Bucket, Policy }),
      new DeleteObjectCommand(key),
      new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: 'kept' }] } }),
      new CreateBucketCommand({ Bucket: `${Bucket}-2` }),
    ])
      expect(await refused(client.send(command as PutObjectCommand)), command.constructor.name).toBe('InternalError')
  } finally {
    await server.sql.query(`alter table audit drop constraint ${closed}`)
  }
  const { Contents } = await client.send(new ListObjectsV2Command({ Bucket }))
  expect(Contents!.map(({ Key, Size }) => [Key, Size])).toEqual([['kept', 1]])
  expect((await client.send(new GetObjectTaggingCommand(key))).TagSet).toEqual([])
  expect(await refused(client.send(new GetBucketPolicyCommand({ Bucket })))).toBe('NoSuchBucketPolicy')
  expect(await refused(client.send(new ListObjectsV2Command({ Bucket: `${Bucket}-2` })))).toBe('NoSuchBucket')
})

it('names the object in the entries for links, metadata and runs', async () => {
  await put('file')
  const { acc_key } = await server.call(s3Keys.create, { as, body: {} })
  const object = { bucket: Bucket, key: 'file' }
  await server.call(s3Links.create, { as, body: { ...object, acc_key, seconds: 60 } })
  const { etag, headers } = await server.call(s3Metadata.view, { as, query: object })
  await server.call(s3Metadata.update, { as, body: { ...object, etag, headers, metadata: {} } })
  await server.call(s3Runs.create, { as, body: { action: 'delete', bucket: Bucket, keys: ['folder/'] } })
  expect((await lines(5)).slice(2).map(({ activity, object_name }) => `${activity} ${object_name}`)).toEqual([
    `s3_link.create ${Bucket}/file`,
    `s3_object.update ${Bucket}/file`,
    `s3_run.create ${Bucket}/folder/`,
  ])
})

it('lists S3 activities as filter values for operators', async () => {
  const { data } = await server.call(auditLog.activities, { as: 'superuser' })
  const known = data.map((it) => (it as { activity?: string }).activity ?? JSON.stringify(it)).join(' ')
  for (const activity of ['s3_bucket.update', 's3_object.deleteSeveral']) expect(known).toContain(activity)
})
