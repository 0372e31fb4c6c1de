import { sql, type Kysely } from 'kysely'

// servers that do not know runs begin none, and leave their jobs to those that do
export const needs = '0051-image-digests'

/** One call made of many objects, and what came of each. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table bulk_run (
      id text collate "C" primary key,
      task_id text not null,
      kind text not null,
      action text not null,
      body jsonb,
      query jsonb,
      -- in whose name the calls are made
      session_id text not null,
      user_id text not null,
      project_id text,
      credential_key bytea,
      address text not null,
      created_at timestamptz not null default now()
    )`.execute(db)
  await sql`
    create table bulk_object (
      run_id text collate "C" not null references bulk_run on delete cascade,
      number integer not null,
      id text not null,
      name text not null,
      domain_id text,
      -- that of its call, by which the audit log knows it
      request_id uuid not null default gen_random_uuid(),
      state text not null default 'waiting',
      task_ids text[] not null default '{}',
      err_code text,
      error text,
      primary key (run_id, number)
    )`.execute(db)
  await sql`create index bulk_object_open on bulk_object (run_id, state, number)
    where state in ('waiting', 'calling', 'running')`.execute(db)
  await sql`create index bulk_run_by_age on bulk_run (created_at)`.execute(db)
}
