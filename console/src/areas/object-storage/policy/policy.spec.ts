import { expect, it } from 'vitest'
import { policyFault, publicReadPolicy, sharedPolicy } from './check'
import { openTo, summaryOf } from './summary'

const statement = (part: Record<string, unknown>) =>
  JSON.stringify({ Version: '2012-10-17', Statement: [{ Effect: 'Allow', Resource: '*', ...part }] })

it('names the line of a fault of syntax', () => {
  expect(policyFault('{\n  "Version": "2012-10-17",\n  "Statement": [,]\n}')).toMatchObject({
    reason: 'syntax',
    line: 3,
  })
  expect(policyFault('{\n  "Version"')).toMatchObject({ reason: 'syntax', line: 2 })
})

it('refuses what is no policy, and what is too long', () => {
  expect([policyFault(' '), policyFault('[]'), policyFault('{}')]).toEqual([
    { reason: 'empty' },
    { reason: 'noObject' },
    null,
  ])
  expect(policyFault(JSON.stringify({ a: 'x'.repeat(20 * 1024) }))).toEqual({ reason: 'tooLong', most: 20 * 1024 })
})

it('knows whom a policy lets in without a name', () => {
  expect(openTo(publicReadPolicy('media'))).toEqual({ isReadable: true, isWritable: false, isConditional: false })
  expect(openTo(sharedPolicy('media', 'arn:aws:iam:::user/a'))).toMatchObject({ isReadable: false, isWritable: false })
  expect(openTo(statement({ Principal: { AWS: ['*'] }, Action: 's3:*' }))).toMatchObject({ isWritable: true })
  expect(openTo(statement({ Principal: '*', Action: 's3:Get*', Effect: 'Deny' })).isReadable).toBe(false)
  const limited = statement({ Principal: '*', Action: 's3:GetObject', Condition: { IpAddress: {} } })
  expect(summaryOf(limited)).toBe('policy.conditional')
  expect([summaryOf('{'), summaryOf(statement({ Principal: '*', Action: 's3:PutObject' }))]).toEqual([
    'policy.closed',
    'policy.publicWrite',
  ])
})
