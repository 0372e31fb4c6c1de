import { sql, type Kysely, type Transaction } from 'kysely'
import type { KindColumns } from '../columns'
import type { Database } from '../../store/schema'
import { createTableCopy, type TableCopy } from './table-copy'

const ROWS_AT_ONCE = 500
const CHANGES_AT_ONCE = 1000

/**
 * A copy of a side table as it was at a revision; null when it has too many rows, or the signal says to stop. `shown`: the
 * revision up to which the table shows what other servers wrote.
 */
export function readTable(
  db: Kysely<Database>,
  columns: KindColumns,
  { mostRows, shown }: { mostRows: number; shown: number },
  signal: AbortSignal,
): Promise<{ copy: TableCopy; revision: number } | null> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (inside) => {
      const { rows } = await sql<{ revision: number; count: number }>`
        select value as revision, (select count(*) from ${sql.table(columns.table)}) as count from revision`.execute(
        inside,
      )
      const { revision, count } = rows[0]!
      if (count > mostRows) return null
      const copy = createTableCopy(columns)
      await eachRow(inside, columns, signal, copy.put)
      return signal.aborted ? null : { copy, revision: Math.min(revision, shown) }
    })
}

async function eachRow(
  db: Transaction<Database>,
  { table }: KindColumns,
  signal: AbortSignal,
  take: (row: Record<string, unknown>) => void,
): Promise<void> {
  await sql`declare rows_of_table no scroll cursor for select * from ${sql.table(table)}`.execute(db)
  while (!signal.aborted) {
    const { rows } = await sql<Record<string, unknown>>`
      fetch ${sql.raw(String(ROWS_AT_ONCE))} from rows_of_table`.execute(db)
    for (const row of rows) take(row)
    if (rows.length < ROWS_AT_ONCE) return
  }
}

interface Changes {
  /** The revision that is reached with them. */
  revision: number
  /** Whether there are more. */
  isPart: boolean
  put: Record<string, unknown>[]
  removed: string[]
}

/**
 * What has changed in a side table after a revision and up to the one that the table shows, or a part of it; null when
 * the log does not tell.
 */
export async function readChanges(
  db: Kysely<Database>,
  { kind, table }: KindColumns,
  { after: revision, shown }: { after: number; shown: number },
): Promise<Changes | null> {
  // one statement, one moment: rows are at least as new as the changes that led to them
  const { rows } = await sql<Record<string, unknown>>`
    with logged as materialized (
      select revision, kind, id from change where revision > ${revision} and revision <= ${shown}
      order by revision limit ${CHANGES_AT_ONCE}
    )
    select head.value as "!head", pruned.revision as "!pruned", part.count as "!count", part.last as "!last",
      changed.id as "!changed", side.*
    from revision head cross join change_pruned pruned
      cross join (select count(*) as count, max(revision) as last from logged) part
      left join (select distinct id from logged where kind = ${kind.name}) changed on true
      left join ${sql.table(table)} side on side.id = changed.id`.execute(db)
  const first = rows[0]!
  if (revision < (first['!pruned'] as number) || revision > (first['!head'] as number)) return null
  const changed = rows.filter((row) => row['!changed'] !== null)
  const isPart = first['!count'] === CHANGES_AT_ONCE
  return {
    revision: isPart ? (first['!last'] as number) : Math.max(revision, Math.min(shown, first['!head'] as number)),
    isPart,
    put: changed.filter(({ id }) => id !== null),
    removed: changed.filter(({ id }) => id === null).map((row) => row['!changed'] as string),
  }
}
