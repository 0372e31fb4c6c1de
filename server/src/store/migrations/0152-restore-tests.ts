import { sql, type Kysely } from 'kysely'

export const needs = '0151-run-callers'

/** Recovery points record their last test restore. There were none before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    update resource set body = body || '{"restore_test": null}' where kind = 'volume_backup'`.execute(db)
}
