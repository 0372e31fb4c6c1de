import type { IncomingHttpHeaders } from 'node:http'
import { problem } from '@mainstay/contract/core/problems'
import { hostName } from './hosts'

const one = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value)

/** Browsers say where a request comes from; programs do not, and nobody can make them forge a request. */
export const isBrowser = (headers: IncomingHttpHeaders): boolean =>
  headers.origin !== undefined || headers['sec-fetch-site'] !== undefined

/** The most names that are read from X-Forwarded-Host: one for each proxy on the way. */
const MOST_FORWARDED = 10

/** The origin of a page as browsers compare it; null for a text that is none, as `null` of sandboxed pages. */
function originOf(text: string): URL | null {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return null
  const url = new URL(text)
  url.hostname = url.hostname.replace(/\.$/, '')
  return url
}

/** Whether two texts are one origin: capitals, the default port and the last dot of a name make no difference. */
export const isOrigin = (text: string | undefined, expected: string): boolean =>
  text !== undefined && originOf(text)?.origin === (originOf(expected)?.origin ?? null)

/**
 * Whether the page that sent this was served from the address that it is sent to. Proxies in front tell the address that people see
 * in X-Forwarded-Host, which no page can make a browser send elsewhere unasked; several proxies make a list of it. All listeners ask
 * this: calls, sockets and consoles.
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
 * Refuses what a foreign page could make a browser send with our cookie: anything of another origin, and what
 * changes something but carries neither a token of its own nor the header that only our page can set.
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
 * The address under which the caller's browser has us, without a slash at its end; null for what is no page of ours. A
 * load balancer may stand in between, so the browser's own word is taken, which `refuseForgery` holds against the host.
 */
export const addressInBrowser = (headers: IncomingHttpHeaders, mountedAt: string): string | null =>
  headers.origin !== undefined && isSameOrigin(headers) ? `${new URL(headers.origin).origin}${mountedAt}` : null
