import { sql, type Kysely } from 'kysely'

// servers that do not know it take a token for programs for a session that was left long ago
export const needs = '0051-image-digests'

/** Tokens for programs: sessions with a name and an end of their own, which may do no more than read. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table session add column name text`.execute(db)
  await sql`alter table session add column expires_at timestamptz`.execute(db)
  await sql`alter table session add column read_only boolean not null default false`.execute(db)
}
