import { sql, type Kysely } from 'kysely'

/** Who did what, when, from where and with what result. Rows are added and never changed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table audit (
      id bigint generated always as identity primary key,
      action text not null,
      subject_kind text,
      subject_id text,
      subject_name text,
      user_id text,
      user_name text,
      domain_id text,
      project_id text,
      scope_kind text,
      request_id text not null,
      address text not null,
      method text not null,
      path text not null,
      status integer not null,
      result text not null,
      error_code text,
      message text,
      started_at timestamptz not null,
      finished_at timestamptz not null
    )`.execute(db)
  await sql`create index audit_subject on audit (subject_kind, subject_id, id desc)`.execute(db)
  await sql`create index audit_started on audit (started_at)`.execute(db)
  await sql`
    create function audit_is_append_only() returns trigger language plpgsql as
      $$ begin raise exception 'audit rows are never changed'; end $$`.execute(db)
  await sql`
    create trigger audit_unchanged before update on audit
      for each row execute function audit_is_append_only()`.execute(db)
}
