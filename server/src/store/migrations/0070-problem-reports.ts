import { sql, type Kysely } from 'kysely'

// servers that do not know it make none
export const needs = '0051-image-digests'

/** Problem reports with their archives. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table problem_report (
      id text collate "C" primary key,
      task_id text not null,
      created_at timestamptz not null default now(),
      user_id text not null,
      username text not null,
      domain_id text not null,
      -- made by an operator: those of tenants do not take its place
      of_operator boolean not null,
      contact_email text not null,
      problem_description text not null,
      -- tar.gz; null while it is being made
      archive bytea,
      sent_at timestamptz,
      send_error text
    )`.execute(db)
  // it is packed already
  await sql`alter table problem_report alter column archive set storage external`.execute(db)
}
