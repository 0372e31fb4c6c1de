import { sql, type Kysely } from 'kysely'

// servers that do not know it write lines, which are sealed by those that do; their retention removes nothing sealed
export const needs = '0051-image-digests'

/**
 * A chain of hashes over the audit log, kept beside it: a seal for each line that can no longer change, in the order in which
 * they were sealed. Which lines still wait is noted by a trigger, whoever writes them. The anchor is what the first seal
 * follows: nothing, or the last one that retention has removed. Lines are forwarded by syslog in the order of their seals.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table audit_seal (
      seq bigint primary key,
      line_id bigint not null unique,
      hash text not null,
      sealed_at timestamptz not null default clock_timestamp()
    )`.execute(db)
  await sql`
    create table audit_anchor (
      is_only boolean primary key default true check (is_only),
      seq bigint not null,
      hash text not null,
      removed_lines bigint not null default 0,
      removed_at timestamptz
    )`.execute(db)
  await sql`insert into audit_anchor (seq, hash) values (0, repeat('0', 64))`.execute(db)
  await sql`
    create table audit_forwarding (
      is_only boolean primary key default true check (is_only),
      seq bigint not null default 0,
      lost_lines bigint not null default 0
    )`.execute(db)
  await sql`insert into audit_forwarding default values`.execute(db)
  await sql`create table audit_unsealed (line_id bigint primary key)`.execute(db)
  await sql`insert into audit_unsealed select id from audit`.execute(db)
  await sql`
    create function audit_wants_seal() returns trigger language plpgsql as
      $$ begin insert into audit_unsealed values (new.id); return null; end $$`.execute(db)
  await sql`
    create trigger audit_wants_seal after insert on audit
      for each row execute function audit_wants_seal()`.execute(db)
  await sql`
    create function audit_sealed_stays() returns trigger language plpgsql as $$
    begin
      if exists (select from audit_seal where line_id = old.id)
        and not (tg_op = 'DELETE' and coalesce(current_setting('mainstay.audit_retention', true), '') = 'on')
      then
        raise exception 'sealed audit rows are never changed, and removed by retention alone';
      end if;
      if tg_op = 'DELETE' then return old; end if;
      return new;
    end $$`.execute(db)
  await sql`
    create trigger audit_sealed_stays before update or delete on audit
      for each row execute function audit_sealed_stays()`.execute(db)
}
