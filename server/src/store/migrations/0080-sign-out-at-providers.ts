import { sql, type Kysely } from 'kysely'

// servers that do not know it sign out here alone, as before
export const needs = '0051-image-digests'

/** Where the browser of a session goes to sign out at its identity provider. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // sealed with the key of the installation: it holds the ID token
  await sql`alter table session add column sign_out bytea`.execute(db)
}
