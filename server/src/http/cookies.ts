import type { Panel } from '@mainstay/contract/panels'
const SESSION_COOKIE = 'session'
const DEVICE_COOKIE = 'device'
const HAND_OVER_COOKIE = 'hand-over'
/** Time limit for a sign-in at an identity provider. */
const HAND_OVER_SECONDS = 10 * 60

/**
 * Attributes of a cookie: whether it is limited to TLS, the path prefix, the panel, and whether the client is a
 * browser.
 */
export interface CookieFor {
  secure: boolean
  prefix: string
  panel: Panel
  browser: boolean
}

/**
 * Over TLS, the `__Host-` prefix prevents other hosts in the domain from setting the cookie, so that they cannot plant
 * a session. The prefix requires the path `/`.
 */
const hosted = (name: string, { secure, prefix }: CookieFor) => (secure && prefix === '' ? `__Host-${name}` : name)

/**
 * Name of the session cookie. Browsers do not separate cookies by port, so each panel on a host has its own name:
 * `session-self-service`, `session-admin`. Programs use `session` (decision 0019).
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

/** Value of the session cookie; null if there is none. Programs may also send a browser's cookie. */
export function sessionCookie(header: string | undefined, where: CookieFor): string | null {
  const own = cookie(header, sessionName(where))
  return own !== null || where.browser ? own : cookie(header, sessionName({ ...where, browser: true }))
}

/**
 * Set-Cookie header for a session token; null deletes the cookie. Scripts cannot read it, and other sites cannot send
 * it.
 */
export const sessionCookieHeader = (token: string | null, seconds: number, where: CookieFor): string =>
  setCookie({ name: sessionName(where), value: token ?? '' }, token === null ? 0 : seconds, where)

/** The device ID by which a later sign-in recognizes this browser; null if there is none. */
export function deviceCookie(header: string | undefined, where: CookieFor): string | null {
  const device = cookie(header, hosted(DEVICE_COOKIE, where))
  return device !== null && /^[A-Za-z0-9_-]{43}$/.test(device) ? device : null
}

/** Set-Cookie header for the device ID. It grants no access. */
export const deviceCookieHeader = (device: string, seconds: number, where: CookieFor): string =>
  setCookie({ name: hosted(DEVICE_COOKIE, where), value: device }, seconds, where)

/**
 * The cookie is limited to one path, so it can have only the prefix `__Secure-`, which proves that it was set over TLS.
 */
const handOverName = ({ secure }: CookieFor) => (secure ? `__Secure-${HAND_OVER_COOKIE}` : HAND_OVER_COOKIE)

/** The identity provider through which this browser recently began to sign in; null if there is none. */
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
 * Set-Cookie header that marks a sign-in in progress through a provider; null deletes it. It is `SameSite=Lax`, because
 * it must be sent with a redirect that comes from another site.
 */
export function handOverCookieHeader(provider: string | null, path: string, where: CookieFor): string {
  const value = provider === null ? '' : `${Date.now()}.${encodeURIComponent(provider)}`
  const seconds = provider === null ? 0 : HAND_OVER_SECONDS
  return setCookie({ name: handOverName(where), value, path, sameSite: 'Lax' }, seconds, where)
}
