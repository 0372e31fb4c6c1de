export const SESSION_COOKIE = 'session'

/** The value of the session cookie; null where there is none. */
export function sessionCookie(header: string | undefined): string | null {
  for (const part of (header ?? '').split(';')) {
    const at = part.indexOf('=')
    if (at > 0 && part.slice(0, at).trim() === SESSION_COOKIE) {
      const value = part.slice(at + 1).trim()
      if (value !== '') return value
    }
  }
  return null
}

/** Set-Cookie for a token, or (null) for forgetting it. No script reads it and no other site sends it. */
export function sessionCookieHeader(token: string | null, where: { secure: boolean; prefix: string }): string {
  const parts = [`${SESSION_COOKIE}=${token ?? ''}`, `Path=${where.prefix || '/'}`, 'HttpOnly', 'SameSite=Strict']
  if (where.secure) parts.push('Secure')
  if (token === null) parts.push('Max-Age=0')
  return parts.join('; ')
}
