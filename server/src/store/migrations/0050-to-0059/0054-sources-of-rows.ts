import { sql, type Kysely } from 'kysely'

// servers that do not know it write nothing into what is new
export const needs = '0051-image-digests'

/** Every row knows which engine it is from, so that engines may have rows of one kind (docs/decisions/0025-sources-and-readers.md). */
export async function up(db: Kysely<unknown>): Promise<void> {
  // null: written by a server of the version before, which knows one source only
  await sql`alter table resource add column source text collate "C"`.execute(db)
  await sql`alter table sight add column source text collate "C"`.execute(db)
  await sql`update resource set source = 'server' where kind = 'task'`.execute(db)
  // those of a cloud get the name of their source from its next full read
  await sql`
    update resource set source = 'embedded'
    where kind <> 'task'
      and coalesce((select data ->> 'view' from private_record where kind = 'index' and id = 'owner'), 'record') = 'record'`.execute(
    db,
  )
  // servers of the version before write full_read, where a kind has one line
  await sql`
    create table source_read (
      source text collate "C" not null,
      kind text collate "C" not null,
      -- the newest full read that has ended, and the newest that has begun: milliseconds since 1970 by the database's clock
      seen_at double precision not null,
      begun_at double precision,
      primary key (source, kind)
    )`.execute(db)
}
