import { sql, type Kysely } from 'kysely'

// servers that do not know it close sessions and passkeys after the change of rights
export const needs = '0105-recycle-bin'

/**
 * Ends sessions and tokens of users and removes their passkeys, in the transaction of an engine that gives them their first system
 * permission. Every server hears of sessions that end.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function close_ways_in(users text[]) returns void language plpgsql as $$ begin
      update session set ended_at = now() where user_id = any(users) and ended_at is null;
      delete from passkey where user_id = any(users);
      delete from passkey_challenge where user_id = any(users);
    end $$`.execute(db)
}
