import { sql, type Kysely } from 'kysely'

// servers that do not know it have no providers, and go on with the users that there are
export const needs = '0051-image-digests'

/**
 * Identity providers of domains, and for whom they vouch. When a provider is disabled, every server hears of the sessions of its
 * users, as of those of a user who is disabled.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table identity_provider (
      id text primary key,
      domain_id text not null references identity_domain (id) on delete cascade,
      name text not null,
      -- the name without regard to case: it is taken once in a domain
      folded_name text not null,
      enabled boolean not null,
      settings jsonb not null,
      -- the secret, sealed with the key of the installation; null: none
      sealed bytea,
      created_at timestamptz not null default now(),
      unique (domain_id, folded_name)
    )`.execute(db)
  // who somebody is to the provider
  await sql`alter table identity_user add column subject text`.execute(db)
  // what the last sign-in has given
  await sql`alter table identity_user add column given jsonb`.execute(db)
  await sql`create unique index identity_user_subject on identity_user (identity_provider, subject)`.execute(db)
  await sql`
    create function tell_provider_disabled() returns trigger language plpgsql as $$ begin
      perform pg_notify('session_ended', s.id::text) from session s join identity_user u on u.id = s.user_id
        where u.identity_provider = new.id and s.ended_at is null;
      return null;
    end $$`.execute(db)
  await sql`
    create trigger provider_disabled after update of enabled on identity_provider
      for each row when (old.enabled and not new.enabled) execute function tell_provider_disabled()`.execute(db)
}
