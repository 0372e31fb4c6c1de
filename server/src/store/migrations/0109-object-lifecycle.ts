import { sql, type Kysely } from 'kysely'

// servers that do not know rules end nothing
export const needs = '0105-recycle-bin'

const statements = [
  // how far the day's run over a bucket has come; `rules`: what it goes by, so that others begin anew
  `create table s3_lifecycle_run (
     bucket_id bigint primary key,
     rules text not null,
     after_key text collate "C" not null default '',
     next_at timestamptz not null default now()
   )`,
  `create index s3_bucket_with_lifecycle on s3_bucket (id) where settings ? 'lifecycle'`,
]

/** Rules by which objects of a bucket end: once a day, in the order of keys. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
