import type { EngineSettings } from '../../ports/engines'
import { S3Error } from '../errors'

/* What the Host header says: which bucket is meant, and whether pages of the console are under the same name. */

export type S3Names = NonNullable<EngineSettings['s3']>['names']

/** In small letters, without port and last dot. */
const nameIn = (host: string | undefined): string => (host ?? '').toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '')
const isBelow = (name: string, domain: string) => name.endsWith(`.${domain}`)

/**
 * The bucket that a host names; null: the path names it. Throws `InvalidRequest` where labels stand before a name of the server that
 * names no buckets: by the path alone, another bucket than the signed one would be meant.
 */
export function bucketOfHost(host: string | undefined, { domains, serverNames }: S3Names): string | null {
  const name = nameIn(host)
  if (domains.includes(name) || serverNames.includes(name)) return null
  // of two that end alike the longer one is meant
  const [domain] = domains.filter((it) => isBelow(name, it)).toSorted((one, other) => other.length - one.length)
  if (domain !== undefined) return name.slice(0, -domain.length - 1)
  const known = serverNames.find((it) => isBelow(name, it))
  if (known === undefined) return null
  throw new S3Error(
    'InvalidRequest',
    `Buckets are not served below the host ${known}. Use path-style addresses, or have an operator set MAINSTAY_S3_DOMAIN.`,
  )
}

/** Whether no page of the console has the name of this host. */
export const isOwnHost = (host: string | undefined, { ownDomains }: S3Names): boolean => {
  const name = nameIn(host)
  return ownDomains.some((it) => name === it || isBelow(name, it))
}

/** Viewers of PDF start in no sandbox, and run what is in it apart from the page. */
const PDF = 'application/pdf'

/**
 * The headers of an answer with a policy by which a browser runs nothing of it as a page. Pages of tenants under a name of the console
 * could set its cookies, whatever port they come from. The policy stands in every answer, also in one for a picture or a script, on which
 * it has no effect: the browser's cache may give it out as a page.
 */
export const sandboxed = (headers: Record<string, string | number>): Record<string, string | number> =>
  String(headers['content-type']).trim().toLowerCase() === PDF
    ? headers
    : { ...headers, 'content-security-policy': 'sandbox' }
