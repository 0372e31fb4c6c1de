import { sql, type Kysely } from 'kysely'

// servers that do not know alerts raise none
export const needs = '0051-image-digests'

/** When rules of alerts were evaluated, and objects that are near an alert or have one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table alert_evaluation (rule text collate "C" primary key, at timestamptz not null)`.execute(db)
  await sql`
    create table alert_watch (
      rule text collate "C" not null,
      -- id of the object, and which part of it
      key text collate "C" not null,
      since timestamptz not null,
      seen_at timestamptz not null,
      calm_since timestamptz,
      -- null while none is raised
      alert_id text,
      primary key (rule, key)
    )`.execute(db)
}
