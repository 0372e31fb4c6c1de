import type { Kind } from '@mainstay/contract/core/kind'
import { notFound } from '@mainstay/contract/core/problems'
import { EVERYBODY } from '@mainstay/contract/core/readers'
import type { Entity } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import { sql, type Kysely } from 'kysely'
import type { Database } from '../store/schema'
import { numberChanges } from './announcements'
import type { KindColumns } from './columns'
import type { LoggedChange } from './types'
import { isVisible, ownedBy, redactFor, visibleRows, type Owned } from './visibility'

/** Rows by id, whoever may see them. Ids that no row can have are passed over. */
export async function rowsOf(db: Kysely<Database>, kind: Kind, ids: readonly string[]): Promise<Map<string, Entity>> {
  const possible = ids.filter((id) => !id.includes('\0'))
  if (possible.length === 0) return new Map()
  const { rows } = await sql<{ id: string; body: Entity }>`
    select id, body from resource where kind = ${kind.name} and id = any(${possible}::text[])`.execute(db)
  return new Map(rows.map(({ id, body }) => [id, body]))
}

/** Several rows by id, those that the scope may see, in the order asked. */
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

/** One row as the scope may see it; throws `not_found` alike for what is not there and what is not to be seen. */
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

/** Counts by a declared path; '' where it is null. */
export async function countRowsBy(
  db: Kysely<Database>,
  columns: KindColumns,
  scope: Scope,
  path: string,
): Promise<Record<string, number>> {
  const column = columns.columns.find(
    (it) => it.path === path && it.type !== 'natural' && it.type !== 'folded' && it.type !== 'tags',
  )
  if (!column) throw new Error(`${columns.kind.name} does not count by ${path}: declare it as a filter`)
  const at = sql.id(column.name)
  const { rows } = await sql<{ value: string | null; count: number }>`
    select ${at}::text as value, count(*) as count from ${sql.table(columns.table)}
    where ${visibleRows(columns.kind, scope) ?? sql`true`} group by ${at}`.execute(db)
  return Object.fromEntries(rows.map(({ value, count }) => [value ?? '', count]))
}

/** Changes after a revision; see `Inventory.changesSince`. */
export async function changesAfter(
  db: Kysely<Database>,
  revision: number,
  limit: number,
): Promise<LoggedChange[] | null> {
  // whoever wrote them may have died before it could
  await numberChanges(db)
  // one statement, one moment: what is pruned while we read is told as pruned
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

/** Servers of the version before say of a row only whether everybody sees it. */
const withReaders = <Row extends LoggedOwner>({ shared, readers, ...row }: Row) => ({
  ...row,
  readers: readers ?? (shared ? [EVERYBODY] : []),
})

/** Forgets changes older than this, some thousands at a time: each takes its moment, however many there are. */
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
