import { expect, it } from 'vitest'
import {
  deviceCookie,
  deviceCookieHeader,
  handOverCookieHeader,
  sessionCookie,
  sessionCookieHeader,
  type CookieFor,
} from './cookies'

const place: CookieFor = { secure: true, prefix: '', panel: 'self-service', browser: true }
const nameOf = (line: string) => line.split('=')[0]
const token = 'T'.repeat(43)

it('over TLS, names the session cookie so that no other host can set it', () => {
  expect(sessionCookieHeader(token, 3600, place)).toBe(
    `__Host-session-self-service=${token}; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=3600`,
  )
  expect(sessionCookie(`session=planted; __Host-session-self-service=${token}`, place)).toBe(token)
  for (const name of ['session', 'session-self-service', '__Host-session'])
    expect(sessionCookie(`${name}=planted`, place)).toBeNull()
  expect(nameOf(deviceCookieHeader(token, 60, place))).toBe('__Host-device')
  expect(nameOf(handOverCookieHeader('company', '/auth/landing', place))).toBe('__Secure-hand-over')
})

it('keeps the sessions of a host’s two panels apart in a browser', () => {
  const admin = { ...place, panel: 'admin' } as const
  expect(nameOf(sessionCookieHeader(token, 3600, admin))).toBe('__Host-session-admin')
  expect(nameOf(sessionCookieHeader(token, 3600, { ...admin, secure: false }))).toBe('session-admin')
  expect(sessionCookie('__Host-session-self-service=tenant', admin)).toBeNull()
  expect(sessionCookie('__Host-session-admin=operator', place)).toBeNull()
})

it('on both panels, gives programs a cookie named session that has an expiry', () => {
  for (const panel of ['admin', 'self-service'] as const) {
    const program = { ...place, browser: false, panel }
    expect(sessionCookieHeader(token, 3600, program)).toBe(
      `session=${token}; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=3600`,
    )
    expect(sessionCookie(`session=${token}`, program)).toBe(token)
  }
  expect(sessionCookie('__Host-session-self-service=of-a-browser', { ...place, browser: false })).toBe('of-a-browser')
})

it('limits cookies to the path of the mount point', () => {
  const below = { ...place, prefix: '/agents/7' }
  expect(sessionCookieHeader(token, 3600, below)).toContain(`session-self-service=${token}; Path=/agents/7; `)
  expect(handOverCookieHeader('company', '/auth/landing', below)).toContain('Path=/agents/7/auth/landing;')
  expect(sessionCookieHeader(null, 3600, below)).toContain('session-self-service=; Path=/agents/7; ')
  expect(sessionCookieHeader(null, 3600, below)).toContain('Max-Age=0')
})

it('ignores malformed device cookies', () => {
  expect(deviceCookie(`__Host-device=${token}`, place)).toBe(token)
  for (const value of ['x', `${token}T`, "' or 1=1 --"])
    expect(deviceCookie(`__Host-device=${value}`, place)).toBeNull()
})
