import { problem } from '@mainstay/contract/core/problems'
import { MOST_S3_KEYS } from '@mainstay/contract/object-storage/s3-keys'
import type { Sql } from '../ports/engines'
import type { ObjectStoragePort } from '../ports/object-storage'

/* Account rules shared by all engines. */

/** Whether object storage is enabled for a domain. It is enabled by default. */
export async function isDomainEnabled(sql: Sql, domainId: string): Promise<boolean> {
  const [row] = await sql.query<{ enabled: boolean }>('select enabled from s3_domain where domain_id = $1', [domainId])
  return row?.enabled ?? true
}

/** SQL that enables or disables object storage for a domain. Parameters: domain ID, enabled. */
export const SET_DOMAIN_ENABLED =
  'insert into s3_domain (domain_id, enabled) values ($1, $2) on conflict (domain_id) do update set enabled = $2'

/** Throws a `key_limit` error if a user already has the maximum number of keys. */
export function checkKeyCount(count: number): void {
  if (count >= MOST_S3_KEYS) throw problem('objectStorage.too_many_keys', { most: MOST_S3_KEYS })
}

/**
 * Returns what blocks a user's access to object storage: their domain or their account in `accounts`, if one of them is
 * disabled; otherwise null.
 */
export const askBarrier =
  (sql: Sql, accounts: 's3_account' | 'rgw_account'): ObjectStoragePort['barrierOf'] =>
  async ({ user_id, domain_id }) => {
    const [row] = await sql.query<{ domain: boolean | null; account: boolean | null }>(
      `select (select enabled from s3_domain where domain_id = $2) as domain,
         (select enabled from ${accounts} where user_id = $1) as account`,
      [user_id, domain_id],
    )
    return row!.domain === false ? 'domain' : row!.account === false ? 'account' : null
  }
