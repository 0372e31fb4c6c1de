import { sql, type Kysely } from 'kysely'

// servers that do not know runs begin none
export const needs = '0105-recycle-bin'

/** Copies, moves and deletions of folders: how far each is, and in whose name it goes on. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table s3_run (
      id text collate "C" primary key,
      task_id text not null,
      session_id text not null,
      user_id text collate "C" not null,
      project_id text,
      credential_key bytea,
      action text not null,
      bucket text not null,
      keys jsonb not null,
      target jsonb,
      overwrite boolean not null,
      state text not null default 'running',
      -- the file or folder that is next, and the last key of it that is done or in the batch
      at integer not null default 0,
      cursor text not null default '',
      -- objects that are being worked on, or were when a server died
      batch jsonb,
      done bigint not null default 0,
      failed bigint not null default 0,
      faults jsonb not null default '[]',
      created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index s3_run_of_user on s3_run (user_id) where state = 'running'`.execute(db)
}
