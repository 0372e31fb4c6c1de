import { sql, type Kysely } from 'kysely'

/** How new what the index knows of a cloud's rows is, and how each engine follows its cloud. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // When the read behind a row was begun, milliseconds since 1970 by the database's clock; kept for removed rows as
  // well. Rows that are not here are as new as the last full read of their kind.
  await sql`
    create table sight (
      kind text collate "C" not null,
      id text collate "C" not null,
      seen_at double precision not null,
      primary key (kind, id)
    ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05)`.execute(db)
  await sql`create table full_read (kind text primary key, seen_at double precision not null)`.execute(db)
  await sql`
    create table engine_state (
      name text primary key,
      -- the server that follows, and when it said so last
      holder text not null,
      told_at timestamptz not null,
      read_at timestamptz,
      health jsonb not null
    )`.execute(db)
}
