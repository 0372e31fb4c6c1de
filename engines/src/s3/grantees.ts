import type { RecordsAndTables } from '../ports/engine'
import type { Sql } from '../ports/engines'

/* Resolves the grantees in ACLs, given as canonical IDs or email addresses, to users. */

export interface Grantees {
  /** Returns the user with this canonical ID, or null if there is none. */
  byCanonicalId(id: string): Promise<string | null>
  /**
   * Returns up to two users who have this email address and an account. Only the granter's own domain is searched, so
   * that addresses in other domains are not revealed.
   */
  byEmail(granter: string, email: string): Promise<string[]>
}

/** Two matches make an address ambiguous. More are fetched, because some of the users may not have an account. */
const MOST_OF_AN_ADDRESS = 20

export const openGrantees = (sql: Sql, records: RecordsAndTables): Grantees => ({
  async byCanonicalId(id) {
    const [row] = await sql.query<{ user_id: string }>('select user_id from s3_account where canonical_id = $1', [id])
    return row?.user_id ?? null
  },
  async byEmail(granter, email) {
    const [own] = await sql.query<{ domain_id: string }>('select domain_id from s3_account where user_id = $1', [
      granter,
    ])
    if (!own) return []
    const people = await records.transaction((tx) =>
      tx.find<{ id: string }>('user', { domain_id: own.domain_id, email }, MOST_OF_AN_ADDRESS),
    )
    const rows = await sql.query<{ user_id: string }>(
      'select user_id from s3_account where user_id = any($1::text[]) limit 2',
      [people.map(({ id }) => id)],
    )
    return rows.map(({ user_id }) => user_id)
  },
})
