import fc from 'fast-check'
import { expect, it } from 'vitest'
import { canonicalIdOf } from '../accounts'
import { permissions, type Acl } from './acl'
import type { Context } from './conditions'
import { decideAccess, type BucketAccess, type Decision, type ObjectAccess } from './decide'
import { readPolicy } from './policy'

/* Access decisions and their reasons. */

const BUCKET = 'shop'
const OWNER = 'owner'
const off = { blockPublicAcls: false, ignorePublicAcls: false, blockPublicPolicy: false, restrictPublicBuckets: false }
const policyOf = (statements: readonly object[]) =>
  statements.length === 0 ? null : readPolicy(JSON.stringify({ Statement: statements }), BUCKET)
const all = [`arn:aws:s3:::${BUCKET}`, `arn:aws:s3:::${BUCKET}/*`]
const bucketWith = (change: Partial<BucketAccess> & { statements?: readonly object[] } = {}): BucketAccess => {
  const { statements = [], ...rest } = change
  return {
    ...{ name: BUCKET, owner: OWNER, policy: policyOf(statements), block: off, ownership: 'ObjectWriter' },
    acl: [{ to: { user: OWNER }, permission: 'FULL_CONTROL' }],
    ...rest,
  }
}
const nothing: Context = new Map()
const ask = (
  bucket: BucketAccess,
  action: string,
  more: { userId?: string | null; object?: ObjectAccess | null; context?: Context; isPartial?: boolean } = {},
): Decision => {
  const { userId = 'ann', object = null, context = nothing, isPartial = false } = more
  const key = /Object|Upload/.test(action) && !action.startsWith('s3:List') ? 'a.txt' : null
  return decideAccess(bucket, object, { userId, key, context, isPartial }, [action])[0]!
}

it('reports the statement, grant or ownership that a decision is based on', () => {
  const open = { Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: all }
  const closed = { Sid: 'nobody', Effect: 'Deny', Principal: '*', Action: 's3:*', Resource: all }
  const grant = { to: { group: 'AllUsers' }, permission: 'READ' } as const
  expect(ask(bucketWith({ statements: [open] }), 's3:GetObject')).toEqual({
    ...{ action: 's3:GetObject', verdict: 'yes' },
    by: { policy: { effect: 'Allow', statement: 1, sid: null, provided: [] } },
  })
  expect(ask(bucketWith({ statements: [open, closed], acl: [grant] }), 's3:ListBucket')).toEqual({
    ...{ action: 's3:ListBucket', verdict: 'no' },
    by: { policy: { effect: 'Deny', statement: 2, sid: 'nobody', provided: [] } },
  })
  expect(ask(bucketWith({ acl: [grant] }), 's3:ListBucket').by).toEqual({ grant, of: 'bucket' })
  expect(ask(bucketWith(), 's3:ListBucket')).toEqual({ action: 's3:ListBucket', verdict: 'no', by: null })
  expect(ask(bucketWith({ acl: [] }), 's3:PutBucketAcl', { userId: OWNER }).by).toEqual({ ownerOf: 'bucket' })
  expect(ask(bucketWith(), 's3:PutBucketTagging', { userId: OWNER }).by).toEqual({ ownerOf: 'bucket' })
  const upload = { owner: 'ann', acl: [], initiator: 'ann' }
  expect(ask(bucketWith(), 's3:AbortMultipartUpload', { object: upload }).by).toEqual({ begun: true })
  expect(ask(bucketWith(), 's3:AbortMultipartUpload', { object: upload, userId: null }).verdict).toBe('no')
  // the owner can always change the policy, even if it denies everything
  expect(ask(bucketWith({ statements: [closed] }), 's3:PutBucketPolicy', { userId: OWNER }).verdict).toBe('yes')
  expect(ask(bucketWith({ statements: [closed] }), 's3:PutBucketAcl', { userId: OWNER }).verdict).toBe('no')
})

it.each<[principal: object | string, ann: boolean, bo: boolean, anonymous: boolean]>([
  ['*', true, true, true],
  [{ AWS: '*' }, true, true, true],
  [{ AWS: 'arn:aws:iam:::user/ann' }, true, false, false],
  [{ AWS: ['arn:aws:iam::ann:root', 'arn:aws:iam::tenant:root'] }, true, false, false],
  [{ AWS: 'arn:aws:iam::tenant:root' }, false, false, false],
  [{ CanonicalUser: canonicalIdOf('ann') }, true, false, false],
  [{ CanonicalUser: 'ann', AWS: ['arn:aws:iam:::user/bo'] }, false, true, false],
])('the principal %o matches only the users it names', (Principal, ...expected) => {
  const bucket = bucketWith({ statements: [{ Effect: 'Allow', Principal, Action: '*', Resource: all }] })
  const found = ['ann', 'bo', null].map((userId) => ask(bucket, 's3:PutObject', { userId }).verdict === 'yes')
  expect(found).toEqual(expected)
})

it('accepts a bare account ID as the principal and a pattern as the bucket', () => {
  const id = '0198a6a0-3c2b-7d10-8a7e-0242ac120002'
  const bucket = bucketWith({
    statements: [{ Effect: 'Allow', Principal: { AWS: id }, Action: '*', Resource: ['arn:aws:s3:::sh*/*'] }],
  })
  expect(ask(bucket, 's3:PutObject', { userId: id }).verdict).toBe('yes')
  expect(ask(bucket, 's3:PutObject').verdict).toBe('no')
})

it('reports the conditions that a decision depends on if there is no request', () => {
  const near = { IpAddress: { 'aws:SourceIp': '192.0.2.0/24' } }
  const open = { Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: all, Condition: near }
  const bucket = bucketWith({ statements: [open] })
  const provided = [{ operator: 'IpAddress', key: 'aws:SourceIp', values: ['192.0.2.0/24'] }]
  const decision = ask(bucket, 's3:GetObject', { isPartial: true })
  expect(decision).toMatchObject({ verdict: 'depends', by: { policy: { statement: 1, provided } } })
  // values that are known, or known to be missing, are taken into account
  const away: Context = new Map([['aws:sourceip', ['198.51.100.1']]])
  expect(ask(bucket, 's3:GetObject', { isPartial: true, context: away }).verdict).toBe('no')
  expect(ask(bucket, 's3:GetObject', { isPartial: true, context: new Map([['aws:sourceip', []]]) }).verdict).toBe('no')
})

/* Decisions made without a request must agree with the decision for every possible request. */

const actions = [
  ...['s3:ListBucket', 's3:PutObject', 's3:DeleteObject', 's3:GetObject', 's3:GetObjectAcl', 's3:PutObjectAcl'],
  ...['s3:GetBucketAcl', 's3:PutBucketAcl', 's3:GetBucketPolicy', 's3:PutBucketTagging', 's3:AbortMultipartUpload'],
]
const somebody = fc.constantFrom(OWNER, 'ann', 'bo', null)
const conditions: readonly object[] = [
  {},
  { IpAddress: { 'aws:SourceIp': '192.0.2.0/24' } },
  { NotIpAddress: { 'aws:SourceIp': '192.0.2.0/24' } },
  { StringEquals: { 's3:prefix': 'a/' } },
  { StringNotEquals: { 's3:prefix': 'a/' }, Bool: { 'aws:SecureTransport': 'true' } },
  { Null: { 'aws:Referer': 'true' } },
  { StringEqualsIfExists: { 's3:ExistingObjectTag/stage': 'open' } },
]
const statement = fc.record({
  Effect: fc.constantFrom('Allow', 'Allow', 'Deny'),
  Principal: fc.constantFrom('*', { AWS: 'arn:aws:iam:::user/ann' }, { AWS: ['arn:aws:iam::bo:root'] }),
  Action: fc.constantFrom(['s3:*'], ['s3:GetObject', 's3:ListBucket'], ['s3:Put*'], ['s3:AbortMultipartUpload']),
  Resource: fc.constantFrom(all, [all[0]!], [`arn:aws:s3:::${BUCKET}/a*`]),
  Condition: fc.constantFrom(...conditions),
})
const user = fc.constantFrom(OWNER, 'ann', 'bo').map((name) => ({ user: name }))
const group = fc.constantFrom('AllUsers' as const, 'AuthenticatedUsers' as const).map((name) => ({ group: name }))
const acl: fc.Arbitrary<Acl> = fc.array(
  fc.record({ to: fc.oneof(user, group), permission: fc.constantFrom(...permissions) }),
  { maxLength: 3 },
)
const bucketArbitrary = fc
  .record({
    statements: fc.array(statement, { maxLength: 4 }),
    ...{ acl, ownership: fc.constantFrom('BucketOwnerEnforced' as const, 'ObjectWriter' as const) },
    block: fc.record({
      ...{ blockPublicAcls: fc.boolean(), ignorePublicAcls: fc.boolean() },
      ...{ blockPublicPolicy: fc.boolean(), restrictPublicBuckets: fc.boolean() },
    }),
  })
  .map((it) => ({ ...bucketWith(it), statements: it.statements }))
const objectArbitrary = fc.option(
  fc.record({ owner: fc.constantFrom(OWNER, 'ann'), acl, initiator: fc.constantFrom('ann', 'bo', null) }),
)
const contexts = fc
  .record({
    'aws:sourceip': fc.constantFrom(['192.0.2.7'], ['198.51.100.1'], []),
    's3:prefix': fc.constantFrom(['a/'], ['b/'], []),
    'aws:securetransport': fc.constantFrom(['true'], ['false']),
    'aws:referer': fc.constantFrom(['https://shop.example/'], []),
    's3:existingobjecttag/stage': fc.constantFrom(['open'], ['closed'], []),
  })
  .map((it) => new Map(Object.entries(it)))

it('a definite decision without a request holds for every request', () => {
  fc.assert(
    fc.property(
      fc.record({ bucket: bucketArbitrary, object: objectArbitrary, userId: somebody }),
      fc.constantFrom(...actions),
      fc.array(contexts, { minLength: 1, maxLength: 6 }),
      fc.subarray(['aws:sourceip', 's3:prefix', 'aws:referer']),
      ({ bucket, object, userId }, action, requests, toldOf) => {
        const about = { userId, object }
        const told = ask(bucket, action, { ...about, isPartial: true })
        for (const context of requests) {
          const { verdict } = ask(bucket, action, { ...about, context })
          expect(verdict).not.toBe('depends')
          if (told.verdict !== 'depends') expect(verdict).toBe(told.verdict)
          // a partial context can make a decision definite, but never changes a definite decision
          const part = new Map([...context].filter(([name]) => toldOf.includes(name)))
          const partly = ask(bucket, action, { ...about, context: part, isPartial: true })
          if (partly.verdict !== 'depends') expect(verdict).toBe(partly.verdict)
          if (told.verdict !== 'depends') expect(partly.verdict).toBe(told.verdict)
        }
      },
    ),
    { numRuns: 1500 },
  )
})

it('the reported reason alone leads to the same decision; without a reason, access is denied', () => {
  fc.assert(
    fc.property(bucketArbitrary, objectArbitrary, somebody, fc.constantFrom(...actions), contexts, (...given) => {
      const [bucket, object, userId, action, context] = given
      const { verdict, by } = ask(bucket, action, { userId, object, context })
      const alone = (statements: readonly object[], lists: Acl) => {
        const thing = object && { ...object, acl: lists, initiator: null }
        const changed = { ...bucket, policy: policyOf(statements), acl: lists }
        return ask(changed, action, { userId, object: thing, context }).verdict
      }
      if (by === null) {
        expect(verdict).toBe('no')
        return
      }
      if ('policy' in by) {
        const { effect, statement: place } = by.policy
        expect(verdict).toBe(effect === 'Allow' ? 'yes' : 'no')
        expect(alone([bucket.statements[place - 1]!], [])).toBe(verdict)
        return
      }
      expect(verdict).toBe('yes')
      if ('grant' in by) expect(alone([], [by.grant])).toBe('yes')
      if ('ownerOf' in by) expect([OWNER, object?.owner]).toContain(userId)
    }),
    { numRuns: 1500 },
  )
})
