import type { Panel } from '@mainstay/contract/panels'
const SESSION_COOKIE = 'session'
const DEVICE_COOKIE = 'device'
const HAND_OVER_COOKIE = 'hand-over'
/** How long somebody may take to sign in elsewhere. */
const HAND_OVER_SECONDS = 10 * 60

/** Where a cookie is to go: only over TLS, and below the place where we are mounted; to a browser, or to a program. */
export interface CookieFor {
  secure: boolean
  prefix: string
  panel: Panel
  browser: boolean
}

/**
 * Over TLS no other host of the domain can have set a cookie of such a name, so a browser's sign-in cannot be planted.
 * It must stand at the root for that.
 */
const hosted = (name: string, { secure, prefix }: CookieFor) => (secure && prefix === '' ? `__Host-${name}` : name)

/**
 * The name of the session's cookie. A browser does not keep cookies apart by port, so it has one for each panel of a host, named
 * after the panel: `session-self-service`, `session-admin`. Programs know it as `session` (decision 0019).
 */
const sessionName = (where: CookieFor): string =>
  where.browser ? hosted(`${SESSION_COOKIE}-${where.panel}`, where) : SESSION_COOKIE

function cookie(header: string | undefined, name: string): string | null {
  for (const part of (header ?? '').split(';')) {
    const at = part.indexOf('=')
    if (at > 0 && part.slice(0, at).trim() === name) {
      const value = part.slice(at + 1).trim()
      if (value !== '') return value
    }
  }
  return null
}

function setCookie(
  { name, value, path = '', sameSite = 'Strict' }: { name: string; value: string; path?: string; sameSite?: string },
  seconds: number,
  where: CookieFor,
): string {
  const parts = [`${name}=${value}`, `Path=${`${where.prefix}${path}` || '/'}`, 'HttpOnly', `SameSite=${sameSite}`]
  if (where.secure) parts.push('Secure')
  return [...parts, `Max-Age=${seconds}`].join('; ')
}

/** The value of the session cookie; null where there is none. A program may hand on a browser's. */
export function sessionCookie(header: string | undefined, where: CookieFor): string | null {
  const own = cookie(header, sessionName(where))
  return own !== null || where.browser ? own : cookie(header, sessionName({ ...where, browser: true }))
}

/** Set-Cookie for a token, or (null) for forgetting it. No script reads it and no other site sends it. */
export const sessionCookieHeader = (token: string | null, seconds: number, where: CookieFor): string =>
  setCookie({ name: sessionName(where), value: token ?? '' }, token === null ? 0 : seconds, where)

/** What this browser is known again by when somebody signs in; null where it brings nothing. */
export function deviceCookie(header: string | undefined, where: CookieFor): string | null {
  const device = cookie(header, hosted(DEVICE_COOKIE, where))
  return device !== null && /^[A-Za-z0-9_-]{43}$/.test(device) ? device : null
}

/** Set-Cookie for being known again. It opens nothing. */
export const deviceCookieHeader = (device: string, seconds: number, where: CookieFor): string =>
  setCookie({ name: hosted(DEVICE_COOKIE, where), value: device }, seconds, where)

/** It has a path of its own, so that over TLS it is only sure not to come from a page without TLS. */
const handOverName = ({ secure }: CookieFor) => (secure ? `__Secure-${HAND_OVER_COOKIE}` : HAND_OVER_COOKIE)

/** The identity provider through which this browser has begun to sign in a short while ago; null where it has not. */
export function handOverCookie(header: string | undefined, where: CookieFor, now = Date.now()): string | null {
  const [, begunAt, provider] = /^(\d{1,15})\.([^.].{0,1023})$/.exec(cookie(header, handOverName(where)) ?? '') ?? []
  if (provider === undefined || now - Number(begunAt) > HAND_OVER_SECONDS * 1000) return null
  try {
    return decodeURIComponent(provider)
  } catch {
    return null
  }
}

/**
 * Set-Cookie for having begun to sign in through a provider, or (null) for forgetting it. It has to come back with a
 * redirect that another site has started, which a strict one would not.
 */
export function handOverCookieHeader(provider: string | null, path: string, where: CookieFor): string {
  const value = provider === null ? '' : `${Date.now()}.${encodeURIComponent(provider)}`
  const seconds = provider === null ? 0 : HAND_OVER_SECONDS
  return setCookie({ name: handOverName(where), value, path, sameSite: 'Lax' }, seconds, where)
}
