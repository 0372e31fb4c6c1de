import { sql, type Kysely } from 'kysely'

// servers that do not know locks do not obey them, and go on with everything else
export const needs = '0051-image-digests'

/**
 * Locks against deletion, of rows of whichever engine. A lock stays when its row goes out of the index: what a cloud does not
 * report for a while comes back locked.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table deletion_lock (
      kind text collate "C" not null,
      id text collate "C" not null,
      -- name of the user
      by text not null,
      at timestamptz not null default now(),
      reason text,
      primary key (kind, id)
    )`.execute(db)
}
