import { sql, type Kysely } from 'kysely'

/** Sessions, their tokens by hash, and failed sign-ins. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table session (
      id text primary key,
      user_id text not null,
      external_provider text,
      address text not null,
      user_agent text not null,
      created_at timestamptz not null,
      last_used_at timestamptz not null,
      ended_at timestamptz
    )`.execute(db)
  await sql`create index session_by_user on session (user_id) where ended_at is null`.execute(db)
  await sql`create index session_created on session (created_at)`.execute(db)
  await sql`
    create table token (
      hash bytea primary key,
      session_id text not null references session (id) on delete cascade,
      project_id text,
      created_at timestamptz not null
    )`.execute(db)
  await sql`create index token_session on token (session_id)`.execute(db)
  await sql`
    create table console_ticket (
      hash bytea primary key,
      session_id text not null references session (id) on delete cascade,
      instance_id text not null,
      project_id text,
      expires_at timestamptz not null
    )`.execute(db)
  await sql`
    create table sign_in_failure (
      key text primary key,
      failures integer not null,
      last_at timestamptz not null
    )`.execute(db)
}
