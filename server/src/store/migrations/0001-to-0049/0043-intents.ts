import { sql, type Kysely } from 'kysely'

/** Jobs that were written down before the command they follow was sent to a cloud. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table job add column prepared boolean not null default false`.execute(db)
}
