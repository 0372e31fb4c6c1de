export const SESSION_COOKIE = 'session'
const HAND_OVER_COOKIE = 'hand-over'
/** How long somebody may take to sign in elsewhere. */
const HAND_OVER_SECONDS = 10 * 60

/** Where a cookie is to go: only over TLS, and below the place where we are mounted. */
interface CookieFor {
  secure: boolean
  prefix: string
}

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

/** The value of the session cookie; null where there is none. */
export const sessionCookie = (header: string | undefined): string | null => cookie(header, SESSION_COOKIE)

/** Set-Cookie for a token, or (null) for forgetting it. No script reads it and no other site sends it. */
export function sessionCookieHeader(token: string | null, where: CookieFor): string {
  const parts = [`${SESSION_COOKIE}=${token ?? ''}`, `Path=${where.prefix || '/'}`, 'HttpOnly', 'SameSite=Strict']
  if (where.secure) parts.push('Secure')
  if (token === null) parts.push('Max-Age=0')
  return parts.join('; ')
}

/** The identity provider through which this browser has begun to sign in a short while ago; null where it has not. */
export function handOverCookie(header: string | undefined, now = Date.now()): string | null {
  const [, begunAt, provider] = /^(\d{1,15})\.([^.].{0,1023})$/.exec(cookie(header, HAND_OVER_COOKIE) ?? '') ?? []
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
  const parts = [`${HAND_OVER_COOKIE}=${value}`, `Path=${where.prefix}${path}`, 'HttpOnly', 'SameSite=Lax']
  if (where.secure) parts.push('Secure')
  return [...parts, `Max-Age=${seconds}`].join('; ')
}
