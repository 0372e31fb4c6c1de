import { sql, type Kysely } from 'kysely'

/** Which server processes live and what each of them knows, and jobs that wait without anybody being at them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table server (
      -- one process; the owner of its jobs
      epoch uuid primary key,
      -- the same after a restart
      replica text not null,
      host text not null,
      version text not null,
      started_at timestamptz not null default now(),
      seen_at timestamptz not null default now(),
      -- names of the jobs that it has handlers for
      job_names text[] not null default '{}',
      -- side tables of the index that it reads and writes
      signatures text[] not null default '{}'
    ) with (fillfactor = 50)`.execute(db)
  await sql`
    alter table job
      -- what the last run left for the next one
      add column state jsonb,
      -- error code of "failure", where it has one
      add column failure_code text,
      -- how often onFailure threw
      add column cleanups integer not null default 0,
      add column project_id text collate "C" not null generated always as (coalesce(scope ->> 'project_id', '')) stored
  `.execute(db)
  await sql`create index job_due on job (project_id, not_before, number) where owner is null`.execute(db)
  await sql`create index job_owned on job (owner) where owner is not null`.execute(db)
}
