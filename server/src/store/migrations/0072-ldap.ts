import { sql, type Kysely } from 'kysely'

// servers that do not know it import nobody, and sign in nobody by a directory
export const needs = '0051-image-digests'

/** What a directory (LDAP) calls the users and groups that came from it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table identity_user
      -- the directory's own id, which stays when somebody is renamed; null for who did not come from there
      add column ldap_id text,
      -- the name without regard to case: directories make no difference
      add column ldap_name text,
      -- disabled by an import, and enabled again by the one that finds the person again; null: not by an import
      add column ldap_gone_at timestamptz`.execute(db)
  await sql`create unique index identity_user_ldap_id on identity_user (domain_id, ldap_id)`.execute(db)
  await sql`create unique index identity_user_ldap_name on identity_user (domain_id, ldap_name)`.execute(db)
  await sql`
    alter table identity_group
      -- null: made here
      add column identity_provider text,
      add column ldap_id text`.execute(db)
  await sql`create unique index identity_group_ldap_id on identity_group (domain_id, ldap_id)`.execute(db)
}
