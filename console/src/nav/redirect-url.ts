/** The path to return to after signing in, or null if it is outside the console or a sign-in page. */
export function safeRedirect(wanted: string | null | undefined): string | null {
  if (!wanted?.startsWith('/') || /^\/[/\\]/.test(wanted)) return null
  const url = URL.parse(wanted, 'http://console.invalid')
  if (url?.origin !== 'http://console.invalid') return null
  return /^\/(login|auth)(\/|$)/.test(url.pathname) ? null : `${url.pathname}${url.search}${url.hash}`
}
