import { sql, type Kysely } from 'kysely'

/** The one project of a session that an application credential began, and the most that it may do there. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table session add column bound jsonb`.execute(db)
}
