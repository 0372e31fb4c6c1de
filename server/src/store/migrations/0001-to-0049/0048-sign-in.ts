import { sql, type Kysely } from 'kysely'

/** Where users have signed in from, by hash; and the default domain under the name that programs know it by. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table sign_in_source (
      user_key text not null,
      source text not null,
      last_at timestamptz not null,
      primary key (user_key, source)
    )`.execute(db)
  await sql`create index sign_in_source_last on sign_in_source (last_at)`.execute(db)
  await sql`create index sign_in_failure_last on sign_in_failure (last_at)`.execute(db)
  await sql`
    update identity_domain set name = 'Default' where id = 'default' and name = 'default'
      and not exists (select from identity_domain where name = 'Default')`.execute(db)
}
