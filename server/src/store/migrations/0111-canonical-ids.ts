import { sql, type Kysely } from 'kysely'

// the column is filled by the database, whoever makes an account
export const needs = '0105-recycle-bin'

// what an account is told as cannot be turned back into its user: it stands beside it (`canonicalIdOf`)
const statements = [
  // convert_to depends on no setting where both encodings are named
  `create function s3_canonical_id(user_id text) returns text language sql immutable strict as $$
     select encode(sha256(convert_to('s3:' || user_id, 'UTF8')), 'hex')
   $$`,
  `alter table s3_account add column canonical_id text collate "C" generated always as (s3_canonical_id(user_id)) stored`,
  `create unique index s3_account_canonical on s3_account (canonical_id)`,
]

/** Accounts are found by the canonical id that grants name. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
