import { parse } from '@formatjs/icu-messageformat-parser'
import { describe, expect, it } from 'vitest'
import { fillEnglish, parseMessage } from './core/message-tree'
import { problemStatus } from './core/problems'
import { messages } from './messages'

const all = Object.entries(messages).flatMap(([area, entries]) =>
  Object.entries(entries as Record<string, string | readonly [string, string]>).map(
    ([name, entry]) => [`${area}.${name}`, typeof entry === 'string' ? ['validation', entry] : entry] as const,
  ),
)

describe('messages in the contract', () => {
  it('are parsed in the same way as by the ICU message parser', () => {
    expect(all.length).toBeGreaterThan(500)
    for (const [key, [, text]] of all)
      expect(parseMessage(text), key).toEqual(parse(text, { captureLocation: false, ignoreTag: true }))
  })

  it('have a lowercase name and a known error code', () => {
    expect(all.filter(([key]) => !/^[a-zA-Z]+\.[a-z][a-z0-9_]*$/.test(key)).map(([key]) => key)).toEqual([])
    expect(all.filter(([, [code]]) => !(code in problemStatus)).map(([key]) => key)).toEqual([])
  })
})

describe('formatting a message', () => {
  const say = (text: string, values: Record<string, string | number> = {}) => fillEnglish(parseMessage(text), values)

  it('inserts values as plain text', () => {
    expect(say('{cidr} overlaps {taken}', { cidr: '<b>10.0.0.0/8</b>', taken: 7 })).toBe('<b>10.0.0.0/8</b> overlaps 7')
    expect(say('{n, number} bytes', { n: 1_048_576 })).toBe('1,048,576 bytes')
  })

  it('formats nested plurals and selects', () => {
    const text = '{n, plural, =0 {none} one {# user of {name}} other {# users {kind, select, a {here} other {there}}}}'
    expect(say(text, { n: 0, name: 'x', kind: 'a' })).toBe('none')
    expect(say(text, { n: 1, name: 'x', kind: 'a' })).toBe('1 user of x')
    expect(say(text, { n: 1200, name: 'x', kind: 'b' })).toBe('1,200 users there')
  })

  it.each(['{open', 'close}', '{n, plural, one {x}}', '{n, date}', '{}'])('refuses the invalid message %s', (text) => {
    expect(() => parseMessage(text)).toThrow('Not a message')
  })
})
