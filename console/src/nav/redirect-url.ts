/** Where to go after signing in: only within this console, and never back to the pages of sign-in. */
export function safeRedirect(wanted: string | null | undefined): string | null {
  if (!wanted?.startsWith('/') || /^\/[/\\]/.test(wanted)) return null
  const url = URL.parse(wanted, 'http://console.invalid')
  if (url?.origin !== 'http://console.invalid') return null
  return /^\/(login|auth)(\/|$)/.test(url.pathname) ? null : `${url.pathname}${url.search}${url.hash}`
}
