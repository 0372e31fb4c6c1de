import {
  CreateBucketCommand,
  DeleteBucketPolicyCommand,
  DeletePublicAccessBlockCommand,
  GetBucketPolicyStatusCommand,
  GetBucketRequestPaymentCommand,
  GetObjectCommand,
  GetPublicAccessBlockCommand,
  ListObjectsV2Command,
  PutBucketAclCommand,
  PutBucketPolicyCommand,
  PutBucketRequestPaymentCommand,
  PutObjectAclCommand,
  PutObjectCommand,
  PutPublicAccessBlockCommand,
  type PublicAccessBlockConfiguration,
  type S3Client,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { policyOf, refused, startPeople, type S3People } from './people'

/* Public access blocks, and the policy status of buckets. */

let people: S3People
let owner: S3Client
let other: S3Client
let otherId = ''
beforeAll(async () => {
  people = await startPeople()
  ;({ owner, other } = people.clients)
  otherId = people.ids.other
})
afterAll(() => people.bench.close())

let count = 0
async function bucket(): Promise<string> {
  const Bucket = `block-${++count}`
  await owner.send(new CreateBucketCommand({ Bucket }))
  await owner.send(new PutObjectCommand({ Bucket, Key: 'key', Body: 'x' }))
  return Bucket
}
const off = {
  BlockPublicAcls: false,
  IgnorePublicAcls: false,
  BlockPublicPolicy: false,
  RestrictPublicBuckets: false,
}
const block = (Bucket: string, switches: PublicAccessBlockConfiguration) =>
  owner.send(new PutPublicAccessBlockCommand({ Bucket, PublicAccessBlockConfiguration: switches }))
/** Sets a policy that allows everyone to read, unless `more` says otherwise. */
const setPolicy = (Bucket: string, more: object = {}) =>
  owner.send(
    new PutBucketPolicyCommand({
      Bucket,
      Policy: policyOf(Bucket, { Action: ['s3:GetObject', 's3:ListBucket'], ...more }),
    }),
  )
const reads = async (Bucket: string) => ({
  anonymous: (await fetch(`${people.bench.endpoint}/${Bucket}/key`)).status,
  other: await refused(other.send(new GetObjectCommand({ Bucket, Key: 'key' }))),
  owner: await refused(owner.send(new GetObjectCommand({ Bucket, Key: 'key' }))),
})
const done = 'nothing went wrong'
const everybody = { anonymous: 200, other: done, owner: done }
const onlyOwner = { anonymous: 403, other: 'AccessDenied', owner: done }

it('keeps a public access block as set until it is removed, and treats omitted switches as off', async () => {
  const Bucket = await bucket()
  const get = async () => (await owner.send(new GetPublicAccessBlockCommand({ Bucket }))).PublicAccessBlockConfiguration
  expect(await refused(get())).toBe('NoSuchPublicAccessBlockConfiguration')
  await block(Bucket, { ...off, BlockPublicAcls: true, RestrictPublicBuckets: true })
  expect(await get()).toEqual({ ...off, BlockPublicAcls: true, RestrictPublicBuckets: true })
  await block(Bucket, { IgnorePublicAcls: true })
  expect(await get()).toEqual({ ...off, IgnorePublicAcls: true })
  for (const command of [
    new GetPublicAccessBlockCommand({ Bucket }),
    new DeletePublicAccessBlockCommand({ Bucket }),
    new GetBucketPolicyStatusCommand({ Bucket }),
  ])
    expect(await refused(other.send(command))).toBe('AccessDenied')
  // a policy may deny this even to the bucket owner
  await setPolicy(Bucket, { Effect: 'Deny', Action: 's3:GetBucketPublicAccessBlock' })
  expect(await refused(get())).toBe('AccessDenied')
  await owner.send(new DeleteBucketPolicyCommand({ Bucket }))
  await owner.send(new DeletePublicAccessBlockCommand({ Bucket }))
  expect(await refused(get())).toBe('NoSuchPublicAccessBlockConfiguration')
})

it('BlockPublicAcls refuses public access lists and keeps existing ones', async () => {
  const Bucket = await bucket()
  const key = { Bucket, Key: 'key' }
  await owner.send(new PutObjectAclCommand({ ...key, ACL: 'public-read' }))
  await block(Bucket, { BlockPublicAcls: true })
  const uri = 'uri="http://acs.amazonaws.com/groups/global/AuthenticatedUsers"'
  for (const list of [{ ACL: 'public-read' }, { ACL: 'authenticated-read' }, { GrantRead: uri }] as const) {
    expect(await refused(owner.send(new PutBucketAclCommand({ Bucket, ...list })))).toBe('AccessDenied')
    expect(await refused(owner.send(new PutObjectAclCommand({ ...key, ...list })))).toBe('AccessDenied')
    expect(await refused(owner.send(new PutObjectCommand({ ...key, Body: 'y', ...list })))).toBe('AccessDenied')
  }
  expect(await reads(Bucket)).toEqual(everybody)
  await owner.send(new PutBucketAclCommand({ Bucket, ACL: 'private' }))
})

it('IgnorePublicAcls ignores public grants until it is turned off', async () => {
  const Bucket = await bucket()
  await owner.send(new PutObjectAclCommand({ Bucket, Key: 'key', ACL: 'public-read' }))
  await owner.send(new PutBucketAclCommand({ Bucket, ACL: 'public-read' }))
  await block(Bucket, { IgnorePublicAcls: true })
  expect(await reads(Bucket)).toEqual(onlyOwner)
  expect(await refused(other.send(new ListObjectsV2Command({ Bucket })))).toBe('AccessDenied')
  // access lists can still be set
  await owner.send(new PutObjectAclCommand({ Bucket, Key: 'key', ACL: 'public-read' }))
  await block(Bucket, off)
  expect(await reads(Bucket)).toEqual(everybody)
})

it('BlockPublicPolicy refuses public policies', async () => {
  const Bucket = await bucket()
  await block(Bucket, { BlockPublicPolicy: true })
  expect(await refused(setPolicy(Bucket))).toBe('AccessDenied')
  const Principal = { AWS: `arn:aws:iam::${otherId}:root` }
  await setPolicy(Bucket, { Principal })
  expect(await reads(Bucket)).toEqual({ ...everybody, anonymous: 403 })
})

it('RestrictPublicBuckets limits a public policy to the bucket owner', async () => {
  const Bucket = await bucket()
  await setPolicy(Bucket)
  expect(await reads(Bucket)).toEqual(everybody)
  await block(Bucket, { RestrictPublicBuckets: true })
  expect(await reads(Bucket)).toEqual(onlyOwner)
  // a policy that names users is not public
  await setPolicy(Bucket, { Principal: { AWS: [`arn:aws:iam:::user/${otherId}`] } })
  expect(await reads(Bucket)).toEqual({ ...everybody, anonymous: 403 })
})

it('reports whether a bucket is public through its policy or access list', async () => {
  const Bucket = await bucket()
  const isPublic = async () => (await owner.send(new GetBucketPolicyStatusCommand({ Bucket }))).PolicyStatus!.IsPublic
  expect(await isPublic()).toBe(false)
  for (const ACL of ['public-read', 'authenticated-read'] as const) {
    await owner.send(new PutBucketAclCommand({ Bucket, ACL }))
    expect(await isPublic()).toBe(true)
  }
  await block(Bucket, { IgnorePublicAcls: true })
  expect(await isPublic()).toBe(false)
  const ip = (range: string) => ({ Condition: { IpAddress: { 'aws:SourceIp': range } } })
  const cases: [object, boolean][] = [
    [{}, true],
    [{ Effect: 'Deny' }, false],
    [{ Principal: { AWS: `arn:aws:iam::${otherId}:root` } }, false],
    [ip('10.0.0.0/32'), false],
    [ip('10.0.0.0/7'), true],
    [ip('2001:db8::/32'), false],
    [ip('2000::/3'), true],
    [{ Condition: { StringEquals: { 'aws:username': otherId } } }, false],
    [{ Condition: { StringLike: { 'aws:username': '*' } } }, true],
    [{ Condition: { StringEqualsIfExists: { 'aws:username': otherId } } }, true],
    [{ Condition: { StringLike: { 'aws:Referer': 'https://shop.example/*' } } }, true],
  ]
  for (const [more, expected] of cases) {
    await setPolicy(Bucket, more)
    expect([more, await isPublic()]).toEqual([more, expected])
  }
})

it('charges requests only to the bucket owner', async () => {
  const Bucket = await bucket()
  const set = (Payer: 'BucketOwner' | 'Requester') =>
    owner.send(new PutBucketRequestPaymentCommand({ Bucket, RequestPaymentConfiguration: { Payer } }))
  const payer = async (client: S3Client) => (await client.send(new GetBucketRequestPaymentCommand({ Bucket }))).Payer
  expect(await payer(owner)).toBe('BucketOwner')
  await set('BucketOwner')
  expect(await refused(set('Requester'))).toBe('NotImplemented')
  expect(await refused(set('Nobody' as 'Requester'))).toBe('MalformedXML')
  expect(await refused(payer(other))).toBe('AccessDenied')
  expect(await payer(owner)).toBe('BucketOwner')
})
