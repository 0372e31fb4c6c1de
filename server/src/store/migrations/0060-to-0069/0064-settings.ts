import { sql, type Kysely } from 'kysely'

// servers that do not know it have no settings, and tell nobody of failed sign-ins
export const needs = '0051-image-digests'

/** Settings that operators make while the server runs, and who was told of failed sign-ins. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table setting (
      name text collate "C" primary key,
      value jsonb not null,
      -- what must not be read from the database alone, sealed with the key of the installation; null: nothing
      sealed bytea,
      updated_at timestamptz not null default now()
    )`.execute(db)
  await sql`
    create function tell_setting_changed() returns trigger language plpgsql as $$ begin
      perform pg_notify('setting_changed', new.name);
      return null;
    end $$`.execute(db)
  await sql`
    create trigger setting_changed after insert or update on setting
      for each row execute function tell_setting_changed()`.execute(db)
  await sql`
    create table sign_in_notice (
      user_id text primary key,
      told_at timestamptz not null default now()
    )`.execute(db)
}
