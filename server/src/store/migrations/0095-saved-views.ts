import { sql, type Kysely } from 'kysely'

// servers that do not know views keep none
export const needs = '0051-image-digests'

/** Views of lists that people keep. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table saved_view (
      id text collate "C" primary key,
      user_id text not null,
      -- '' outside of any project
      project_id text not null,
      kind text not null,
      name text not null,
      query jsonb not null,
      created_at timestamptz not null default now(),
      unique (user_id, project_id, kind, name)
    )`.execute(db)
}
