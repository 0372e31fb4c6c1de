import { sql, type Kysely } from 'kysely'

// servers that do not know it go on doing what is planned here by timers of their own: all of that may be done twice
export const needs = '0051-image-digests'

/** What is done at planned times: one row for each plan. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table schedule (
      -- of what is done; each server begins what it knows
      name text collate "C" not null,
      -- of the plan among those of that name; '' for the one plan of what the server does by itself
      id text collate "C" not null,
      cron text not null,
      time_zone text not null,
      jitter_seconds integer not null check (jitter_seconds >= 0),
      missed text not null check (missed in ('once', 'skip')),
      -- of the job that a run is
      subject jsonb not null,
      args jsonb not null,
      scope jsonb not null,
      -- when the next run begins; null where there is none
      next_at timestamptz,
      -- when that was reckoned
      reckoned_at timestamptz not null default now(),
      began_at timestamptz,
      primary key (name, id)
    ) with (fillfactor = 80)`.execute(db)
  await sql`create index schedule_next on schedule (name, next_at)`.execute(db)
  await sql`create index schedule_reckoned on schedule (reckoned_at)`.execute(db)
}
