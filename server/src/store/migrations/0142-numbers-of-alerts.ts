import { sql, type Kysely } from 'kysely'

// servers that do not know it give alerts ids of another form, which stay
export const needs = '0105-recycle-bin'

/** Ids of alerts: whole numbers, as command-line clients take them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create sequence alert_number`.execute(db)
}
