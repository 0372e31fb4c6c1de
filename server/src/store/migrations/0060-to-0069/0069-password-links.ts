import { sql, type Kysely } from 'kysely'

// servers that do not know it make none and take none
export const needs = '0051-image-digests'

/** Links with which users choose a password, by hash: one a user. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table identity_password_link (
      user_id text primary key references identity_user (id) on delete cascade,
      hash bytea not null unique,
      expires_at timestamptz not null
    )`.execute(db)
}
