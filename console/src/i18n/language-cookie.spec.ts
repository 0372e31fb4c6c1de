import { expect, test } from 'vitest'
import { languageCookie, readLanguageCookie } from './language-cookie'

test('the cookie lasts ten years', () => {
  expect(languageCookie('de')).toContain(`max-age=${10 * 365 * 24 * 60 * 60}`)
})

test('the cookie is secure and strict same-site', () => {
  expect(languageCookie('de')).toMatch(/^language=de;.*; secure; samesite=strict$/)
})

test('removing it ends it at once', () => {
  expect(languageCookie(null)).toMatch(/^language=; max-age=0;/)
})

test('it is found among others, and only by its whole name', () => {
  expect(readLanguageCookie('a=1; language=ja; b=2')).toBe('ja')
  expect(readLanguageCookie('my-language=ja')).toBeNull()
  expect(readLanguageCookie('language=')).toBeNull()
})
