import { sql, type Kysely } from 'kysely'

// servers that do not know it neither set nor obey it
export const needs = '0105-recycle-bin'

/** Objects that a person may store; nothing is no limit, as it was for those who have an account already. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table s3_account add column quota_objects bigint`.execute(db)
}
