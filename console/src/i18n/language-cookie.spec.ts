import { expect, test } from 'vitest'
import { languageCookie, readLanguageCookie } from './language-cookie'

test('the cookie expires after ten years', () => {
  expect(languageCookie('de')).toContain(`max-age=${10 * 365 * 24 * 60 * 60}`)
})

test('the cookie is Secure and SameSite=Strict', () => {
  expect(languageCookie('de')).toMatch(/^language=de;.*; secure; samesite=strict$/)
})

test('removing the cookie expires it immediately', () => {
  expect(languageCookie(null)).toMatch(/^language=; max-age=0;/)
})

test('finds the cookie among others, by its exact name', () => {
  expect(readLanguageCookie('a=1; language=ja; b=2')).toBe('ja')
  expect(readLanguageCookie('my-language=ja')).toBeNull()
  expect(readLanguageCookie('language=')).toBeNull()
})
