import { sql, type Kysely } from 'kysely'

export const needs = '0152-restore-tests'

/** Backup plans may test restores. Those that exist do not. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    update resource set body = body || '{"test_restore": "never", "last_test": null}' where kind = 'backup_plan'`.execute(
    db,
  )
}
