import { sql, type Kysely } from 'kysely'

/** What kind of console a ticket is for. A ticket lives a minute: those that are there are for screens. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table console_ticket add column protocol text not null default 'vnc'`.execute(db)
}
