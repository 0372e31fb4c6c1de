import type { Kind } from '@mainstay/contract/core/kind'
import { notFound } from '@mainstay/contract/core/problems'
import { EVERYBODY } from '@mainstay/contract/core/readers'
import type { Entity } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { Database } from '../store/schema'
import { numberChanges } from './announcements'
import type { KindColumns } from './columns'
import { conditionsOf } from './lists/conditions'
import type { LoggedChange, VisibleRows } from './types'
import { isVisible, ownedBy, redactFor, visibleRows, type Owned } from './visibility'

/** Rows by ID, regardless of visibility. Ignores impossible IDs. */
export async function rowsOf(db: Kysely<Database>, kind: Kind, ids: readonly string[]): Promise<Map<string, Entity>> {
  const possible = ids.filter((id) => !id.includes('\0'))
  if (possible.length === 0) return new Map()
  const { rows } = await sql<{ id: string; body: Entity }>`
    select id, body from resource where kind = ${kind.name} and id = any(${possible}::text[])`.execute(db)
  return new Map(rows.map(({ id, body }) => [id, body]))
}

/** The rows with these IDs that the scope can see, in the order of the IDs. */
export async function severalRows<Row extends Entity>(
  db: Kysely<Database>,
  kind: Kind,
  scope: Scope,
  ids: readonly string[],
): Promise<Row[]> {
  const rows = await rowsOf(db, kind, ids)
  return ids.flatMap((id) => {
    const row = rows.get(id)
    return row && isVisible(kind, scope, ownedBy(kind, row)) ? [redactFor(kind, scope, row as Row)] : []
  })
}

/** A row as the scope sees it. Throws `not_found` both for missing and for invisible rows. */
export async function viewRow<Row extends Entity>(
  db: Kysely<Database>,
  kind: Kind,
  scope: Scope,
  id: string,
): Promise<Row> {
  const [row] = await severalRows<Row>(db, kind, scope, [id])
  if (!row) throw notFound()
  return row
}

/** Counts rows by the value at a declared path; null counts as ''. */
export async function countRowsBy(
  db: Kysely<Database>,
  columns: KindColumns,
  scope: Scope,
  path: string,
): Promise<Record<string, number>> {
  const column = columns.columns.find(
    (it) => it.path === path && it.type !== 'natural' && it.type !== 'folded' && it.type !== 'tags',
  )
  if (!column) throw new Error(`${columns.kind.name} cannot be counted by ${path}: declare it as a filter`)
  const at = sql.id(column.name)
  const { rows } = await sql<{ value: string | null; count: number }>`
    select ${at}::text as value, count(*) as count from ${sql.table(columns.table)}
    where ${visibleRows(columns.kind, scope) ?? sql`true`} group by ${at}`.execute(db)
  return Object.fromEntries(rows.map(({ value, count }) => [value ?? '', count]))
}

/** Runs a query over the side table of a kind; see `Inventory.aggregate`. */
export async function aggregateRows<Result>(
  db: Kysely<Database>,
  columns: KindColumns,
  scope: Scope,
  query: (rows: VisibleRows) => RawBuilder<Result>,
  filters: Readonly<Record<string, unknown>> = {},
): Promise<Result[]> {
  const { kind, table } = columns
  const conditions = [visibleRows(kind, scope) ?? sql`true`, ...conditionsOf(columns, scope, { ...filters, limit: 1 })]
  const column = (path: string) => {
    const found = columns.columns.find((it) => it.path === path && it.type !== 'natural' && it.type !== 'folded')
    if (!found) throw new Error(`${kind.name} has no column for ${path}: declare it as a filter`)
    return sql.id(found.name)
  }
  const from = sql`(select * from ${sql.table(table)} where ${sql.join(conditions, sql` and `)}) visible`
  return (await query({ from, column }).execute(db)).rows
}

/** Changes after a revision; see `Inventory.changesSince`. */
export async function changesAfter(
  db: Kysely<Database>,
  revision: number,
  limit: number,
): Promise<LoggedChange[] | null> {
  // the server that wrote the changes may have stopped before numbering them
  await numberChanges(db)
  // a single statement, so that pruning during the read is detected
  const { rows } = await sql<Logged & { head: number; pruned: number; time: Date }>`
    select bounds.head, bounds.pruned, change.*, change.at as time
    from (select (select value from revision) as head, (select revision from change_pruned) as pruned) bounds
      left join lateral (select * from change where revision > ${revision} order by revision limit ${limit}) change on true
    order by change.revision`.execute(db)
  const { head, pruned } = rows[0]!
  if (revision < pruned || revision > head) return null
  return rows
    .filter((row) => row.revision !== null)
    .map(({ head: _, pruned: __, signature: ___, time, before, ...change }) => ({
      ...withReaders(change),
      before: before && withReaders(before),
      at: time.toISOString(),
    }))
}

type LoggedOwner = Omit<Owned, 'readers'> & { readers?: string[] | null; shared: boolean }
type Logged = Omit<LoggedChange, keyof Owned | 'before'> &
  LoggedOwner & { before: LoggedOwner | null; signature: unknown }

/** Servers running the previous version log only whether a row is visible to everyone. */
const withReaders = <Row extends LoggedOwner>({ shared, readers, ...row }: Row) => ({
  ...row,
  readers: readers ?? (shared ? [EVERYBODY] : []),
})

/** Deletes changes older than this, in batches that keep each transaction short. */
export async function pruneChanges(db: Kysely<Database>, olderThanSeconds: number, batch = 5000): Promise<void> {
  for (;;) {
    const { rows } = await sql`
      with oldest as (select revision, at from change order by revision limit ${batch}),
        gone as (
          delete from change where revision in (
            select revision from oldest where at < now() - make_interval(secs => ${olderThanSeconds}))
          returning revision)
      update change_pruned set revision = greatest(change_pruned.revision, (select max(revision) from gone))
      where exists (select from gone)
      returning revision`.execute(db)
    if (rows.length === 0) return
  }
}
