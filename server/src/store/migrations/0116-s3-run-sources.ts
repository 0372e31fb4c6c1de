import { sql, type Kysely } from 'kysely'

// servers that do not know where a run was begun do it from their own address
export const needs = '0105-recycle-bin'

/** From where the person called who began a run: policies of buckets may ask for it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table s3_run add column source text`.execute(db)
}
