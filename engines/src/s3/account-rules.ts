import { problem } from '@mainstay/contract/core/problems'
import { MOST_S3_KEYS } from '@mainstay/contract/object-storage/s3-keys'
import type { Sql } from '../ports/engines'
import type { ObjectStoragePort } from '../ports/object-storage'

/* What holds of accounts, whichever engine keeps them. */

/** Whether a domain has object storage: one of which nothing was said has it. */
export async function isDomainEnabled(sql: Sql, domainId: string): Promise<boolean> {
  const [row] = await sql.query<{ enabled: boolean }>('select enabled from s3_domain where domain_id = $1', [domainId])
  return row?.enabled ?? true
}

/** Says it: $1 is the domain, $2 whether it has object storage. */
export const SET_DOMAIN_ENABLED =
  'insert into s3_domain (domain_id, enabled) values ($1, $2) on conflict (domain_id) do update set enabled = $2'

/** Throws `key_limit` where somebody has so many keys that they get no other one. */
export function checkKeyCount(count: number): void {
  if (count >= MOST_S3_KEYS) throw problem('objectStorage.too_many_keys', { most: MOST_S3_KEYS })
}

/** What keeps a person from object storage, by what is said of their domain and in this table of accounts. */
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
