import { sql, type Kysely } from 'kysely'

// servers that do not know it add lines and change none
export const needs = '0051-image-digests'

/**
 * A line of the audit log is written with the act, before anybody can know its end: what came of it may be completed,
 * from unknown to known and from done to failed; and what it was done to, where that was not known yet. Nothing else of a
 * line ever changes.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function audit_is_append_only() returns trigger language plpgsql as $$
    declare
      outcome constant text[] :=
        '{subject_id,subject_name,status,result,error_code,message,finished_at}';
    begin
      if old.result = 'error' or new.result not in ('success', 'error')
        or to_jsonb(new) - outcome <> to_jsonb(old) - outcome
        or (old.result = 'success' and (old.subject_id <> new.subject_id or old.subject_name <> new.subject_name))
        or (old.subject_id is not null and new.subject_id is null)
        or (old.subject_name is not null and new.subject_name is null)
      then
        raise exception 'audit rows are never changed';
      end if;
      return new;
    end $$`.execute(db)
}
