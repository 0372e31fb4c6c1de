// @vitest-environment-options { "jsdom": { "url": "https://localhost/" } }
import { beforeEach, expect, test } from 'vitest'
import { currentLanguage, setLanguage, startLanguage } from './language'
import { readLanguageCookie, writeLanguageCookie } from './language-cookie'
import { languages } from './languages'

const all = languages.map(({ id }) => id)

beforeEach(async () => {
  writeLanguageCookie(null)
  await startLanguage()
})

test('the languages are exactly these nine [CO-001]', () => {
  expect(all).toEqual(['ar', 'de', 'en', 'es', 'ja', 'pt', 'ru', 'tr', 'zh'])
})

test('without a choice the language is English [CO-002]', () => {
  expect(currentLanguage().id).toBe('en')
  expect(readLanguageCookie()).toBeNull()
})

test('a choice is shown at once and kept', async () => {
  await setLanguage('de')
  expect(currentLanguage().id).toBe('de')
  expect(document.documentElement.lang).toBe('de')
  expect(readLanguageCookie()).toBe('de')
})

test('Arabic turns the page round, and another language turns it back', async () => {
  await setLanguage('ar')
  expect(document.documentElement.dir).toBe('rtl')
  await setLanguage('es')
  expect(document.documentElement.dir).toBe('ltr')
})

test('an unknown language in the cookie gives English', async () => {
  writeLanguageCookie('xx')
  await startLanguage()
  expect(currentLanguage().id).toBe('en')
})

test('an unknown language in the cookie is forgotten', async () => {
  writeLanguageCookie('xx')
  await startLanguage()
  expect(readLanguageCookie()).toBeNull()
})

test('of two quick changes the later one stays', async () => {
  await Promise.all([setLanguage('ja'), setLanguage('pt')])
  expect(currentLanguage().id).toBe('pt')
})
