import { expect, it } from 'vitest'
import { safeRedirect } from './redirect-url'

it('accepts a return URL within this console', () => {
  expect(safeRedirect('/compute/ssh-keys?search=a#b')).toBe('/compute/ssh-keys?search=a#b')
})

it.each([
  'https://elsewhere.example/',
  '//elsewhere.example/',
  '/\\elsewhere.example/',
  'javascript:alert(1)',
  '',
  undefined,
  null,
  '/login',
  '/login/acme?redirectUrl=/x',
])('rejects the return URL %s', (wanted) => {
  expect(safeRedirect(wanted)).toBeNull()
})
