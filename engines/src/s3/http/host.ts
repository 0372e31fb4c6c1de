import type { EngineSettings } from '../../ports/engines'
import { S3Error } from '../errors'

/* The Host header: which bucket it names, and whether the console uses the same host name. */

export type S3Names = NonNullable<EngineSettings['s3']>['names']

/** Lower case, without port and trailing dot. */
const nameIn = (host: string | undefined): string => (host ?? '').toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '')
const isBelow = (name: string, domain: string) => name.endsWith(`.${domain}`)

/**
 * The bucket in the host name; null if the path names it. Throws `InvalidRequest` for a subdomain of a server name that
 * does not serve buckets: taking the bucket from the path would select another one than the client signed.
 */
export function bucketOfHost(host: string | undefined, { domains, serverNames }: S3Names): string | null {
  const name = nameIn(host)
  if (domains.includes(name) || serverNames.includes(name)) return null
  // the longest matching domain wins
  const [domain] = domains.filter((it) => isBelow(name, it)).toSorted((one, other) => other.length - one.length)
  if (domain !== undefined) return name.slice(0, -domain.length - 1)
  const known = serverNames.find((it) => isBelow(name, it))
  if (known === undefined) return null
  throw new S3Error(
    'InvalidRequest',
    `Buckets are not served below the host ${known}. Use path-style addresses, or have an operator set MAINSTAY_S3_DOMAIN.`,
  )
}

/** Whether the console has no pages under this host name. */
export const isOwnHost = (host: string | undefined, { ownDomains }: S3Names): boolean => {
  const name = nameIn(host)
  return ownDomains.some((it) => name === it || isBelow(name, it))
}

/** PDF viewers do not start in a sandbox, and they run scripts of a PDF isolated from the page. */
const PDF = 'application/pdf'

/**
 * Adds a content security policy that keeps browsers from running scripts of a response. Pages of tenants on the host
 * name of the console could set its cookies, on any port. All content types get the policy, even images and scripts
 * that it does not affect, because the browser may later show the cached response as a page.
 */
export const sandboxed = (headers: Record<string, string | number>): Record<string, string | number> =>
  String(headers['content-type']).trim().toLowerCase() === PDF
    ? headers
    : { ...headers, 'content-security-policy': 'sandbox' }
