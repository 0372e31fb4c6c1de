import type { IncomingHttpHeaders } from 'node:http'
import { Problem } from '@mainstay/contract/core/problems'

const one = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value)

/** Browsers say where a request comes from; programs do not, and nobody can make them forge a request. */
export const isBrowser = (headers: IncomingHttpHeaders): boolean =>
  headers.origin !== undefined || headers['sec-fetch-site'] !== undefined

/**
 * Whether the page that sent this was served from the address that it is sent to. A proxy in front tells the
 * address that people see in X-Forwarded-Host, which no page can make a browser send elsewhere unasked.
 */
export function isSameOrigin(headers: IncomingHttpHeaders): boolean {
  const { origin } = headers
  if (origin === undefined) return true
  let host: string
  try {
    host = new URL(origin).host
  } catch {
    return false // `null`, the origin of sandboxed pages, among others
  }
  return host !== '' && [headers.host, one(headers['x-forwarded-host'])].includes(host)
}

/**
 * Refuses what a foreign page could make a browser send with our cookie: anything of another origin, and what
 * changes something but carries neither a token of its own nor the header that only our page can set.
 */
export function refuseForgery(request: { headers: IncomingHttpHeaders; unsafe: boolean; byCookie: boolean }): void {
  const { headers, unsafe, byCookie } = request
  if (!isBrowser(headers)) return
  const site = one(headers['sec-fetch-site'])
  const foreign = !isSameOrigin(headers) || (unsafe && (site === 'cross-site' || site === 'same-site'))
  if (foreign && (unsafe || byCookie)) throw new Problem('csrf', 'This request comes from another site')
  if (unsafe && byCookie && headers['x-requested-with'] === undefined)
    throw new Problem('csrf', 'The header X-Requested-With is missing')
}

/**
 * The address under which the caller's browser has us, without a slash at its end; null for what is no page of ours. A
 * load balancer may stand in between, so the browser's own word is taken, which `refuseForgery` holds against the host.
 */
export const addressInBrowser = (headers: IncomingHttpHeaders, mountedAt: string): string | null =>
  headers.origin !== undefined && isSameOrigin(headers) ? `${headers.origin}${mountedAt}` : null
