import { sql, type Kysely } from 'kysely'

// servers that do not know removals leave their jobs to others
export const needs = '0051-image-digests'

/** In whose name projects are deleted with all that is in them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table project_removal (
      task_id text collate "C" primary key,
      session_id text not null,
      user_id text not null,
      -- where they acted when they began it
      project_id text,
      credential_key bytea,
      address text not null
    )`.execute(db)
}
