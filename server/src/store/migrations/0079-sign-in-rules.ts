import { sql, type Kysely } from 'kysely'

// servers that do not know it ask for a second factor of whom has one
export const needs = '0051-image-digests'

/** How people of a domain sign in. A domain without a row asks for nothing more than there is. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table sign_in_rule (
      domain_id text primary key references identity_domain (id) on delete cascade,
      second_factor text not null
    )`.execute(db)
}
