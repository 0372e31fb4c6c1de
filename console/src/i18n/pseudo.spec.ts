import { expect, test } from 'vitest'
import common from '../../locales/en/common.json'
import { compileCatalogue } from './catalogue-plugin'
import { fill, type Message } from './message'
import { pseudo, pseudoCatalogue } from './pseudo'

test('accents and brackets text and makes it about a third longer', () => {
  const text = 'Create virtual machine'
  const shown = pseudo(text) as string
  expect(shown).toMatch(/^\[Çŕéáţé ṽíŕţüáļ ɱáçĥíñé ~+\]$/)
  expect(shown.length / text.length).toBeGreaterThan(1.3)
  expect(shown.length / text.length).toBeLessThan(1.6)
})

test('keeps arguments, plurals and tags working', () => {
  const { text } = compileCatalogue('{"text":"Delete <b>{n, plural, one {# volume} other {# volumes}}</b>"}', 'spec')
  const shown = fill(pseudo(text as Message), 'en', { n: 3, b: (chunks) => (chunks as string[]).join('') })
  expect(shown).toMatch(/^\[Đéļéţé 3 ṽöļüɱéš ~+\]$/)
})

test('renders every message of the common catalogue', () => {
  const values = new Proxy({}, { get: () => 2, has: () => true })
  for (const message of Object.values(pseudoCatalogue(common))) expect(fill(message, 'en', values)).toMatch(/^\[.*\]$/)
})
