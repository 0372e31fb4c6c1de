import { expect, it } from 'vitest'
import { policyFault } from './check'
import { fieldsOf, lockOutOf, statementOf, templates, withStatements, type FormStatement } from './form-statements'
import { publicAccess, statementsOf, summaryOf } from './summary'

const policy = (...statements: object[]) => JSON.stringify({ Version: '2012-10-17', Statement: statements })
const statement = (part: Record<string, unknown>) => policy({ Effect: 'Allow', Resource: '*', ...part })
const of = (name: keyof typeof templates, more: Partial<FormStatement> = {}) =>
  policy(statementOf({ ...templates[name], ...more }, 'media'))
const arn = 'arn:aws:iam:::user/a'

it('reports the line number of a syntax error', () => {
  expect(policyFault('{\n  "Version": "2012-10-17",\n  "Statement": [,]\n}')).toMatchObject({
    reason: 'syntax',
    line: 3,
  })
  expect(policyFault('{\n  "Version"')).toMatchObject({ reason: 'syntax', line: 2 })
})

it('rejects a policy that is not an object or is too long', () => {
  expect([policyFault(' '), policyFault('[]'), policyFault('{}')]).toEqual([
    { reason: 'empty' },
    { reason: 'noObject' },
    null,
  ])
  expect(policyFault(JSON.stringify({ a: 'x'.repeat(20 * 1024) }))).toEqual({ reason: 'tooLong', most: 20 * 1024 })
})

it('detects public access', () => {
  expect(publicAccess(of('public'))).toEqual({ isReadable: true, isWritable: false, isConditional: false })
  expect(publicAccess(of('person', { who: arn }))).toMatchObject({ isReadable: false, isWritable: false })
  expect(publicAccess(statement({ Principal: { AWS: ['*'] }, Action: 's3:*' }))).toMatchObject({ isWritable: true })
  expect(publicAccess(statement({ Principal: '*', Action: 's3:Get*', Effect: 'Deny' })).isReadable).toBe(false)
  expect(summaryOf(of('addresses'))).toBe('policy.conditional')
  // matching a pattern with many wildcards is fast
  expect(publicAccess(statement({ Principal: '*', Action: `s3:${'*'.repeat(100)}x` })).isReadable).toBe(false)
  expect([summaryOf('{'), summaryOf(of('box'))]).toEqual(['policy.closed', 'policy.publicWrite'])
})

it('writes the templates in S3 syntax', () => {
  expect(statementOf(templates.public, 'media')).toEqual({
    ...{ Sid: 'PublicRead', Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: 'arn:aws:s3:::media/*' },
  })
  expect(statementOf({ ...templates.person, who: arn, prefix: 'a/' }, 'media')).toMatchObject({
    ...{ Principal: { AWS: arn }, Action: ['s3:GetObject', 's3:PutObject', 's3:DeleteObject'] },
    Resource: 'arn:aws:s3:::media/a/*',
  })
  expect(statementOf(templates.box, 'media')).toMatchObject({
    ...{ Action: 's3:PutObject', Resource: 'arn:aws:s3:::media/incoming/*' },
  })
  expect(
    statementOf({ ...templates.addresses, may: 'list', prefix: 'a/', addresses: '192.0.2.1, 2001:db8::/32' }, 'media'),
  ).toMatchObject({
    ...{ Action: 's3:ListBucket', Resource: 'arn:aws:s3:::media' },
    Condition: { IpAddress: { 'aws:SourceIp': ['192.0.2.1', '2001:db8::/32'] }, StringLike: { 's3:prefix': 'a/*' } },
  })
})

it('reads back every statement that it can write, and rejects those that it cannot represent', () => {
  const mays = ['read', 'list', 'write', 'change', 'full'] as const
  for (const may of mays)
    for (const prefix of may === 'full' ? [''] : ['', 'a/b'])
      for (const addresses of ['', '192.0.2.0/24, 198.51.100.1'])
        for (const who of ['*', arn]) {
          const fields: FormStatement = { sid: '', effect: 'Deny', who, may, prefix, addresses }
          expect(fieldsOf(statementOf(fields, 'media'), 'media')).toEqual(fields)
        }
  const plain = statementOf(templates.public, 'media')
  for (const more of [
    { Action: ['s3:GetObject', 's3:GetObjectTagging'] },
    { Resource: 'arn:aws:s3:::media/*.png' },
    { Resource: ['arn:aws:s3:::media/a/*', 'arn:aws:s3:::media/b/*'] },
    { Principal: { AWS: [arn, `${arn}b`] } },
    { Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
    { Condition: { IpAddress: { 'aws:SourceIp': '192.0.2.1', 'aws:VpcSourceIp': '192.0.2.1' } } },
    { NotPrincipal: { AWS: arn }, Principal: undefined },
  ])
    expect(fieldsOf({ ...plain, ...more }, 'media')).toBeNull()
  // a single value and a one-item list are equivalent
  expect(fieldsOf({ ...plain, Principal: { AWS: ['*'] }, Action: ['s3:GetObject'] }, 'media')).toEqual(templates.public)
})

it('keeps a policy’s other elements', () => {
  const before = JSON.stringify({ Version: '2008-10-17', Id: 'mine', Statement: [] })
  const next = withStatements(before, [statementOf(templates.public, 'media')])
  expect(JSON.parse(next)).toMatchObject({ Version: '2008-10-17', Id: 'mine' })
  expect(statementsOf(next)).toHaveLength(1)
  expect(JSON.parse(withStatements('', []))).toEqual({ Version: '2012-10-17', Statement: [] })
})

it('detects when a policy locks out the bucket owner', () => {
  const deny = (part: object) => policy({ Effect: 'Deny', Action: 's3:*', Resource: 'arn:aws:s3:::media/*', ...part })
  const condition = { NotIpAddress: { 'aws:SourceIp': '192.0.2.0/24' } }
  expect([
    lockOutOf(of('public'), arn),
    lockOutOf(deny({ Principal: { AWS: `${arn}b` } }), arn),
    lockOutOf(deny({ Principal: '*', Action: 's3:PutBucketPolicy' }), arn),
    lockOutOf(deny({ NotPrincipal: { AWS: [arn] } }), arn),
    lockOutOf(deny({ Principal: '*', NotAction: 's3:*' }), arn),
  ]).toEqual(Array(5).fill('never'))
  expect([
    lockOutOf(deny({ Principal: '*' }), arn),
    lockOutOf(deny({ Principal: { AWS: ['x', arn] }, Action: ['s3:Get*'] }), arn),
    lockOutOf(deny({ NotPrincipal: { AWS: `${arn}b` } }), arn),
  ]).toEqual(Array(3).fill('always'))
  expect(lockOutOf(deny({ Principal: '*', Condition: condition }), arn)).toBe('sometimes')
})
