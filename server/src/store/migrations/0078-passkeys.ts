import { sql, type Kysely } from 'kysely'

// servers that do not know it sign people in by their passwords
export const needs = '0051-image-digests'

/** Passkeys of users, and challenges that browsers are to answer: each once and soon. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table passkey (
      id text primary key,
      user_id text not null references identity_user (id) on delete cascade,
      credential_id bytea not null unique,
      -- COSE
      public_key bytea not null,
      counter bigint not null,
      host text not null,
      name text not null,
      transports text[] not null,
      is_synced boolean not null,
      created_at timestamptz not null,
      last_used_at timestamptz
    )`.execute(db)
  await sql`create index passkey_user on passkey (user_id)`.execute(db)
  await sql`
    create table passkey_challenge (
      hash bytea primary key,
      -- who adds a passkey; null: somebody signs in
      user_id text references identity_user (id) on delete cascade,
      host text not null,
      origin text not null,
      expires_at timestamptz not null
    )`.execute(db)
  await sql`create index passkey_challenge_end on passkey_challenge (expires_at)`.execute(db)
}
