import { expect, it } from 'vitest'
import type { S3Error } from '../errors'
import { readFormPolicy } from '../http/form/form-policy'
import { readNewPolicy, readPolicy } from './policy'

const codeOf = (work: () => unknown): string | null => {
  try {
    work()
  } catch (error) {
    return (error as S3Error).code
  }
  return null
}
const rest = '"Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::shop/*"'

it.each([
  ['Effect', `{"Statement":[{"Effect":"Deny","Effect":"Allow",${rest}}]}`],
  ['escaped Effect', `{"Statement":[{"Effect":"Deny","\\u0045ffect" : "Allow",${rest}}]}`],
  ['Condition', `{"Statement":[{"Effect":"Allow",${rest},"Condition":{},"Condition":{}}]}`],
  ['operator', `{"Statement":[{"Effect":"Allow",${rest},"Condition":{"Bool":{},"Bool":{}}}]}`],
  ['Statement', `{"Statement":[],"Statement":[{"Effect":"Allow",${rest}}]}`],
])('rejects a new policy with a duplicate %s, but accepts an existing one', (_, text) => {
  expect(codeOf(() => readNewPolicy(text, 'shop'))).toBe('MalformedPolicy')
  expect(codeOf(() => readPolicy(text, 'shop'))).toBeNull()
})

it('rejects a form policy with duplicate names', () => {
  const form = (conditions: string) =>
    Buffer.from(`{"expiration":"2030-01-01T00:00:00Z",${conditions}}`).toString('base64')
  expect(codeOf(() => readFormPolicy(form('"conditions":[{"acl":"private"}]')))).toBeNull()
  for (const twice of ['"conditions":[["eq","$key","a"]],"conditions":[]', '"conditions":[{"acl":"a","acl":"b"}]'])
    expect(codeOf(() => readFormPolicy(form(twice)))).toBe('InvalidPolicyDocument')
})
