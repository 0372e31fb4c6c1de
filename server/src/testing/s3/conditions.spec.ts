import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteBucketPolicyCommand,
  DeleteObjectsCommand,
  GetObjectAclCommand,
  GetObjectCommand,
  PutBucketPolicyCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { policyOf, refused, startPeople, type S3People } from './people'

/* Condition keys in policies. */

let people: S3People
const Bucket = 'conditions'
beforeAll(async () => {
  people = await startPeople()
  await people.clients.owner.send(new CreateBucketCommand({ Bucket }))
  await people.clients.owner.send(new PutObjectCommand({ Bucket, Key: 'there', Body: 'x' }))
})
afterAll(() => people.bench.close())

const [done, denied] = ['nothing went wrong', 'AccessDenied']
const setPolicy = (...statements: object[]) =>
  people.clients.owner.send(new PutBucketPolicyCommand({ Bucket, Policy: policyOf(Bucket, ...statements) }))
const put = (more: Partial<PutObjectCommandInput> = {}) =>
  refused(people.clients.other.send(new PutObjectCommand({ Bucket, Key: 'new', Body: 'x', ...more })))

it('matches the access list in a write, given as a canned list or as grants', async () => {
  const write = { Action: 's3:PutObject' }
  await setPolicy(write, {
    ...{ ...write, Effect: 'Deny' },
    Condition: { StringLike: { 's3:x-amz-acl': 'public*' } },
  })
  expect([await put(), await put({ ACL: 'private' }), await put({ ACL: 'public-read' })]).toEqual([done, done, denied])

  const GrantFullControl = `id=${people.canonical('owner')}`
  await setPolicy({ ...write, Condition: { StringEquals: { 's3:x-amz-grant-full-control': GrantFullControl } } })
  expect([await put(), await put({ GrantRead: GrantFullControl }), await put({ GrantFullControl })]).toEqual([
    ...[denied, denied, done],
  ])
  const { Owner, Grants } = await people.clients.owner.send(new GetObjectAclCommand({ Bucket, Key: 'new' }))
  expect([Owner!.ID, Grants![0]!.Grantee!.ID]).toEqual([people.canonical('other'), people.canonical('owner')])
  for (const [name, field] of [
    ['read', 'GrantRead'],
    ['read-acp', 'GrantReadACP'],
    ['write-acp', 'GrantWriteACP'],
  ] as const) {
    await setPolicy({ ...write, Condition: { StringEquals: { [`s3:x-amz-grant-${name}`]: GrantFullControl } } })
    expect([name, await put(), await put({ [field]: GrantFullControl })]).toEqual([name, denied, done])
  }
})

it('matches the source of a copy, and its metadata directive', async () => {
  const copy = (more: object = {}) =>
    refused(
      people.clients.other.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource: `${Bucket}/there`, ...more })),
    )
  const read = { Action: 's3:GetObject' }
  const write = (Condition: object) => setPolicy(read, { Action: 's3:PutObject', Condition })
  await write({ StringLike: { 's3:x-amz-copy-source': `${Bucket}/th*` } })
  expect([await copy(), await put()]).toEqual([done, denied])
  // the source is compared in its decoded form
  await setPolicy(
    read,
    { Action: 's3:PutObject' },
    {
      ...{ Effect: 'Deny', Action: 's3:PutObject' },
      Condition: { StringLike: { 's3:x-amz-copy-source': `${Bucket}/th*` } },
    },
  )
  for (const CopySource of [
    `${Bucket}/there`,
    `/${Bucket}/there`,
    `${Bucket}/%74here`,
    `${Bucket}/there?versionId=null`,
  ])
    expect([CopySource, await copy({ CopySource })]).toEqual([CopySource, denied])
  await write({ StringEquals: { 's3:x-amz-metadata-directive': 'COPY' } })
  expect([await copy({ MetadataDirective: 'COPY' }), await copy()]).toEqual([done, denied])
})

it('matches the version ID', async () => {
  await setPolicy({ Action: 's3:GetObject*', Condition: { StringEquals: { 's3:VersionId': 'null' } } })
  const get = (VersionId?: string) =>
    refused(people.clients.other.send(new GetObjectCommand({ Bucket, Key: 'there', VersionId })))
  expect([await get('null'), await get()]).toEqual([done, denied])
})

it('matches the maximum number of keys in a list, and treats an empty value as missing', async () => {
  await setPolicy({ Action: 's3:ListBucket', Condition: { NumericLessThanEquals: { 's3:max-keys': '10' } } })
  const list = async (query: string) => (await fetch(`${people.bench.endpoint}/${Bucket}?list-type=2${query}`)).status
  expect([await list('&max-keys=10'), await list('&max-keys=11'), await list('&max-keys='), await list('')]).toEqual([
    ...[200, 403, 403, 403],
  ])
})

it('does not block the event loop if a policy is slow to evaluate', async () => {
  const slow = (at: number) => `arn:aws:s3:::${Bucket}/*${'a'.repeat(440)}b*${'a'.repeat(440)}${at}`
  const Resource = Array.from({ length: 20 }, (_, at) => slow(at))
  await setPolicy({ Action: 's3:DeleteObject', Effect: 'Deny', Resource })
  const Objects = Array.from({ length: 400 }, (_, at) => ({ Key: `${'a'.repeat(1000)}${at}` }))
  const began = performance.now()
  let [last, longest, isOver] = [began, 0, false]
  const look = () => {
    longest = Math.max(longest, performance.now() - last)
    last = performance.now()
    if (!isOver) setImmediate(look)
  }
  look()
  const { Errors } = await people.clients.owner.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }))
  isOver = true
  expect(Errors).toBeUndefined()
  expect(longest).toBeLessThan((performance.now() - began) / 4)
  await people.clients.owner.send(new DeleteBucketPolicyCommand({ Bucket }))
})

it('refuses variables, because they would be compared literally', async () => {
  const own = { Action: 's3:GetObject', Resource: `arn:aws:s3:::${Bucket}/${'${aws:username}'}/*` }
  const named = { Action: 's3:ListBucket', Condition: { StringLike: { 's3:prefix': '${aws:username}/*' } } }
  for (const statement of [own, named]) expect(await refused(setPolicy(statement))).toBe('MalformedPolicy')
})

it('matches the encryption of a write', async () => {
  const encryption = 's3:x-amz-server-side-encryption'
  await setPolicy(
    { Action: 's3:PutObject' },
    { Effect: 'Deny', Action: 's3:PutObject', Condition: { Null: { [encryption]: 'true' } } },
    { Effect: 'Deny', Action: 's3:PutObject', Condition: { StringNotEquals: { [encryption]: 'AES256' } } },
  )
  expect([await put(), await put({ ServerSideEncryption: 'aws:kms' })]).toEqual([denied, denied])
  expect(await put({ ServerSideEncryption: 'AES256' })).not.toBe(denied)
})

it('matches tag keys case-sensitively', async () => {
  const unless = { StringNotEquals: { 'S3:requestobjecttag/class': 'scanned' } }
  await setPolicy({ Action: 's3:PutObject*' }, { Effect: 'Deny', Action: 's3:PutObject', Condition: unless })
  for (const [Tagging, expected] of [
    ['class=scanned', done],
    ['class=scanned&CLASS=evil', done],
    ['class=evil&CLASS=scanned', denied],
    ['CLASS=scanned', denied],
  ] as const)
    expect([Tagging, await put({ Tagging })]).toEqual([Tagging, expected])
})

it('matches the tags of the existing object and of the new one', async () => {
  const tagged = async (tags: Record<string, string>) => {
    const list = Object.entries(tags).map(([key, value]) => ({ key, value }))
    await people.bench.server.sql.query(
      `update s3_object set head = jsonb_set(head, '{tags}', $1::jsonb) where key = 'there'`,
      [JSON.stringify(list)],
    )
  }
  await setPolicy({ Action: 's3:GetObject', Condition: { StringEquals: { 's3:ExistingObjectTag/Stage': 'public' } } })
  const get = () => refused(people.clients.other.send(new GetObjectCommand({ Bucket, Key: 'there' })))
  expect(await get()).toBe(denied)
  await tagged({ Stage: 'public', other: 'x' })
  expect(await get()).toBe(done)
  await tagged({ Stage: 'secret', other: 'public' })
  expect(await get()).toBe(denied)

  await setPolicy({ Action: 's3:PutObject', Condition: { StringEquals: { 's3:RequestObjectTag/stage': 'public' } } })
  expect([await put(), await put({ Tagging: 'stage=secret' }), await put({ Tagging: 'other=public' })]).toEqual([
    ...[denied, denied, denied],
  ])
  expect(await put({ Tagging: 'stage=public&other=x' })).not.toBe(denied)
  const only = { 'ForAllValues:StringEquals': { 's3:RequestObjectTagKeys': ['stage', 'cost centre'] } }
  await setPolicy({ Action: 's3:PutObject', Condition: only })
  expect(await put({ Tagging: 'stage=x&more=y' })).toBe(denied)
  expect(await put({ Tagging: 'stage=x&cost+centre=y' })).not.toBe(denied)
})
