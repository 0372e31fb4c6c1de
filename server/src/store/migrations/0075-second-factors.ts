import { sql, type Kysely } from 'kysely'

// servers that do not know it ask for the password alone
export const needs = '0051-image-digests'

/** Second factors of users: the secret sealed, recovery codes as hashes, the step of time of the last code. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table second_factor (
      user_id text primary key references identity_user (id) on delete cascade,
      sealed bytea not null,
      -- null until a first code was right
      confirmed_at timestamptz,
      last_step bigint not null default 0,
      recovery_codes bytea[] not null default '{}'
    )`.execute(db)
}
