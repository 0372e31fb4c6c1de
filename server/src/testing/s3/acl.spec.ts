import { once } from 'node:events'
import http from 'node:http'
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetBucketAclCommand,
  GetObjectAclCommand,
  GetObjectCommand,
  ListObjectsCommand,
  PutBucketAclCommand,
  PutObjectAclCommand,
  PutObjectCommand,
  type BucketCannedACL,
  type Grant,
  type ObjectCannedACL,
  type Permission,
} from '@aws-sdk/client-s3'
import { users } from '@mainstay/contract/identity/users'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { may } from './attempts'
import { refused, startPeople, type Person, type S3People } from './people'

/* Access lists: canned ACLs, headers and documents, and the access that each of them grants. */

let people: S3People
beforeAll(async () => void (people = await startPeople()))
afterAll(() => people.bench.close())

let count = 0
/** Creates a bucket that belongs to the owner. */
async function bucket(more: { ACL?: BucketCannedACL; [field: string]: unknown } = {}): Promise<string> {
  const Bucket = `acl-${++count}`
  await people.clients.owner.send(new CreateBucketCommand({ Bucket, ...more }))
  return Bucket
}

it.each<[acl: BucketCannedACL, owner: string, other: string, anonymous: string]>([
  ['private', 'lwgp', '----', '----'],
  ['public-read', 'lwgp', 'l---', 'l---'],
  ['public-read-write', 'lwgp', 'lw--', 'lw--'],
  ['authenticated-read', 'lwgp', 'l---', '----'],
])('bucket ACL %s: the owner may %s, others %s, anonymous callers %s', async (acl, ...expected) => {
  const [created, changed] = [await bucket({ ACL: acl }), await bucket()]
  await people.clients.owner.send(new PutBucketAclCommand({ Bucket: changed, ACL: acl }))
  for (const Bucket of [created, changed]) {
    const found = []
    for (const who of ['owner', 'other', 'anonymous'] as const) found.push(await may(people, who, 'lwgp', Bucket, acl))
    expect(found).toEqual(expected)
  }
})

it.each<[acl: ObjectCannedACL, writer: string, owner: string, other: string, anonymous: string]>([
  ['private', 'RHGP', '----', '----', '----'],
  ['public-read', 'RHGP', 'RH--', 'RH--', 'RH--'],
  ['public-read-write', 'RHGP', 'RH--', 'RH--', 'RH--'],
  ['authenticated-read', 'RHGP', 'RH--', 'RH--', '----'],
  ['bucket-owner-read', 'RHGP', 'RH--', '----', '----'],
  ['bucket-owner-full-control', 'RHGP', 'RHGP', '----', '----'],
])(
  'object ACL %s: the writer may %s, the bucket owner %s, others %s, anonymous callers %s',
  async (acl, ...expected) => {
    const Bucket = await bucket({ ACL: 'public-read-write' })
    await people.clients.writer.send(new PutObjectCommand({ Bucket, Key: 'key', Body: 'x', ACL: acl }))
    for (const way of ['written so', 'changed later']) {
      const found = []
      for (const who of ['writer', 'owner', 'other', 'anonymous'] as const)
        found.push(await may(people, who, 'RHGP', Bucket, acl))
      expect([way, ...found]).toEqual([way, ...expected])
      await people.clients.writer.send(new PutObjectCommand({ Bucket, Key: 'key', Body: 'x' }))
      await people.clients.writer.send(new PutObjectAclCommand({ Bucket, Key: 'key', ACL: acl }))
    }
    // the bucket owner can delete any object, whatever its access list
    await people.clients.owner.send(new DeleteObjectCommand({ Bucket, Key: 'key' }))
    expect((await people.clients.owner.send(new ListObjectsCommand({ Bucket }))).Contents).toBeUndefined()
  },
)

it.each<[Permission, bucket: string, object: string]>([
  ['READ', 'l---', 'R--'],
  ['WRITE', '-w--', '---'],
  ['READ_ACP', '--g-', '-G-'],
  ['WRITE_ACP', '---p', '--P'],
  ['FULL_CONTROL', 'lwgp', 'RGP'],
])('a grant of %s on a bucket allows exactly %s, and on an object %s', async (permission, ...expected) => {
  const field = `Grant${permission
    .split('_')
    .map((word) => word[0] + word.slice(1).toLowerCase())
    .join('')
    .replace('Acp', 'ACP')}`
  const granted = { [field]: `id="${people.canonical('other')}"` }
  const document = (who: 'owner') => ({
    Owner: { ID: people.canonical(who) },
    Grants: [{ Grantee: { Type: 'CanonicalUser' as const, ID: people.canonical('other') }, Permission: permission }],
  })
  for (const way of ['headers', 'document']) {
    const Bucket = await bucket()
    const key = { Bucket, Key: 'key' }
    await people.clients.owner.send(new PutObjectCommand({ ...key, Body: 'x', ...(way === 'headers' && granted) }))
    if (way === 'headers') await people.clients.owner.send(new PutBucketAclCommand({ Bucket, ...granted }))
    else {
      const AccessControlPolicy = document('owner')
      await people.clients.owner.send(new PutObjectAclCommand({ ...key, AccessControlPolicy }))
      await people.clients.owner.send(new PutBucketAclCommand({ Bucket, AccessControlPolicy }))
    }
    expect(await may(people, 'writer', 'RGPlwgp', Bucket, 'private')).toBe('-------')
    // check the right to write the access list last, because a write replaces the grants
    expect([way, await may(people, 'other', 'RGP', Bucket, 'private')]).toEqual([way, expected[1]])
    expect([way, await may(people, 'other', 'lwgp', Bucket, 'private')]).toEqual([way, expected[0]])
  }
  expect(await may(people, 'other', 'lwgp', await bucket(granted), 'private')).toBe(expected[0])
})

const person = (who: Person, permission: Permission): Grant => ({
  Grantee: { Type: 'CanonicalUser', ID: people.canonical(who), DisplayName: people.ids[who] },
  Permission: permission,
})
const group = (name: string, permission: Permission): Grant => ({
  Grantee: { Type: 'Group', URI: `http://acs.amazonaws.com/groups/global/${name}` },
  Permission: permission,
})

it('returns the owner and the grants as set, with groups first', async () => {
  const Bucket = await bucket({ ACL: 'public-read-write' })
  const told = async (who: Person, Key?: string) => {
    const { Owner, Grants } = await people.clients[who].send(
      Key === undefined ? new GetBucketAclCommand({ Bucket }) : (new GetObjectAclCommand({ Bucket, Key }) as never),
    )
    return [Owner?.ID, Grants ?? []]
  }
  expect(await told('owner')).toEqual([
    people.canonical('owner'),
    [group('AllUsers', 'READ'), group('AllUsers', 'WRITE'), person('owner', 'FULL_CONTROL')],
  ])
  await people.clients.writer.send(new PutObjectCommand({ Bucket, Key: 'key', Body: 'x', ACL: 'bucket-owner-read' }))
  expect(await told('writer', 'key')).toEqual([
    people.canonical('writer'),
    [person('writer', 'FULL_CONTROL'), person('owner', 'READ')],
  ])
  const Grants = [person('other', 'READ'), person('other', 'READ'), group('AuthenticatedUsers', 'READ_ACP')]
  const policy = (who: Person, given: Grant[]) => ({ Owner: { ID: people.canonical(who) }, Grants: given })
  await people.clients.writer.send(
    new PutObjectAclCommand({ Bucket, Key: 'key', AccessControlPolicy: policy('writer', Grants) }),
  )
  const [READ_ACP, READ] = [group('AuthenticatedUsers', 'READ_ACP'), person('other', 'READ')]
  expect(await told('other', 'key')).toEqual([people.canonical('writer'), [READ_ACP, READ]])
  // an owner without grants can only restore the access list
  await people.clients.owner.send(new PutBucketAclCommand({ Bucket, AccessControlPolicy: policy('owner', []) }))
  expect(await told('owner')).toEqual([people.canonical('owner'), []])
  expect(await may(people, 'owner', 'lwgp', Bucket, 'private')).toBe('--gp')
  expect(await may(people, 'owner', 'lwgp', Bucket, 'private')).toBe('lwgp')
})

it('refuses unknown grantees, invalid grants and a change of owner', async () => {
  const Bucket = await bucket()
  const key = { Bucket, Key: 'key' }
  await people.clients.owner.send(new PutObjectCommand({ ...key, Body: 'x' }))
  const list = (who: Person, Grants: Grant[]) => ({ Owner: { ID: people.canonical(who) }, Grants })
  const set = (grants: Grant[]) =>
    refused(people.clients.owner.send(new PutBucketAclCommand({ Bucket, AccessControlPolicy: list('owner', grants) })))
  const to = (Grantee: Grant['Grantee']): Grant[] => [{ Grantee, Permission: 'READ' }]
  expect(await set(to({ Type: 'CanonicalUser', ID: '0'.repeat(64) }))).toBe('InvalidArgument')
  expect(await set(to({ Type: 'CanonicalUser', ID: people.ids.other }))).toBe('InvalidArgument')
  expect(await set(to({ Type: 'Group', URI: 'http://acs.amazonaws.com/groups/global/Friends' }))).toBe(
    'InvalidArgument',
  )
  expect(await set(to({ Type: 'Group', URI: 'http://acs.amazonaws.com/groups/s3/LogDelivery' }))).toBe('NotImplemented')
  expect(await set([{ Permission: 'READ' }])).toBe('MalformedACLError')
  expect(await set([{ ...person('other', 'READ'), Permission: 'OWN' as Permission }])).toBe('MalformedACLError')
  expect(await set(Array.from({ length: 101 }, () => person('other', 'READ')))).toBe('MalformedACLError')
  const given = { AccessControlPolicy: list('other', [person('other', 'FULL_CONTROL')]) }
  expect(await refused(people.clients.owner.send(new PutBucketAclCommand({ Bucket, ...given })))).toBe('AccessDenied')
  expect(await refused(people.clients.owner.send(new PutObjectAclCommand({ ...key, ...given })))).toBe('AccessDenied')

  const put = (more: object) => refused(people.clients.owner.send(new PutObjectCommand({ ...key, Body: 'y', ...more })))
  expect(await put({ ACL: 'log-delivery-write' })).toBe('NotImplemented')
  expect(await put({ ACL: 'everybody' })).toBe('InvalidArgument')
  expect(await put({ GrantRead: 'everybody' })).toBe('InvalidArgument')
  expect(await put({ GrantRead: `id="${people.canonical('other')}" and more` })).toBe('InvalidArgument')
  expect(await put({ ACL: 'private', GrantRead: `id=${people.canonical('other')}` })).toBe('InvalidRequest')
  const both = { ACL: 'private' as const, AccessControlPolicy: list('owner', []) }
  expect(await refused(people.clients.owner.send(new PutBucketAclCommand({ Bucket, ...both })))).toBe(
    'UnexpectedContent',
  )
  expect(await refused(people.clients.owner.send(new PutBucketAclCommand({ Bucket })))).toBe('MissingSecurityHeader')
  // none of the refused calls had an effect
  const { Body } = await people.clients.owner.send(new GetObjectCommand(key))
  expect(await Body!.transformToString()).toBe('x')
  expect((await people.clients.owner.send(new GetBucketAclCommand({ Bucket }))).Grants).toEqual([
    person('owner', 'FULL_CONTROL'),
  ])
})

it('finds a grantee in the caller’s domain by an email that only one user has', async () => {
  const Bucket = await bucket()
  const give = (who: Person, persona: 'project-admin' | 'other-member' | 'project-member', email: string) =>
    people.bench.server.call(users.update, {
      as: 'superuser',
      params: { domain_id: people.bench.server.cast.people[persona].domain.id, id: people.ids[who] },
      body: { email },
    })
  const grant = (GrantRead: string) =>
    refused(people.clients.owner.send(new PutBucketAclCommand({ Bucket, GrantRead })))
  await give('writer', 'project-admin', 'writer@example.org')
  await give('other', 'other-member', 'other@example.org')
  expect(await grant('emailAddress="writer@example.org", uri="http://acs.amazonaws.com/groups/global/AllUsers"')).toBe(
    'nothing went wrong',
  )
  expect((await people.clients.owner.send(new GetBucketAclCommand({ Bucket }))).Grants).toEqual([
    group('AllUsers', 'READ'),
    person('writer', 'READ'),
  ])
  for (const unknown of ['nobody@example.org', 'other@example.org'])
    expect(await grant(`emailAddress="${unknown}"`)).toBe('UnresolvableGrantByEmailAddress')
  await give('owner', 'project-member', 'writer@example.org')
  expect(await grant('emailAddress="writer@example.org"')).toBe('AmbiguousGrantByEmailAddress')
})

it('does not recreate an existing bucket with another access list', async () => {
  const Bucket = await bucket({ ACL: 'public-read' })
  const again = (more: object) => refused(people.clients.owner.send(new CreateBucketCommand({ Bucket, ...more })))
  expect(await again({ ACL: 'public-read' })).toBe('BucketAlreadyOwnedByYou')
  expect(await again({})).toBe('BucketAlreadyExists')
  expect(await again({ ACL: 'authenticated-read' })).toBe('BucketAlreadyExists')
  expect((await people.clients.owner.send(new GetBucketAclCommand({ Bucket }))).Grants).toHaveLength(2)
})

it('does not set an access list on an object that is replaced while the request is being received', async () => {
  const Bucket = await bucket()
  const put = (more: object = {}) =>
    people.clients.owner.send(new PutObjectCommand({ Bucket, Key: 'key', Body: 'x', ...more }))
  await put({ GrantWriteACP: 'uri="http://acs.amazonaws.com/groups/global/AllUsers"' })
  const body = `<AccessControlPolicy><Owner><ID>${people.canonical('owner')}</ID></Owner><AccessControlList><Grant>
    <Grantee><URI>http://acs.amazonaws.com/groups/global/AllUsers</URI></Grantee><Permission>FULL_CONTROL</Permission>
    </Grant></AccessControlList></AccessControlPolicy>`
  const request = http.request(`${people.bench.endpoint}/${Bucket}/key?acl`, {
    method: 'PUT',
    headers: { expect: '100-continue', 'content-length': Buffer.byteLength(body) },
  })
  request.flushHeaders()
  // the server asks for the body once it has checked that the caller may set the access list
  await once(request, 'continue')
  await put()
  request.end(body)
  const [answer] = (await once(request, 'response')) as [http.IncomingMessage]
  answer.resume()
  expect(answer.statusCode).toBe(403)
  expect(await may(people, 'anonymous', 'RGP', Bucket, 'private')).toBe('---')
})
