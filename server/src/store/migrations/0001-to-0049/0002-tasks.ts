import { sql, type Kysely } from 'kysely'

/** Jobs that are not over yet. What people see of one is a row of kind `task` in the inventory. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table job (
      id text primary key,
      -- order among the jobs of one subject
      number bigint generated always as identity,
      name text not null,
      subject_key text collate "C" not null,
      subject jsonb not null,
      args jsonb not null,
      scope jsonb not null,
      attempt integer not null default 0,
      -- how often a server died over it
      takeovers integer not null default 0,
      cancel_requested boolean not null default false,
      -- set once the work itself has failed: only onFailure is still to run
      failure text,
      owner text,
      lease_until timestamptz,
      not_before timestamptz not null default now(),
      created_at timestamptz not null default now()
    ) with (fillfactor = 70)`.execute(db)
  await sql`create index job_subject on job (subject_key, number)`.execute(db)
  await sql`create index job_number on job (number)`.execute(db)
}
