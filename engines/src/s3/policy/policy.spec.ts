import { expect, it } from 'vitest'
import type { S3Error } from '../errors'
import { consult, readNewPolicy, readPolicy } from './policy'

const bucket = 'shop'
const read = (statement: unknown) => readPolicy(JSON.stringify({ Version: '2012-10-17', Statement: statement }), bucket)
const everybody = {
  Effect: 'Allow',
  Principal: '*',
  Action: 's3:GetObject',
  Resource: `arn:aws:s3:::${bucket}/*`,
}
const ask = (
  statements: unknown,
  change: {
    userId?: string | null
    action?: string
    resource?: string
    context?: Record<string, string | string[]>
  } = {},
) => {
  const { userId = 'ann', action = 's3:GetObject', resource = `${bucket}/a.txt`, context = {} } = change
  const known = Object.entries(context).map(([name, value]) => [name, Array.isArray(value) ? value : [value]] as const)
  const said = consult(read(statements), { userId, action, resource, context: new Map(known) })
  const effects = said.map(({ effect }) => effect)
  return effects.includes('Deny') ? 'Deny' : (effects[0] ?? null)
}

it('allows only the named actions on the named resources for the named principals', () => {
  expect(ask([everybody])).toBe('Allow')
  expect(ask([everybody], { userId: null })).toBe('Allow')
  expect(ask([everybody], { action: 's3:PutObject' })).toBeNull()
  expect(ask([everybody], { action: 's3:getobject' })).toBe('Allow')
  // the bucket itself is not one of its objects
  expect(ask([everybody], { resource: bucket })).toBeNull()
  for (const AWS of ['arn:aws:iam:::user/ann', ['arn:aws:iam:::user/bo', 'arn:aws:iam::anything:user/ann'], '*'])
    expect([AWS, ask([{ ...everybody, Principal: { AWS } }])]).toEqual([AWS, 'Allow'])
  const bo = { ...everybody, Principal: { AWS: 'arn:aws:iam:::user/bo' } }
  expect(ask([bo])).toBeNull()
  expect(ask([bo], { userId: null })).toBeNull()
})

it('Deny overrides Allow, regardless of their order', () => {
  const deny = { ...everybody, Effect: 'Deny', Resource: `arn:aws:s3:::${bucket}/secret/*` }
  for (const statements of [
    [everybody, deny],
    [deny, everybody],
  ]) {
    expect(ask(statements, { resource: `${bucket}/secret/x` })).toBe('Deny')
    expect(ask(statements, { resource: `${bucket}/open/x` })).toBe('Allow')
  }
})

it('supports NotAction, NotResource and NotPrincipal', () => {
  const { Action: _, Resource: __, Principal: ___, ...bare } = everybody
  const all = { ...bare, Principal: '*', NotAction: 's3:Delete*', Resource: `arn:aws:s3:::${bucket}/*` }
  expect([ask([all]), ask([all], { action: 's3:DeleteObject' })]).toEqual(['Allow', null])
  const rest = { ...bare, Principal: '*', Action: 's3:*', NotResource: `arn:aws:s3:::${bucket}/secret/*` }
  expect([ask([rest]), ask([rest], { resource: `${bucket}/secret/x` })]).toEqual(['Allow', null])
  const others = {
    ...bare,
    Effect: 'Deny',
    NotPrincipal: { AWS: 'arn:aws:iam:::user/ann' },
    Action: 's3:*',
    Resource: `arn:aws:s3:::${bucket}/*`,
  }
  expect([ask([others]), ask([others], { userId: 'bo' }), ask([others], { userId: null })]).toEqual([
    null,
    'Deny',
    'Deny',
  ])
})

type Case = [
  operator: string,
  key: string,
  wanted: string | string[],
  meets: string | string[],
  fails: string | string[] | null,
  ifMissing: 'Allow' | null,
]
it.each<Case>([
  ['StringEquals', 's3:prefix', ['a/', 'b/'], 'b/', 'c/', null],
  ['StringNotEquals', 's3:prefix', ['a/', 'b/'], 'c/', 'b/', 'Allow'],
  ['StringEqualsIgnoreCase', 'aws:UserAgent', 'Rclone', 'rCLONE', 'curl', null],
  ['StringNotEqualsIgnoreCase', 'aws:UserAgent', 'Rclone', 'curl', 'RCLONE', 'Allow'],
  ['StringLike', 'aws:Referer', 'https://shop.example/*', 'https://shop.example/x', 'https://else.example/', null],
  [
    'StringNotLike',
    'aws:Referer',
    'https://shop.example/*',
    'https://else.example/',
    'https://shop.example/x',
    'Allow',
  ],
  ['StringEqualsIfExists', 's3:delimiter', '/', '/', '-', 'Allow'],
  ['ArnLike', 'aws:PrincipalArn', 'arn:aws:iam:::user/a*', 'arn:aws:iam:::user/ann', 'arn:aws:iam:::user/bo', null],
  [
    'ArnNotEquals',
    'aws:PrincipalArn',
    'arn:aws:iam:::user/ann',
    'arn:aws:iam:::user/bo',
    'arn:aws:iam:::user/ann',
    'Allow',
  ],
  ['NumericEquals', 's3:max-keys', '10', '10', '11', null],
  ['NumericNotEquals', 's3:max-keys', '10', '11', '10', 'Allow'],
  ['NumericLessThan', 's3:max-keys', '10', '9', '10', null],
  ['NumericLessThanEquals', 's3:max-keys', '10', '10', '11', null],
  ['NumericGreaterThan', 's3:max-keys', '10', '11', '10', null],
  ['NumericGreaterThanEquals', 's3:max-keys', '10', '10', '9', null],
  ['DateLessThan', 'aws:CurrentTime', '2030-01-01T00:00:00Z', '2029-12-31T23:59:59Z', '2030-01-01T00:00:00Z', null],
  [
    'DateGreaterThanEquals',
    'aws:CurrentTime',
    '2030-01-01T00:00:00Z',
    '2030-01-01T00:00:00Z',
    '2029-12-31T23:59:59Z',
    null,
  ],
  // existing policies may contain times without a time zone, which are interpreted as UTC
  ['DateLessThan', 'aws:CurrentTime', '2030-01-01T00:00:00', '2029-12-31T23:59:59Z', '2030-01-01T00:00:00Z', null],
  ['DateLessThan', 'aws:CurrentTime', 'Jan 1 2030', '2029-12-31T23:59:59Z', '2030-01-01T00:00:00Z', null],
  ['DateLessThan', 'aws:CurrentTime', 'Tue, 01 Jan 2030 02:00:00 +0200', '2029-12-31T23:59:59Z', null, null],
  ['Bool', 'aws:SecureTransport', 'true', 'true', 'false', null],
  ['IpAddress', 'aws:SourceIp', ['192.0.2.0/24', '2001:db8::/32'], '::ffff:192.0.2.7', '198.51.100.1', null],
  ['IpAddress', 'aws:SourceIp', '2001:db8::/32', '2001:db8::1', '192.0.2.1', null],
  ['NotIpAddress', 'aws:SourceIp', '192.0.2.0/24', '198.51.100.1', '192.0.2.7', 'Allow'],
  ['ForAnyValue:StringEquals', 's3:prefix', ['a/', 'b/'], ['x/', 'b/'], 'x/', null],
  ['ForAllValues:StringEquals', 's3:prefix', ['a/', 'b/'], ['a/', 'b/'], 'x/', 'Allow'],
  ['ForAnyValue:StringNotEquals', 's3:RequestObjectTagKeys', ['a', 'b'], ['a', 'c'], ['a', 'b'], null],
  ['ForAllValues:StringNotEquals', 's3:RequestObjectTagKeys', ['a', 'b'], ['c', 'd'], ['a', 'c'], 'Allow'],
  ['ForAnyValue:StringNotEqualsIfExists', 's3:RequestObjectTagKeys', 'a', ['a', 'c'], 'a', 'Allow'],
])('evaluates %s for %s', (operator, key, wanted, meets, fails, ifMissing) => {
  const statement = [{ ...everybody, Condition: { [operator]: { [key]: wanted } } }]
  const lower = key.toLowerCase()
  expect(ask(statement, { context: { [lower]: meets } })).toBe('Allow')
  if (fails !== null) expect(ask(statement, { context: { [lower]: fails } })).toBeNull()
  expect(ask(statement)).toBe(ifMissing)
})

it('requires all conditions to hold, and supports Null as a test for a missing key', () => {
  const both = [
    { ...everybody, Condition: { StringEquals: { 's3:prefix': 'a/' }, Bool: { 'aws:SecureTransport': 'true' } } },
  ]
  const context = { 's3:prefix': 'a/', 'aws:securetransport': 'true' }
  expect(ask(both, { context })).toBe('Allow')
  expect(ask(both, { context: { ...context, 'aws:securetransport': 'false' } })).toBeNull()
  const missing = [{ ...everybody, Condition: { Null: { 'aws:Referer': 'true' } } }]
  expect([ask(missing), ask(missing, { context: { 'aws:referer': 'x' } })]).toEqual(['Allow', null])
})

it.each<[string, unknown]>([
  ['no statements', []],
  ['an unknown effect', [{ ...everybody, Effect: 'Maybe' }]],
  ['no principal', [{ ...everybody, Principal: undefined }]],
  ['an unknown principal', [{ ...everybody, Principal: { AWS: 'ann' } }]],
  ['an unsupported principal type', [{ ...everybody, Principal: { Service: 'x' } }]],
  ['both Action and NotAction', [{ ...everybody, NotAction: 's3:PutObject' }]],
  ['an action for another service', [{ ...everybody, Action: 'ec2:RunInstances' }]],
  ['a resource in another bucket', [{ ...everybody, Resource: 'arn:aws:s3:::shopping/*' }]],
  ['a resource that is not an ARN', [{ ...everybody, Resource: '*' }]],
  ['NotPrincipal with Allow', [{ ...everybody, Principal: undefined, NotPrincipal: '*' }]],
  ['an unknown field', [{ ...everybody, Because: 'x' }]],
  ['an unknown operator', [{ ...everybody, Condition: { SoundsLike: { 's3:prefix': 'a' } } }]],
  ['an unknown key', [{ ...everybody, Condition: { StringEquals: { 's3:mood': 'a' } } }]],
  ['an invalid range', [{ ...everybody, Condition: { IpAddress: { 'aws:SourceIp': '192.0.2.0/33' } } }]],
  ['an invalid number', [{ ...everybody, Condition: { NumericEquals: { 's3:max-keys': 'many' } } }]],
])('rejects a policy with %s and gives the reason', (_, statements) => {
  let fault: S3Error | null = null
  try {
    read(statements)
  } catch (error) {
    fault = error as S3Error
  }
  expect(fault?.code).toBe('MalformedPolicy')
  expect(fault!.message.length).toBeGreaterThan(15)
})

it('rejects unknown actions in a new policy and ignores them in an existing one', () => {
  const keep = (change: object) => readNewPolicy(JSON.stringify({ Statement: [{ ...everybody, ...change }] }), bucket)
  const refusal = (change: object) => {
    try {
      keep(change)
    } catch (error) {
      return `${(error as S3Error).code}: ${(error as S3Error).message}`
    }
    return null
  }
  expect(refusal({ Action: ['s3:GetObject', 's3:GetObjekt', 's3:HeadObject'] })).toBe(
    'MalformedPolicy: Policy has invalid action: s3:GetObjekt, s3:HeadObject',
  )
  // an ineffective Deny would give a false sense of security
  expect(refusal({ Effect: 'Deny', Action: 's3:Remove*' })).toBe(
    'MalformedPolicy: Policy has invalid action: s3:Remove*',
  )
  expect(refusal({ Action: undefined, NotAction: 's3:Frobnicate' })).toContain('s3:Frobnicate')
  for (const Action of ['*', 's3:*', 's3:Get*', 's3:getobject', 's3:*Acl', 's3:Get?bject', 's3:RestoreObject'])
    expect([Action, refusal({ Action })]).toEqual([Action, null])
  expect(ask([{ ...everybody, Action: 's3:GetObjekt' }, everybody])).toBe('Allow')
})
