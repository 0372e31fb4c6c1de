import { sql, type Kysely } from 'kysely'

/**
 * By what a cloud knows who has signed in. It is sealed with a key of the session's own, and that key with each of the
 * session's tokens and tickets, of which only hashes are kept: the database alone opens none of it (decision 0009).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table session add column credential bytea, add column credential_expires_at timestamptz`.execute(db)
  await sql`alter table token add column credential_key bytea`.execute(db)
  await sql`alter table console_ticket add column credential_key bytea`.execute(db)
}
