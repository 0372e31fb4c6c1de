import { sql, type Kysely } from 'kysely'

/** Who holds a lease, for people, and where they are: the next process of that place need not wait for its end. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table lease add column if not exists holder text, add column if not exists place text`.execute(db)
}
