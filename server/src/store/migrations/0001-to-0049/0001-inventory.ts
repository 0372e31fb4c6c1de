import { sql, type Kysely } from 'kysely'

/** The index of every resource, its change log, and what engines keep beside a row. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create extension if not exists pg_trgm`.execute(db)
  // All texts that are compared or sorted are collated "C": the same order on every PostgreSQL, and the quickest one.
  // Bodies go out of line early, so that what decides a list stays dense.
  await sql`
    create table resource (
      kind text collate "C" not null,
      id text collate "C" not null,
      domain_id text collate "C",
      project_id text collate "C",
      user_id text collate "C",
      name text,
      status text,
      shared boolean not null default false,
      created_at timestamptz,
      updated_at timestamptz,
      revision bigint not null,
      body jsonb not null,
      derived jsonb,
      primary key (kind, id)
    ) with (fillfactor = 85, toast_tuple_target = 512, autovacuum_vacuum_scale_factor = 0.05)`.execute(db)
  await sql`create index resource_project on resource (kind, project_id)`.execute(db)
  // the newest revision; its row lock is what makes revisions visible in order
  await sql`create table revision (single boolean primary key default true check (single), value bigint not null)`.execute(
    db,
  )
  await sql`insert into revision (value) values (0)`.execute(db)
  await sql`
    create table change (
      revision bigint primary key,
      kind text collate "C" not null,
      id text collate "C" not null,
      op text not null,
      domain_id text,
      project_id text,
      user_id text,
      shared boolean not null,
      -- who could see the row before: {domain_id, project_id, user_id, shared}, where that was not the same
      before jsonb,
      at timestamptz not null
    )`.execute(db)
  await sql`create index change_at on change using brin (at)`.execute(db)
  // revisions up to this one are no longer in the log
  await sql`create table change_pruned (single boolean primary key default true check (single), revision bigint not null)`.execute(
    db,
  )
  await sql`insert into change_pruned (revision) values (0)`.execute(db)
  await sql`
    create table private_record (
      kind text collate "C" not null,
      id text collate "C" not null,
      data jsonb not null,
      primary key (kind, id)
    )`.execute(db)
  // which declaration of a kind its side table was made for
  await sql`create table kind_index (kind text primary key, signature text not null)`.execute(db)
  await sql`
    create table lease (
      name text primary key,
      owner text not null,
      until timestamptz not null
    )`.execute(db)
}
