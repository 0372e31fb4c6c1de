import { sql, type Kysely } from 'kysely'

// servers that do not know settings make buckets without any
export const needs = '0105-recycle-bin'

/** What the owner of a bucket has set, by name (`BucketSettings`). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table s3_bucket add column settings jsonb not null default '{}'`.execute(db)
}
