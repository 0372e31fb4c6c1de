import { sql, type Kysely } from 'kysely'

// servers that do not know it make challenges that count for no network
export const needs = '0051-image-digests'

/** The network that a challenge of a sign-in was asked for from, so that all servers together bound them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table passkey_challenge add column network text`.execute(db)
  await sql`create index passkey_challenge_network on passkey_challenge (network) where network is not null`.execute(db)
}
