import { sql, type Kysely } from 'kysely'

/**
 * Every server hears at once of a session that has ended, whoever ended it, and of one whose user or domain was
 * disabled: its sockets and consoles end everywhere.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function tell_session_ended() returns trigger language plpgsql as
      $$ begin perform pg_notify('session_ended', new.id::text); return null; end $$`.execute(db)
  await sql`
    create trigger session_ended after update of ended_at on session
      for each row when (old.ended_at is null and new.ended_at is not null)
      execute function tell_session_ended()`.execute(db)
  await sql`
    create function tell_user_disabled() returns trigger language plpgsql as $$ begin
      perform pg_notify('session_ended', id::text) from session where user_id = new.id and ended_at is null;
      return null;
    end $$`.execute(db)
  await sql`
    create trigger user_disabled after update of enabled on identity_user
      for each row when (old.enabled and not new.enabled) execute function tell_user_disabled()`.execute(db)
  await sql`
    create function tell_domain_disabled() returns trigger language plpgsql as $$ begin
      perform pg_notify('session_ended', s.id::text) from session s join identity_user u on u.id = s.user_id
        where u.domain_id = new.id and s.ended_at is null;
      return null;
    end $$`.execute(db)
  await sql`
    create trigger domain_disabled after update of enabled on identity_domain
      for each row when (old.enabled and not new.enabled) execute function tell_domain_disabled()`.execute(db)
}
