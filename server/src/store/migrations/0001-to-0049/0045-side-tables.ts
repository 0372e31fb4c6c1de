import { sql, type Kysely } from 'kysely'

/** A side table for each declaration of a kind, so that servers of two versions can write beside one another. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table side_table (
      signature text primary key,
      kind text not null,
      name text not null,
      -- filled, and with its indexes
      is_ready boolean not null,
      -- it shows everything up to this revision, also what servers with other declarations wrote
      as_of bigint not null,
      used_at timestamptz not null default now()
    )`.execute(db)
  // those of servers of the version before, which may still run; nobody else uses them
  await sql`
    insert into side_table (signature, kind, name, is_ready, as_of)
    select 'before ' || kind, kind, 'index_of_' || kind, true, 0 from kind_index`.execute(db)
  await sql`drop table kind_index`.execute(db)
}
