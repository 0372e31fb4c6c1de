import type { EngineSettings } from '../../ports/engines'
import { S3Error } from '../errors'

/* What the Host header says: which bucket is meant. */

export type S3Names = NonNullable<EngineSettings['s3']>['names']

/** In small letters, without port and last dot. */
const nameIn = (host: string | undefined): string =>
  (host ?? '')
    .toLowerCase()
    .replace(/:\d+$/, '')
    .replace(/\.$/, '')
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
