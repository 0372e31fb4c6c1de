import { createHash } from 'node:crypto'
import type { Kind } from '@mainstay/contract/core/kind'
import type { Entity, Log } from '@mainstay/engines/ports/records'
import { sql, type Kysely } from 'kysely'
import type { Database } from '../store/schema'
import { numberChanges } from './announcements'
import {
  columnsOf,
  ownerColumn,
  isShareable,
  READERS,
  SEARCH,
  sqlType,
  valuesOf,
  type Column,
  type KindColumns,
} from './columns'

const BATCH = 1000
/** Arbitrary key for the lock that lets only one server at a time create side tables. */
const TABLES_LOCK = 7_206_502
/** How long an unused side table is kept. During this time, rolling back to the previous version is fast. */
const KEEP_UNUSED_HOURS = 24

export interface PreparedKinds {
  /** Keyed by the name of the kind. */
  columns: Map<string, KindColumns>
  /** The tables are complete up to this revision. They lack later writes by servers with other declarations. */
  asOf: number
}

/**
 * Creates the missing side tables for the current declarations. Servers with other declarations have their own tables
 * and can keep writing.
 */
export async function prepareKinds(db: Kysely<Database>, log: Log, kinds: readonly Kind[]): Promise<PreparedKinds> {
  const wanted = kinds.map(columnsOf)
  let asOf = Infinity
  // no timeout: filling a large table, or waiting for another server to do so, can take a long time
  await patiently(db, async (connection) => {
    await sql`select pg_advisory_lock(${TABLES_LOCK})`.execute(connection)
    try {
      const ready = await tablesReady(connection, wanted)
      for (const columns of wanted)
        asOf = Math.min(asOf, ready.get(columns.signature) ?? (await prepareTable(connection, log, columns)))
    } finally {
      await sql`select pg_advisory_unlock(${TABLES_LOCK})`.execute(connection)
    }
  })
  return {
    columns: new Map(wanted.map((columns) => [columns.kind.name, columns])),
    asOf: Number.isFinite(asOf) ? asOf : await numberChanges(db),
  }
}

/** The revision up to which each existing side table is complete, by signature. */
async function tablesReady(db: Kysely<Database>, wanted: readonly KindColumns[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ signature: string; as_of: number }>`
    update side_table set used_at = now() from change_pruned
    where signature = any(${wanted.map(({ signature }) => signature)}::text[])
      and is_ready and as_of >= change_pruned.revision
    returning signature, as_of`.execute(db)
  return new Map(rows.map(({ signature, as_of }) => [signature, as_of]))
}

async function prepareTable(db: Kysely<Database>, log: Log, columns: KindColumns): Promise<number> {
  const { kind, signature, table } = columns
  const started = performance.now()
  // later changes are read from the change log
  const asOf = await numberChanges(db)
  await db.transaction().execute(async (inside) => {
    await sql`
      insert into side_table (signature, kind, name, is_ready, as_of)
      values (${signature}, ${kind.name}, ${table}, false, ${asOf})
      on conflict (signature) do update set is_ready = false, as_of = excluded.as_of, used_at = now()`.execute(inside)
    await makeTable(inside, columns)
  })
  const rows = await fill(db, log, columns)
  // faster than creating the indexes first
  await makeIndexes(db, columns)
  const tookMs = Math.round(performance.now() - started)
  if (rows > 0) log.info({ kind: kind.name, rows, took_ms: tookMs }, 'built the index of a kind')
  return asOf
}

async function makeIndexes(db: Kysely<Database>, columns: KindColumns): Promise<void> {
  const { table, signature } = columns
  for (const [name, definition] of indexesOf(columns))
    await sql`create index if not exists ${sql.id(name)} on ${sql.table(table)} ${sql.raw(definition)}`.execute(db)
  await sql`analyze ${sql.table(table)}`.execute(db)
  await sql`update side_table set is_ready = true where signature = ${signature}`.execute(db)
}

/**
 * Drops the indexes of these kinds for a bulk load and recreates them afterwards. No other server may use the tables
 * during the load. If this server is killed, the next start rebuilds the tables from the rows.
 */
export async function withoutIndexes<Result>(
  db: Kysely<Database>,
  kinds: readonly KindColumns[],
  work: () => Promise<Result>,
): Promise<Result> {
  for (const columns of kinds) {
    await sql`update side_table set is_ready = false where signature = ${columns.signature}`.execute(db)
    for (const [name] of indexesOf(columns)) await sql`drop index if exists ${sql.id(name)}`.execute(db)
  }
  try {
    return await work()
  } finally {
    await patiently(db, async (connection) => {
      for (const columns of kinds) await makeIndexes(connection, columns)
    })
  }
}

/** Runs work on one connection without a statement timeout. */
function patiently<Result>(db: Kysely<Database>, work: (db: Kysely<Database>) => Promise<Result>): Promise<Result> {
  return db.connection().execute(async (connection) => {
    await sql`set statement_timeout = 0`.execute(connection)
    try {
      return await work(connection)
    } finally {
      await sql`reset statement_timeout`.execute(connection)
    }
  })
}

/** Drops side tables whose declaration no server has used for a day. */
export async function dropUnusedTables(db: Kysely<Database>): Promise<void> {
  const { rows } = await sql<{ signature: string; name: string }>`
    select signature, name from side_table
    where used_at < now() - make_interval(hours => ${KEEP_UNUSED_HOURS})
      and not exists (select from server where signature = any(server.signatures))`.execute(db)
  for (const { signature, name } of rows) {
    await db.transaction().execute(async (inside) => {
      await sql`select pg_advisory_xact_lock(${TABLES_LOCK})`.execute(inside)
      // skip a table that is in use again by a server that has just started
      const gone = await sql`
        delete from side_table
        where signature = ${signature} and used_at < now() - make_interval(hours => ${KEEP_UNUSED_HOURS})`.execute(
        inside,
      )
      if (gone.numAffectedRows) await sql`drop table if exists ${sql.table(name)}`.execute(inside)
    })
  }
}

async function makeTable(db: Kysely<Database>, { kind, table, columns }: KindColumns): Promise<void> {
  await sql`drop table if exists ${sql.table(table)}`.execute(db)
  // the leading columns of a row are the fastest to read: first the one read for every row, then those of fixed length
  const ranks = { number: 2, boolean: 3, natural: 4, text: 5, folded: 6, tags: 7 }
  const rank = ({ type, path }: Column): number => (type === 'text' && path === kind.status ? 1 : ranks[type])
  const definitions = columns
    .filter(({ name }) => name !== 'id')
    .toSorted((one, other) => rank(one) - rank(other))
    .map(({ name, type }) => sql`${sql.id(name)} ${sql.raw(sqlType[type])}`)
  await sql`
    create table ${sql.table(table)} (
      id text collate "C" primary key,
      ${sql.id(SEARCH)} text collate "C" not null,
      ${isShareable(kind) ? sql`${sql.id(READERS)} text[] collate "C" not null default '{}',` : sql``}
      ${sql.join(definitions)}
    ) with (fillfactor = 90, toast_tuple_target = 4096, autovacuum_vacuum_scale_factor = 0.05,
      autovacuum_analyze_scale_factor = 0.02)`.execute(db)
}

/** Indexes as [name, definition]. Names are unique within the database. */
function indexesOf({ kind, table, columns }: KindColumns): [string, string][] {
  const home = ownerColumn(kind)
  const definitions = columns
    .filter(({ indexed }) => indexed)
    .map(({ name, type, sorted }) => {
      const quoted = `"${name}"`
      if (type === 'tags') return `using gin (${quoted})`
      return sorted ? `(${quoted}, id)` : `(${quoted})`
    })
  // this index lets a project page through its own rows in any order at a cost that does not depend on the total number
  // of rows
  for (const { name } of columns.filter(({ sorted, name }) => home && sorted && name !== home && name !== 'id'))
    definitions.push(`("${home}", "${name}", id)`)
  if (isShareable(kind)) definitions.push(`using gin ("${READERS}") with (fastupdate = off)`)
  // a long pending list slows down searches and the write that flushes it
  definitions.push(`using gin ("${SEARCH}" gin_trgm_ops) with (gin_pending_list_limit = 1024)`)
  return definitions.map((definition) => [
    `${table}_${createHash('sha256').update(definition).digest('hex').slice(0, 10)}`,
    definition,
  ])
}

async function fill(db: Kysely<Database>, log: Log, columns: KindColumns): Promise<number> {
  let after = ''
  let count = 0
  for (;;) {
    const rows = await db
      .selectFrom('resource')
      .select(['id', 'body'])
      .where('kind', '=', columns.kind.name)
      .where('id', '>', after)
      .orderBy('id')
      .limit(BATCH)
      .execute()
    if (rows.length === 0) return count
    await writeColumns(db, columns, readableRows(log, columns, rows))
    count += rows.length
    after = rows[rows.length - 1]!.id
  }
}

/** Side table rows for the entities. Skips and logs entities that cannot be indexed. */
export function readableRows(
  log: Log,
  columns: KindColumns,
  entities: readonly { id: string; body: Entity }[],
): Record<string, unknown>[] {
  return entities.flatMap(({ id, body }) => {
    try {
      return [columnsRow(columns, body)]
    } catch (error) {
      log.warn({ error, kind: columns.kind.name, id }, 'failed to index a row; lists do not show it')
      return []
    }
  })
}

/** The side table row for an entity, including derived values. */
export function columnsRow(columns: KindColumns, entity: Entity): Record<string, unknown> {
  return valuesOf(columns, entity, deriveOf(columns.kind, entity))
}

export const deriveOf = (kind: Kind, entity: Entity): Record<string, unknown> | null =>
  kind.derive?.from(entity) ?? null

/** Inserts or updates rows in a side table. */
export async function writeColumns(
  db: Kysely<Database>,
  columns: KindColumns,
  rows: Record<string, unknown>[],
): Promise<void> {
  if (rows.length === 0) return
  await sql`${upsertColumns(columns, rows)}`.execute(db)
}

/** The statement that `writeColumns` runs, for use within a larger statement. */
export function upsertColumns(columns: KindColumns, rows: Record<string, unknown>[]) {
  const all = [
    ...columns.columns.filter(({ name }) => name !== 'id').map(({ name, type }) => ({ name, type: plainType[type] })),
    ...(isShareable(columns.kind) ? [{ name: READERS, type: 'text[]' }] : []),
    { name: SEARCH, type: 'text' },
  ]
  const names = [sql`id`, ...all.map(({ name }) => sql`${sql.id(name)}`)]
  const record = [sql`id text`, ...all.map(({ name, type }) => sql`${sql.id(name)} ${sql.raw(type)}`)]
  return sql`
    insert into ${sql.table(columns.table)} (${sql.join(names)})
    select ${sql.join(names)} from json_to_recordset(${JSON.stringify(rows)}::json) as given (${sql.join(record)})
    on conflict (id) do update set ${sql.join(all.map(({ name }) => sql`${sql.id(name)} = excluded.${sql.id(name)}`))}`
}

const plainType = {
  text: 'text',
  natural: 'text',
  folded: 'text',
  number: 'double precision',
  boolean: 'boolean',
  tags: 'text[]',
} as const
