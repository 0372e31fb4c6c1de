import { createHash } from 'node:crypto'
import type { Kind } from '@mainstay/contract/core/kind'
import type { Entity, Log } from '@mainstay/engines/ports/records'
import { sql, type Kysely } from 'kysely'
import type { Database } from '../store/schema'
import { columnsOf, homeColumn, SEARCH, SHARED, sqlType, valuesOf, type Column, type KindColumns } from './columns'

const BATCH = 1000
/** Any fixed number: one server at a time makes the tables of kinds. */
const TABLES_LOCK = 7_206_502

/**
 * Makes the side table of each kind as its declaration says, anew where the declaration has changed since, and drops
 * those of kinds that are no longer there. Answers the columns by kind.
 */
export async function prepareKinds(
  db: Kysely<Database>,
  log: Log,
  kinds: readonly Kind[],
): Promise<Map<string, KindColumns>> {
  const wanted = kinds.map(columnsOf)
  await db.connection().execute(async (connection) => {
    await sql`select pg_advisory_lock(${TABLES_LOCK})`.execute(connection)
    try {
      const made = new Map(
        (await connection.selectFrom('kind_index').selectAll().execute()).map((row) => [row.kind, row.signature]),
      )
      for (const columns of wanted) {
        if (made.get(columns.kind.name) === columns.signature) continue
        const started = performance.now()
        const rows = await connection.transaction().execute((inside) => makeTable(inside, columns))
        await sql`analyze ${sql.table(columns.table)}`.execute(connection)
        const tookMs = Math.round(performance.now() - started)
        if (rows > 0) log.info({ kind: columns.kind.name, rows, took_ms: tookMs }, 'made the index of a kind anew')
      }
      for (const name of made.keys()) {
        if (wanted.some(({ kind }) => kind.name === name)) continue
        await sql`drop table if exists ${sql.table(`index_of_${name}`)}`.execute(connection)
        await connection.deleteFrom('kind_index').where('kind', '=', name).execute()
      }
    } finally {
      await sql`select pg_advisory_unlock(${TABLES_LOCK})`.execute(connection)
    }
  })
  return new Map(wanted.map((columns) => [columns.kind.name, columns]))
}

async function makeTable(db: Kysely<Database>, columns: KindColumns): Promise<number> {
  const { kind, table } = columns
  await sql`drop table if exists ${sql.table(table)}`.execute(db)
  // the first columns of a row are the quickest to reach: what is read of all rows, then what has a fixed length
  const ranks = { number: 2, boolean: 3, natural: 4, text: 5, folded: 6, tags: 7 }
  const rank = ({ type, path }: Column): number => (type === 'text' && path === kind.status ? 1 : ranks[type])
  const definitions = columns.columns
    .filter(({ name }) => name !== 'id')
    .toSorted((one, other) => rank(one) - rank(other))
    .map(({ name, type }) => sql`${sql.id(name)} ${sql.raw(sqlType[type])}`)
  await sql`
    create table ${sql.table(table)} (
      id text collate "C" primary key,
      ${sql.id(SEARCH)} text collate "C" not null,
      ${sql.id(SHARED)} boolean not null,
      ${sql.join(definitions)}
    ) with (fillfactor = 90, toast_tuple_target = 4096, autovacuum_vacuum_scale_factor = 0.05,
      autovacuum_analyze_scale_factor = 0.02)`.execute(db)
  const rows = await fill(db, columns)
  // after the rows, which is quicker than before
  for (const [name, definition] of indexesOf(columns)) {
    await sql`create index ${sql.id(name)} on ${sql.table(table)} ${sql.raw(definition)}`.execute(db)
  }
  await sql`
    insert into kind_index (kind, signature) values (${kind.name}, ${columns.signature})
    on conflict (kind) do update set signature = excluded.signature`.execute(db)
  return rows
}

/** Indexes as [name, definition]; names are unique in the whole database. */
function indexesOf({ kind, table, columns }: KindColumns): [string, string][] {
  const home = homeColumn(kind)
  const definitions = columns
    .filter(({ indexed }) => indexed)
    .map(({ name, type, sorted }) => {
      const quoted = `"${name}"`
      if (type === 'tags') return `using gin (${quoted})`
      return sorted ? `(${quoted}, id)` : `(${quoted})`
    })
  // a project walks through its own rows in every order, however many there are of others
  for (const { name } of columns.filter(({ sorted, name }) => home && sorted && name !== home && name !== 'id'))
    definitions.push(`("${home}", "${name}", id)`)
  definitions.push(`(id) where "${SHARED}"`)
  // a short pending list: a long one makes the write that empties it slow, and every search until then
  definitions.push(`using gin ("${SEARCH}" gin_trgm_ops) with (gin_pending_list_limit = 1024)`)
  return definitions.map((definition) => [
    `${table}_${createHash('sha256').update(definition).digest('hex').slice(0, 10)}`,
    definition,
  ])
}

async function fill(db: Kysely<Database>, columns: KindColumns): Promise<number> {
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
    await writeColumns(
      db,
      columns,
      rows.map(({ body }) => columnsRow(columns, body)),
    )
    count += rows.length
    after = rows[rows.length - 1]!.id
  }
}

/** A row of the side table, figures for the index included. */
export function columnsRow(columns: KindColumns, entity: Entity): Record<string, unknown> {
  return valuesOf(columns, entity, deriveOf(columns.kind, entity))
}

export const deriveOf = (kind: Kind, entity: Entity): Record<string, unknown> | null => kind.derive?.(entity) ?? null

/** Makes or replaces rows of a side table. */
export async function writeColumns(
  db: Kysely<Database>,
  columns: KindColumns,
  rows: Record<string, unknown>[],
): Promise<void> {
  if (rows.length === 0) return
  await sql`${upsertColumns(columns, rows)}`.execute(db)
}

/** The statement of `writeColumns`, to be part of a larger one. */
export function upsertColumns(columns: KindColumns, rows: Record<string, unknown>[]) {
  const all = [
    ...columns.columns.filter(({ name }) => name !== 'id').map(({ name, type }) => ({ name, type: plainType[type] })),
    { name: SHARED, type: 'boolean' },
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
