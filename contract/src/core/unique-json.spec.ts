import { expect, it } from 'vitest'
import { jsonFault, parseUniqueJson } from './unique-json'

it.each(['{"a":{"a":1},"b":{"a":[{"a":2},{"a":3}]}}', '["a:","a",":","\\"a\\":"]', '{"\\\\":"\\\\","\\"":"\\""}', '1'])(
  'parses %s like JSON.parse: a name may stand in several objects, and a value be like a name',
  (text) => expect(parseUniqueJson(text)).toEqual(JSON.parse(text)),
)

it('refuses what is malformed or nested too deeply, without a deep stack', () => {
  for (const text of ['', '{"a":1', '{"a":1,}', `${'['.repeat(33)}${']'.repeat(33)}`, '['.repeat(20_000)])
    expect(() => parseUniqueJson(text)).toThrow(SyntaxError)
  expect(() => parseUniqueJson(`${'['.repeat(32)}${']'.repeat(32)}`)).not.toThrow()
})

it.each([
  ['{"a":1,"b":{"c":[]},"a":2}', 'Duplicate name "a"'],
  ['{"list":[{},{"name":"x","\\u006eame":"y"}]}', 'Duplicate name "name"'],
  ['{"\\\\":1,"\\u005c":2}', 'Duplicate name "\\\\"'],
])('refuses %s', (text, reason) => expect(jsonFault(text)).toBe(reason))
