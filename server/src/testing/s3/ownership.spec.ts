import {
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketOwnershipControlsCommand,
  GetBucketAclCommand,
  GetBucketOwnershipControlsCommand,
  GetObjectAclCommand,
  GetObjectCommand,
  ListObjectsCommand,
  ListPartsCommand,
  PutBucketAclCommand,
  PutBucketOwnershipControlsCommand,
  PutBucketPolicyCommand,
  PutObjectAclCommand,
  PutObjectCommand,
  type ObjectCannedACL,
  type ObjectOwnership,
  type S3Client,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { policyOf, refused, startPeople, type S3People } from './people'

/* Ownership of objects that other users write into a bucket, and buckets without access lists. */

let people: S3People
let owner: S3Client
let writer: S3Client
const ids = { owner: '', writer: '' }
beforeAll(async () => {
  people = await startPeople()
  ;({ owner, other: writer } = people.clients)
  Object.assign(ids, { owner: people.canonical('owner'), writer: people.canonical('other') })
})
afterAll(() => people.bench.close())

const rule = (ownership: ObjectOwnership) => ({ Rules: [{ ObjectOwnership: ownership }] })
const setOwnership = (Bucket: string, ownership: ObjectOwnership) =>
  owner.send(new PutBucketOwnershipControlsCommand({ Bucket, OwnershipControls: rule(ownership) }))
const ownership = async (Bucket: string) =>
  (await owner.send(new GetBucketOwnershipControlsCommand({ Bucket }))).OwnershipControls
/** Sets a policy that allows everyone to do everything. */
const open = (Bucket: string) =>
  owner.send(new PutBucketPolicyCommand({ Bucket, Policy: policyOf(Bucket, { Action: '*' }) }))
const ownerOf = async (Bucket: string, Key: string) =>
  (await writer.send(new GetObjectAclCommand({ Bucket, Key }))).Owner!.ID

it('keeps a bucket’s ownership setting until it is removed', async () => {
  const Bucket = 'kept'
  await owner.send(new CreateBucketCommand({ Bucket, ObjectOwnership: 'BucketOwnerPreferred' }))
  expect(await ownership(Bucket)).toEqual(rule('BucketOwnerPreferred'))
  await setOwnership(Bucket, 'ObjectWriter')
  expect(await ownership(Bucket)).toEqual(rule('ObjectWriter'))
  expect(await refused(setOwnership(Bucket, 'Nobody' as ObjectOwnership))).toBe('MalformedXML')
  for (const command of [
    new GetBucketOwnershipControlsCommand({ Bucket }),
    new DeleteBucketOwnershipControlsCommand({ Bucket }),
    new PutBucketOwnershipControlsCommand({ Bucket, OwnershipControls: rule('BucketOwnerEnforced') }),
  ])
    expect(await refused(writer.send(command as GetBucketOwnershipControlsCommand))).toBe('AccessDenied')
  await owner.send(new DeleteBucketOwnershipControlsCommand({ Bucket }))
  expect(await refused(ownership(Bucket))).toBe('OwnershipControlsNotFoundError')
  const wrong = { Bucket: 'wrong', ObjectOwnership: 'Nobody' as ObjectOwnership }
  expect(await refused(owner.send(new CreateBucketCommand(wrong)))).toBe('InvalidArgument')
})

type Owner = 'owner' | 'writer' | 'refused'
it.each<[ObjectOwnership | undefined, without: Owner, fullControl: Owner, privately: Owner]>([
  ['BucketOwnerEnforced', 'owner', 'owner', 'refused'],
  ['BucketOwnerPreferred', 'writer', 'owner', 'writer'],
  ['ObjectWriter', 'writer', 'writer', 'writer'],
  [undefined, 'writer', 'writer', 'writer'],
])(
  'with ObjectOwnership %s, objects belong to: %s by default, %s with bucket-owner-full-control, %s with a private ACL',
  async (kind, ...expected) => {
    const Bucket = `owned-${kind?.toLowerCase() ?? 'by-default'}`
    await owner.send(new CreateBucketCommand({ Bucket }))
    if (kind) await setOwnership(Bucket, kind)
    await open(Bucket)
    const found: Record<string, Owner[]> = { put: [], copy: [], upload: [] }
    for (const ACL of [undefined, 'bucket-owner-full-control', 'private'] as (ObjectCannedACL | undefined)[]) {
      const at = { Bucket, Key: `${ACL}`, ACL }
      const name = async (call: Promise<unknown>, told: () => Promise<string | undefined>): Promise<Owner> => {
        const fault = await refused(call)
        if (fault === 'AccessControlListNotSupported') return 'refused'
        expect(fault).toBe('nothing went wrong')
        return (await told()) === ids.owner ? 'owner' : 'writer'
      }
      const told = () => ownerOf(Bucket, at.Key)
      found['put']!.push(await name(writer.send(new PutObjectCommand({ ...at, Body: 'x' })), told))
      const CopySource = `${Bucket}/undefined`
      found['copy']!.push(
        await name(writer.send(new CopyObjectCommand({ ...at, CopySource, MetadataDirective: 'REPLACE' })), told),
      )
      let UploadId: string | undefined
      const begin = async () => ({ UploadId } = await writer.send(new CreateMultipartUploadCommand(at)))
      const ownerOfUpload = async () => (await writer.send(new ListPartsCommand({ ...at, UploadId }))).Owner!.ID
      found['upload']!.push(await name(begin(), ownerOfUpload))
    }
    expect(found).toEqual({ put: expected, copy: expected, upload: expected })
  },
)

it('BucketOwnerEnforced refuses access lists and gives all objects to the bucket owner', async () => {
  const Bucket = 'no-lists'
  const key = { Bucket, Key: 'key' }
  await owner.send(new CreateBucketCommand({ Bucket, ACL: 'public-read-write' }))
  await writer.send(new PutObjectCommand({ ...key, Body: 'x', ACL: 'public-read' }))
  expect(await refused(owner.send(new GetObjectAclCommand(key)))).toBe('AccessDenied')
  expect((await fetch(`${people.bench.endpoint}/${Bucket}/key`)).status).toBe(200)
  // public grants must be removed explicitly first
  expect(await refused(setOwnership(Bucket, 'BucketOwnerEnforced'))).toBe('InvalidBucketAclWithObjectOwnership')
  await owner.send(new PutBucketAclCommand({ Bucket, ACL: 'private' }))
  await setOwnership(Bucket, 'BucketOwnerEnforced')

  const onlyOwner = { Owner: { ID: ids.owner }, Grants: [{ Permission: 'FULL_CONTROL' }] }
  expect(await owner.send(new GetBucketAclCommand({ Bucket }))).toMatchObject(onlyOwner)
  expect(await owner.send(new GetObjectAclCommand(key))).toMatchObject(onlyOwner)
  const { Contents } = await owner.send(new ListObjectsCommand({ Bucket }))
  expect(Contents).toMatchObject([{ Owner: { ID: ids.owner } }])
  expect((await fetch(`${people.bench.endpoint}/${Bucket}/key`)).status).toBe(403)
  expect(await refused(writer.send(new GetObjectCommand(key)))).toBe('AccessDenied')

  const ACL = 'private' as const
  expect(await refused(owner.send(new PutBucketAclCommand({ Bucket, ACL })))).toBe('AccessControlListNotSupported')
  expect(await refused(owner.send(new PutObjectAclCommand({ ...key, ACL })))).toBe('AccessControlListNotSupported')
  const grant = { ...key, Body: 'x', GrantRead: `id=${ids.writer}` }
  expect(await refused(owner.send(new PutObjectCommand(grant)))).toBe('AccessControlListNotSupported')
  await owner.send(new PutObjectAclCommand({ ...key, ACL: 'bucket-owner-full-control' }))
  // the objects' access lists apply again
  await owner.send(new DeleteBucketOwnershipControlsCommand({ Bucket }))
  expect((await fetch(`${people.bench.endpoint}/${Bucket}/key`)).status).toBe(200)
})

it('refuses to create a bucket with both BucketOwnerEnforced and a public access list', async () => {
  const made = { Bucket: 'made', ObjectOwnership: 'BucketOwnerEnforced' as const }
  const create = (more: object) => refused(owner.send(new CreateBucketCommand({ ...made, ...more })))
  expect(await create({ ACL: 'public-read' })).toBe('InvalidBucketAclWithObjectOwnership')
  expect(await create({ GrantRead: `id=${ids.writer}` })).toBe('InvalidBucketAclWithObjectOwnership')
  expect(await create({ ACL: 'private' })).toBe('nothing went wrong')
})
