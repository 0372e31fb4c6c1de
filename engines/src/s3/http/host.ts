import type { EngineSettings } from '../../ports/engines'
import { S3Error } from '../errors'

/* Interprets the Host header: which bucket it names, and whether the host name is separate from the console's. */

export type S3Names = NonNullable<EngineSettings['s3']>['names']

/** Returns the host name in lower case, without port and trailing dot. */
const nameIn = (host: string | undefined): string => (host ?? '').toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '')
const isBelow = (name: string, domain: string) => name.endsWith(`.${domain}`)

/**
 * Returns the bucket in the host name, or null if the bucket is in the path. Throws `InvalidRequest` for a subdomain of
 * a server name that does not serve buckets, because taking the bucket from the path would select a different bucket
 * from the one that the client signed the request for.
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

/** Whether this host name is used only for S3, not for the console. */
export const isOwnHost = (host: string | undefined, { ownDomains }: S3Names): boolean => {
  const name = nameIn(host)
  return ownDomains.some((it) => name === it || isBelow(name, it))
}

/** PDFs are exempt, because PDF viewers do not start in a sandbox and isolate a PDF's scripts from the page anyway. */
const PDF = 'application/pdf'

/**
 * Adds a content security policy that prevents browsers from running scripts in a response. Otherwise, tenants' pages
 * on the console's host name could set its cookies, even from another port. The policy is added for all content types,
 * even for images and scripts, which it does not affect, because the browser may later display the cached response as a
 * page.
 */
export const sandboxed = (headers: Record<string, string | number>): Record<string, string | number> =>
  String(headers['content-type']).trim().toLowerCase() === PDF
    ? headers
    : { ...headers, 'content-security-policy': 'sandbox' }
