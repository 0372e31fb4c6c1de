import { sql, type Kysely } from 'kysely'

/** Stores the callers of runs over many objects. They are stored once per run, and deleted with its job. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table run_caller (
      task_id text primary key references job on delete cascade,
      session_id text not null,
      -- where they acted when they began it
      project_id text,
      credential_key bytea,
      panel text not null,
      address text not null,
      -- what policies of buckets may ask for
      source text
    )`.execute(db)
  // runs started earlier lose their caller and therefore fail
  await sql`drop table project_removal`.execute(db)
  await sql`
    alter table bulk_run drop column session_id, drop column credential_key, drop column panel, drop column address
  `.execute(db)
  await sql`alter table bulk_object drop column domain_id`.execute(db)
  await sql`
    alter table s3_run drop column session_id, drop column project_id, drop column credential_key, drop column panel,
      drop column source`.execute(db)
}
