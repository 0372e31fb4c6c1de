import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectAclCommand,
  ListMultipartUploadsCommand,
  ListObjectsCommand,
  ListObjectVersionsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutBucketAclCommand,
  PutBucketPolicyCommand,
  PutBucketVersioningCommand,
  PutObjectAclCommand,
  PutObjectCommand,
  UploadPartCommand,
  type BucketCannedACL,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { may } from './attempts'
import { policyOf, refused, startPeople, type S3People } from './people'

/* Owners of objects in shared buckets, and access when policies and access lists are combined. */

let people: S3People
beforeAll(async () => void (people = await startPeople()))
afterAll(() => people.bench.close())

let count = 0
async function bucket(ACL?: BucketCannedACL): Promise<string> {
  const Bucket = `shared-${++count}`
  await people.clients.owner.send(new CreateBucketCommand({ Bucket, ACL }))
  return Bucket
}
const setPolicy = (Bucket: string, ...statements: object[]) =>
  people.clients.owner.send(new PutBucketPolicyCommand({ Bucket, Policy: policyOf(Bucket, ...statements) }))

it('a policy can deny what an access list grants, and allow what no access list grants', async () => {
  const Bucket = await bucket('public-read-write')
  await people.clients.owner.send(new PutObjectCommand({ Bucket, Key: 'key', Body: 'x', ACL: 'public-read' }))
  expect(await may(people, 'anonymous', 'Rlw', Bucket, 'private')).toBe('Rlw')
  await setPolicy(Bucket, { Effect: 'Deny', Action: ['s3:GetObject', 's3:ListBucket', 's3:PutObjectAcl'] })
  expect(await may(people, 'anonymous', 'Rlw', Bucket, 'private')).toBe('--w')
  // a deny also applies to an access list that is set during a write
  const put = { Bucket, Key: 'key', Body: 'x' }
  expect(await refused(people.clients.writer.send(new PutObjectCommand({ ...put, ACL: 'public-read' })))).toBe(
    'AccessDenied',
  )
  await people.clients.owner.send(new PutBucketAclCommand({ Bucket, ACL: 'private' }))
  await setPolicy(Bucket, { Action: ['s3:ListBucket'] })
  expect(await may(people, 'other', 'lw', Bucket, 'private')).toBe('l-')
})

it('lists, uploads and copies name their owners, and a copy does not inherit grants', async () => {
  const Bucket = await bucket('public-read-write')
  await people.clients.owner.send(new PutObjectCommand({ Bucket, Key: 'a/owner', Body: 'x', ACL: 'public-read' }))
  const CopySource = `${Bucket}/a/owner`
  await people.clients.writer.send(new CopyObjectCommand({ Bucket, Key: 'key', CopySource }))
  expect(await may(people, 'other', 'RG', Bucket, 'private')).toBe('--')
  expect(await may(people, 'owner', 'RG', Bucket, 'private')).toBe('--')
  const copied = { Bucket, Key: 'key', CopySource, ACL: 'public-read' as const }
  await people.clients.writer.send(new CopyObjectCommand(copied))
  expect(await may(people, 'anonymous', 'RG', Bucket, 'private')).toBe('R-')
  for (const Delimiter of [undefined, '/']) {
    const { Contents } = await people.clients.owner.send(new ListObjectsCommand({ Bucket, Delimiter }))
    expect(Contents!.find(({ Key }) => Key === 'key')!.Owner!.ID).toBe(people.canonical('writer'))
  }
  const { Contents } = await people.clients.owner.send(new ListObjectsV2Command({ Bucket, FetchOwner: true }))
  expect(Contents!.map(({ Owner }) => Owner!.ID)).toEqual([people.canonical('owner'), people.canonical('writer')])
})

it('an access list on a version applies only to that version', async () => {
  const Bucket = await bucket('public-read-write')
  const Status = 'Enabled' as const
  await people.clients.owner.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status } }))
  const put = async (Body: string) =>
    (await people.clients.writer.send(new PutObjectCommand({ Bucket, Key: 'key', Body }))).VersionId!
  const [first, second] = [await put('first'), await put('second')]
  const read = async (version?: string) => {
    const query = version === undefined ? '' : `?versionId=${version}`
    const answer = await fetch(`${people.bench.endpoint}/${Bucket}/key${query}`)
    return answer.ok ? answer.text() : answer.status
  }
  expect([await read(), await read(first), await read(second)]).toEqual([403, 403, 403])
  const set = { Bucket, Key: 'key', VersionId: first, ACL: 'public-read' as const }
  expect(await refused(people.clients.owner.send(new PutObjectAclCommand(set)))).toBe('AccessDenied')
  await people.clients.writer.send(new PutObjectAclCommand(set))
  expect([await read(), await read(first), await read(second)]).toEqual([403, 'first', 403])
  const { Grants } = await people.clients.writer.send(new GetObjectAclCommand({ Bucket, Key: 'key', VersionId: first }))
  expect(Grants).toHaveLength(2)
  const { Versions } = await people.clients.owner.send(new ListObjectVersionsCommand({ Bucket }))
  expect(Versions!.map(({ Owner }) => Owner!.ID)).toEqual([people.canonical('writer'), people.canonical('writer')])
  // a writer may hide a version, but only the owner may delete it permanently
  const gone = { Bucket, Key: 'key', VersionId: first }
  expect(await refused(people.clients.writer.send(new DeleteObjectCommand(gone)))).toBe('AccessDenied')
  const { VersionId: marker } = await people.clients.other.send(new DeleteObjectCommand({ Bucket, Key: 'key' }))
  expect(await read()).toBe(404)
  const ofMarker = new GetObjectAclCommand({ Bucket, Key: 'key', VersionId: marker })
  expect(await refused(people.clients.owner.send(ofMarker))).toBe('MethodNotAllowed')
  expect(await refused(people.clients.other.send(ofMarker))).toBe('AccessDenied')
  await people.clients.owner.send(new DeleteObjectCommand(gone))
})

it('lets the initiator and the bucket owner abort an upload, and applies the access list set for it', async () => {
  const Bucket = await bucket('public-read-write')
  const key = { Bucket, Key: 'key' }
  const begin = async () => {
    const { UploadId } = await people.clients.writer.send(
      new CreateMultipartUploadCommand({ ...key, ACL: 'public-read' }),
    )
    return { ...key, UploadId }
  }
  const upload = await begin()
  const { Uploads } = await people.clients.owner.send(new ListMultipartUploadsCommand({ Bucket }))
  expect(Uploads).toMatchObject([
    { Initiator: { ID: people.canonical('writer') }, Owner: { ID: people.canonical('writer') } },
  ])
  const { ETag } = await people.clients.writer.send(new UploadPartCommand({ ...upload, PartNumber: 1, Body: 'x' }))
  expect(await refused(people.clients.other.send(new ListPartsCommand(upload)))).toBe('AccessDenied')
  expect(await refused(people.clients.other.send(new AbortMultipartUploadCommand(upload)))).toBe('AccessDenied')
  for (const who of ['writer', 'owner'] as const)
    expect(await people.clients[who].send(new ListPartsCommand(upload))).toMatchObject({
      Parts: [{ PartNumber: 1 }],
      Owner: { ID: people.canonical('writer') },
    })
  const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] }
  await people.clients.writer.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload }))
  expect(await may(people, 'anonymous', 'RG', Bucket, 'private')).toBe('R-')
  expect(await may(people, 'writer', 'RG', Bucket, 'private')).toBe('RG')
  for (const who of ['writer', 'owner'] as const) {
    const another = await begin()
    await people.clients[who].send(new AbortMultipartUploadCommand(another))
    expect(await refused(people.clients.owner.send(new ListPartsCommand(another)))).toBe('NoSuchUpload')
  }
})

it('an anonymous upload belongs to the bucket owner', async () => {
  const Bucket = await bucket('public-read-write')
  expect(await may(people, 'anonymous', 'w', Bucket, 'private')).toBe('w')
  expect((await fetch(`${people.bench.endpoint}/${Bucket}/new`)).status).toBe(403)
  const { Owner } = await people.clients.owner.send(new GetObjectAclCommand({ Bucket, Key: 'new' }))
  expect(Owner!.ID).toBe(people.canonical('owner'))
})

it('reveals a missing object only to callers who may list', async () => {
  const [open, closed] = [await bucket('public-read'), await bucket()]
  const status = async (Bucket: string, path = '/missing') =>
    (await fetch(`${people.bench.endpoint}/${Bucket}${path}`)).status
  expect([await status(open), await status(closed)]).toEqual([404, 403])
  expect([await status(open, '/missing?acl'), await status(closed, '/missing?acl')]).toEqual([404, 403])
  await setPolicy(closed, {
    Action: 's3:ListBucket',
    Condition: { StringLike: { 's3:prefix': 'mis*' } },
  })
  expect([await status(closed), await status(closed, '/other')]).toEqual([404, 403])
  await setPolicy(open, { Effect: 'Deny', Action: 's3:GetObject' })
  expect(await status(open)).toBe(403)
})

it('refuses calls if the bucket does not have the owner that the caller expects', async () => {
  const Bucket = await bucket('public-read-write')
  const { other, writer, owner } = people.clients
  const to = (ExpectedBucketOwner: string, ExpectedSourceBucketOwner?: string) => ({
    ...{ Bucket, Key: 'key', ExpectedBucketOwner, ExpectedSourceBucketOwner },
  })
  const put = (of: string) => refused(other.send(new PutObjectCommand({ ...to(of), Body: 'x', ACL: 'public-read' })))
  const copy = (of: string, from: string) =>
    refused(writer.send(new CopyObjectCommand({ ...to(of, from), Key: 'copy', CopySource: `${Bucket}/key` })))
  const [done, denied] = ['nothing went wrong', 'AccessDenied']
  expect(await put(people.ids.writer)).toBe(denied)
  expect((await owner.send(new ListObjectsCommand({ Bucket }))).Contents).toBeUndefined()
  expect([await put(people.ids.owner), await put(people.canonical('owner'))]).toEqual([done, done])
  expect(await copy(people.ids.owner, people.ids.writer)).toBe(denied)
  expect(await copy(people.ids.writer, people.ids.owner)).toBe(denied)
  expect(await copy(people.ids.owner, people.ids.owner)).toBe(done)
  expect(await refused(owner.send(new ListObjectsCommand(to(`${people.ids.owner}0`))))).toBe(denied)
})
