import { expect, it } from 'vitest'
import type { S3Error } from './errors'
import { readFormPolicy } from './http/form/form-policy'
import { readNewPolicy, readPolicy } from './policy/policy'
import { parseUniqueJson } from './unique-json'

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
  ['an effect', `{"Statement":[{"Effect":"Deny","Effect":"Allow",${rest}}]}`],
  ['an escaped effect', `{"Statement":[{"Effect":"Deny","\\u0045ffect" : "Allow",${rest}}]}`],
  ['conditions', `{"Statement":[{"Effect":"Allow",${rest},"Condition":{},"Condition":{}}]}`],
  ['an operator', `{"Statement":[{"Effect":"Allow",${rest},"Condition":{"Bool":{},"Bool":{}}}]}`],
  ['statements', `{"Statement":[],"Statement":[{"Effect":"Allow",${rest}}]}`],
])('refuses to store a policy with two of %s, and reads one from before', (_, text) => {
  expect(codeOf(() => readNewPolicy(text, 'shop'))).toBe('MalformedPolicy')
  expect(codeOf(() => readPolicy(text, 'shop'))).toBeNull()
})

it('refuses the policy of a form with two of a name', () => {
  const form = (conditions: string) =>
    Buffer.from(`{"expiration":"2030-01-01T00:00:00Z",${conditions}}`).toString('base64')
  expect(codeOf(() => readFormPolicy(form('"conditions":[{"acl":"private"}]')))).toBeNull()
  for (const twice of ['"conditions":[["eq","$key","a"]],"conditions":[]', '"conditions":[{"acl":"a","acl":"b"}]'])
    expect(codeOf(() => readFormPolicy(form(twice)))).toBe('InvalidPolicyDocument')
})

it.each(['{"a":{"a":1},"b":{"a":[{"a":2},{"a":3}]}}', '["a:","a",":","\\"a\\":"]', '{"\\\\":"\\\\","\\"":"\\""}', '1'])(
  'parses %s like JSON.parse: a name may stand in several objects, and a value be like a name',
  (text) => expect(parseUniqueJson(text)).toEqual(JSON.parse(text)),
)

it('refuses what is malformed or nested too deeply, without a deep stack', () => {
  for (const text of ['', '{"a":1', '{"a":1,}', `${'['.repeat(33)}${']'.repeat(33)}`, '['.repeat(20_000)])
    expect(() => parseUniqueJson(text)).toThrow(SyntaxError)
  expect(() => parseUniqueJson(`${'['.repeat(32)}${']'.repeat(32)}`)).not.toThrow()
})
