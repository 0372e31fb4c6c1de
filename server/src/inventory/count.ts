import { EXACT_COUNT_LIMIT } from '@mainstay/contract/core/paging'
import { sql, type Kysely } from 'kysely'
import type { Database } from '../store/schema'
import type { KindColumns } from './columns'
import type { Condition } from './conditions'

const matching = ({ table }: KindColumns, conditions: Condition[]) =>
  sql`from ${sql.table(table)} ${conditions.length > 0 ? sql`where ${sql.join(conditions, sql` and `)}` : sql``}`

/**
 * How many rows match: exactly up to a limit, beyond that as the planner believes. `exactly` is what it cannot judge
 * beside the other conditions, being implied by them for most rows.
 */
export async function countRows(
  db: Kysely<Database>,
  columns: KindColumns,
  conditions: Condition[],
  exactly: Condition[] = [],
): Promise<{ count: number; count_estimated: boolean }> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (select 1 ${matching(columns, [...conditions, ...exactly])} limit ${EXACT_COUNT_LIMIT + 1}) counted`.execute(
    db,
  )
  const count = rows[0]!.count
  if (count <= EXACT_COUNT_LIMIT) return { count, count_estimated: false }
  return { count: Math.max(await estimateRows(db, columns, conditions), count), count_estimated: true }
}

/** How many rows match, as the planner believes; takes no longer for many than for few. */
export async function estimateRows(
  db: Kysely<Database>,
  columns: KindColumns,
  conditions: Condition[],
): Promise<number> {
  const plan = await sql<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>`
    explain (format json) select 1 ${matching(columns, conditions)}`.execute(db)
  return Math.round(plan.rows[0]!['QUERY PLAN'][0].Plan['Plan Rows'])
}
