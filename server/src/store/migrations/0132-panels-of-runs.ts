import { sql, type Kysely } from 'kysely'

// servers that do not know it let operators act at both ports
export const needs = '0105-recycle-bin'

/** At which port a run was begun or a console asked for: system permissions may count at the admin port alone. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['bulk_run', 's3_run', 'project_removal', 'console_ticket'])
    await sql`alter table ${sql.table(table)} add column panel text not null default 'admin'`.execute(db)
}
