import { sql, type Kysely } from 'kysely'

// servers that do not know it compare names letter by letter
export const needs = '0105-recycle-bin'

/** Names of users without regard to case and form: those whom a provider vouches for are looked up by it at each sign-in. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index identity_user_folded_name on identity_user (domain_id, lower(normalize(name, NFKC)))`.execute(
    db,
  )
}
