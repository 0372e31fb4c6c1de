import { sql, type Kysely } from 'kysely'

/**
 * Changes get their numbers after their transactions have committed, so that those who write different rows do not wait
 * for one another (docs/decisions/0017-revisions-without-a-lock.md).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Revisions of rows tell their states apart. They are taken inside transactions and say nothing of the order of
  // commits; far beyond the numbers that servers of the version before give to rows while they still run beside.
  await sql`create sequence row_revision start with 1000000000000`.execute(db)
  // signature: of the declaration that the writer's side table was made for; null from servers that had none
  await sql`alter table change add column signature text`.execute(db)
  // old changes are now forgotten from the smallest number on
  await sql`drop index change_at`.execute(db)
  await sql`
    create table change_unnumbered (
      row_revision bigint not null,
      kind text collate "C" not null,
      id text collate "C" not null,
      op text not null,
      domain_id text,
      project_id text,
      user_id text,
      shared boolean not null,
      before jsonb,
      signature text,
      at timestamptz not null
    ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)`.execute(db)
  // A function, so that no client holds the lock: what is committed is numbered in one go, in the order of the rows'
  // own revisions, which is the order in which one row was changed. Answers the newest number.
  await sql`
    create function number_changes() returns bigint language plpgsql as $$
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
          insert into change (revision, kind, id, op, domain_id, project_id, user_id, shared, before, signature, at)
          select head + row_number() over (order by row_revision),
            kind, id, op, domain_id, project_id, user_id, shared, before, signature, at
          from taken
          returning revision)
      update revision set value = head + (select count(*) from numbered) returning value into head;
      return head;
    end
    $$`.execute(db)
  // The newest full read that has begun: what was seen before it changes no row that is there.
  await sql`alter table full_read add column begun_at double precision`.execute(db)
}
