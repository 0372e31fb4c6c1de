import { render } from '@testing-library/react'
import { expect, test } from 'vitest'
import { compileCatalogue } from './catalogue-plugin'
import { fill, type Message, type RichValues } from './message'

const say = (text: string, values?: RichValues, tag = 'en') =>
  fill(compileCatalogue(JSON.stringify({ text }), 'spec')['text'] as Message, tag, values)

test('keeps plain text unchanged', () => {
  expect(say('Delete')).toBe('Delete')
  expect(say("It''s '{'braces'}'")).toBe("It's {braces}")
})

test('fills in arguments', () => {
  expect(say('{verb} {name}', { verb: 'Delete', name: 'web-1' })).toBe('Delete web-1')
  expect(say('{count} left', { count: 0 })).toBe('0 left')
  expect(say('[{nothing}]', { nothing: null })).toBe('[]')
})

test('selects plurals by language, with exact numbers first', () => {
  const text = '{n, plural, =0 {none} one {# volume} other {# volumes}}'
  expect([0, 1, 2, 1200].map((n) => say(text, { n }))).toEqual(['none', '1 volume', '2 volumes', '1,200 volumes'])
  const russian = '{n, plural, one {# том} few {# тома} many {# томов} other {# тома}}'
  expect([1, 3, 5, 21].map((n) => say(russian, { n }, 'ru'))).toEqual(['1 том', '3 тома', '5 томов', '21 том'])
})

test('subtracts the plural offset', () => {
  const text = '{n, plural, offset:1 =1 {you} one {you and # other} other {you and # others}}'
  expect([1, 2, 4].map((n) => say(text, { n }))).toEqual(['you', 'you and 1 other', 'you and 3 others'])
})

test('selects ordinals and choices', () => {
  expect(say('{n, selectordinal, one {#st} two {#nd} few {#rd} other {#th}}', { n: 3 })).toBe('3rd')
  expect(say('{kind, select, image {an image} other {a {kind}}}', { kind: 'volume' })).toBe('a volume')
})

test('formats numbers and dates for the language', () => {
  expect(say('{n, number}', { n: 1234.5 }, 'de')).toBe('1.234,5')
  expect(say('{share, number, percent}', { share: 0.12345 })).toBe('12.35%')
  expect(say('{n, number, ::compact-short}', { n: 12_300 })).toBe('12K')
  expect(say('{when, date, long}', { when: new Date(2026, 10, 21) })).toBe('November 21, 2026')
})

test('returns nodes for tags and elements', () => {
  const node = say('Delete <b>{name}</b>?', { name: 'web-1', b: (chunks) => <b>{chunks}</b> })
  expect(render(<p>{node}</p>).container.innerHTML).toBe('<p>Delete <b>web-1</b>?</p>')
  const link = say('See {link}.', { link: <a href="/x">this</a> })
  expect(render(<p>{link}</p>).container.textContent).toBe('See this.')
})

const apart = (name: string) => `\u2068${name}\u2069`

test('isolates a name whose direction differs from that of its sentence', () => {
  const english = 'Delete “{name}”?'
  expect(say(english, { name: 'web-1' })).toBe('Delete “web-1”?')
  expect(say(english, { name: 'خادم' })).toBe(`Delete “${apart('خادم')}”?`)
  expect(say(english, { name: 'web (خادم)' })).toBe(`Delete “${apart('web (خادم)')}”?`)
  const arabic = 'حذف “{name}”؟'
  expect(say(arabic, { name: 'web (1)' }, 'ar')).toBe(`حذف “${apart('web (1)')}”؟`)
  expect(say(arabic, { name: 'خادم' }, 'ar')).toBe('حذف “خادم”؟')
  expect(say('{name}', { name: 'خادم' })).toBe('خادم')
})

test('also detects the direction of a sentence from its plural forms', () => {
  const text = '{n, plural, one {a disk} other {# disks}} of {name}'
  expect(say(text, { n: 2, name: 'שרת' })).toBe(`2 disks of ${apart('שרת')}`)
})

test('strips direction controls from names', () => {
  expect(say('Delete {name}?', { name: '\u202egpj.exe\u2069' })).toBe('Delete gpj.exe?')
})

test('names the missing argument in the error', () => {
  expect(() => say('{name} is gone', {})).toThrow('{name}')
  expect(() => say('<b>x</b>', { b: 'text' })).toThrow('<b>')
})
