import { sql, type Kysely } from 'kysely'

// servers that do not know it read and write none
export const needs = '0051-image-digests'

/** What programs keep of domains, whoever keeps the domains themselves. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table domain_property (
      domain_id text not null,
      key text not null,
      access text not null,
      -- JSON with its members in the order in which they were sent
      data text not null,
      primary key (domain_id, key)
    )`.execute(db)
  await sql`
    create function forget_domain_properties() returns trigger language plpgsql as
      $$ begin delete from domain_property where domain_id = old.id; return null; end $$`.execute(db)
  await sql`
    create trigger properties_forgotten after delete on identity_domain
      for each row execute function forget_domain_properties()`.execute(db)
}
