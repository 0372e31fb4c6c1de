import type { RecordsAndTables } from '../ports/engine'
import type { Sql } from '../ports/engines'

/* Whom grants name: accounts by their canonical ids or by e-mail addresses. */

export interface Grantees {
  /** The user of the account that is told as this id; null where there is none. */
  byCanonicalId(id: string): Promise<string | null>
  /**
   * The users with accounts who have this address, two at most. Only people of the granter's own domain are found: who has which
   * address elsewhere is nobody's business.
   */
  byEmail(granter: string, email: string): Promise<string[]>
}

/** Two with one address are enough to know that it names nobody in particular; more have no account perhaps. */
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
