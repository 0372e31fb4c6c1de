import type { IncomingHttpHeaders } from 'node:http'
import { problem } from '@mainstay/contract/core/problems'
import { hostName } from './hosts'

const one = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value)

/** Browsers send the origin of a request. Programs do not, and they cannot be tricked into a forged request. */
export const isBrowser = (headers: IncomingHttpHeaders): boolean =>
  headers.origin !== undefined || headers['sec-fetch-site'] !== undefined

/** Maximum number of names read from X-Forwarded-Host, to which each proxy adds one. */
const MOST_FORWARDED = 10

/**
 * Origin of a page as browsers compare it; null if the text is not an origin, such as the `null` of sandboxed pages.
 */
function originOf(text: string): URL | null {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return null
  const url = new URL(text)
  url.hostname = url.hostname.replace(/\.$/, '')
  return url
}

/**
 * Whether two strings denote the same origin. Case, the default port and a trailing dot in the name make no difference.
 */
export const isOrigin = (text: string | undefined, expected: string): boolean =>
  text !== undefined && originOf(text)?.origin === (originOf(expected)?.origin ?? null)

/**
 * Whether the page that sent the request was served from the host that the request is for. Proxies put the public host
 * into X-Forwarded-Host, which a foreign page cannot set without a preflight; with several proxies, it is a list. All
 * listeners use this check: calls, sockets and consoles.
 */
function isSameOrigin(headers: IncomingHttpHeaders): boolean {
  const { origin } = headers
  if (origin === undefined) return true
  const page = originOf(origin)
  if (page === null) return false
  const forwarded = String(headers['x-forwarded-host'] ?? '').split(',', MOST_FORWARDED)
  return [headers.host ?? '', ...forwarded]
    .map((host) => host.trim())
    .some((host) => hostName(host) !== null && isOrigin(`${page.protocol}//${host}`, page.origin))
}

/**
 * Refuses requests that a foreign page could make a browser send with our cookie: requests from another origin, and
 * requests that change something but have neither a token header nor the header that only our page can set.
 */
export function refuseForgery(request: { headers: IncomingHttpHeaders; unsafe: boolean; byCookie: boolean }): void {
  const { headers, unsafe, byCookie } = request
  if (!isBrowser(headers)) return
  const site = one(headers['sec-fetch-site'])
  const foreign = !isSameOrigin(headers) || (unsafe && (site === 'cross-site' || site === 'same-site'))
  if (foreign && (unsafe || byCookie)) throw problem('core.cross_site')
  if (unsafe && byCookie && headers['x-requested-with'] === undefined) throw problem('core.no_requested_with')
}

/**
 * URL of this server in the caller's browser, without a trailing slash; null if the request does not come from one of
 * our pages. Uses the Origin header, because a load balancer may sit in between; `refuseForgery` checks it against the
 * host.
 */
export const addressInBrowser = (headers: IncomingHttpHeaders, mountedAt: string): string | null =>
  headers.origin !== undefined && isSameOrigin(headers) ? `${new URL(headers.origin).origin}${mountedAt}` : null
