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

test('supports exactly these nine languages [CO-001]', () => {
  expect(all).toEqual(['ar', 'de', 'en', 'es', 'ja', 'pt', 'ru', 'tr', 'zh'])
})

test('defaults to English [CO-002]', () => {
  expect(currentLanguage().id).toBe('en')
  expect(readLanguageCookie()).toBeNull()
})

test('applies the chosen language immediately and keeps it in the cookie', async () => {
  await setLanguage('de')
  expect(currentLanguage().id).toBe('de')
  expect(document.documentElement.lang).toBe('de')
  expect(readLanguageCookie()).toBe('de')
})

test('switches the page to right-to-left for Arabic and back to left-to-right for other languages', async () => {
  await setLanguage('ar')
  expect(document.documentElement.dir).toBe('rtl')
  await setLanguage('es')
  expect(document.documentElement.dir).toBe('ltr')
})

test('falls back to English for an unknown language in the cookie', async () => {
  writeLanguageCookie('xx')
  await startLanguage()
  expect(currentLanguage().id).toBe('en')
})

test('removes the cookie if its language is unknown', async () => {
  writeLanguageCookie('xx')
  await startLanguage()
  expect(readLanguageCookie()).toBeNull()
})

test('applies the second of two changes made in quick succession', async () => {
  await Promise.all([setLanguage('ja'), setLanguage('pt')])
  expect(currentLanguage().id).toBe('pt')
})
