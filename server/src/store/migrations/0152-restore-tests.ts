import { sql, type Kysely } from 'kysely'

export const needs = '0151-run-callers'

/** Adds the result of the last test restore to recovery points. Existing recovery points have not been tested. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    update resource set body = body || '{"restore_test": null}' where kind = 'volume_backup'`.execute(db)
}
