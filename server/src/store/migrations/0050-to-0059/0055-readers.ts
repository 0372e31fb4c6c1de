import { sql, type Kysely } from 'kysely'

// servers that do not know it write nothing into what is new
export const needs = '0051-image-digests'

/** Who reads a row besides its owner is data, and no longer a yes or no (docs/decisions/0025-sources-and-readers.md). */
export async function up(db: Kysely<unknown>): Promise<void> {
  // null: written by a server of the version before, which says `shared` only
  await sql`alter table change add column readers text[] collate "C"`.execute(db)
  await sql`alter table change_unnumbered add column readers text[] collate "C"`.execute(db)
  // as before (0044), and takes the new column along
  await sql`
    create or replace function number_changes() returns bigint language plpgsql as $$
    declare
      head bigint;
    begin
      if not exists (select from change_unnumbered) then
        return (select value from revision);
      end if;
      select value into head from revision for update;
      -- a statement of its own sees everything that was committed before the lock was got
      with taken as (delete from change_unnumbered returning *),
        numbered as (
          insert into change
            (revision, kind, id, op, domain_id, project_id, user_id, readers, shared, before, signature, at)
          select head + row_number() over (order by row_revision),
            kind, id, op, domain_id, project_id, user_id, readers, shared, before, signature, at
          from taken
          returning revision)
      update revision set value = head + (select count(*) from numbered) returning value into head;
      return head;
    end
    $$`.execute(db)
}
