import { expect, it } from 'vitest'
import { jsonFault, parseUniqueJson } from './unique-json'

it.each(['{"a":{"a":1},"b":{"a":[{"a":2},{"a":3}]}}', '["a:","a",":","\\"a\\":"]', '{"\\\\":"\\\\","\\"":"\\""}', '1'])(
  'parses %s like JSON.parse: a name may recur in other objects and as a value',
  (text) => expect(parseUniqueJson(text)).toEqual(JSON.parse(text)),
)

it('refuses malformed and deeply nested input without recursion', () => {
  for (const text of ['', '{"a":1', '{"a":1,}', `${'['.repeat(33)}${']'.repeat(33)}`, '['.repeat(20_000)])
    expect(() => parseUniqueJson(text)).toThrow(SyntaxError)
  expect(() => parseUniqueJson(`${'['.repeat(32)}${']'.repeat(32)}`)).not.toThrow()
})

it.each([
  ['{"a":1,"b":{"c":[]},"a":2}', 'Duplicate name "a"'],
  ['{"list":[{},{"name":"x","\\u006eame":"y"}]}', 'Duplicate name "name"'],
  ['{"\\\\":1,"\\u005c":2}', 'Duplicate name "\\\\"'],
])('refuses %s', (text, reason) => expect(jsonFault(text)).toBe(reason))

it('refuses more than 5 000 values before parsing', () => {
  const list = (count: number) => `[${'0,'.repeat(count - 2)}"a,b,c"]`
  expect(jsonFault(list(4_999))).toBeNull()
  expect(jsonFault(list(5_000))).toBeNull()
  expect(jsonFault(list(5_001))).toBe('More than 5000 values')
})

it.each(['"', '"\\', '["a":1]', '"a":1', '{"\\x":1,"\\x":2}', ']]', '{"a'])(
  'leaves malformed %s to the parser',
  (text) => expect(() => parseUniqueJson(text)).toThrow(SyntaxError),
)
