import { EXACT_COUNT_LIMIT } from '@mainstay/contract/core/paging'
import { sql, type Kysely } from 'kysely'
import type { Database } from '../store/schema'
import type { KindColumns } from './columns'
import type { Condition } from './operators'

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
  const { rows: estimated } = await estimate(db, columns, conditions)
  return { count: Math.max(estimated, count), count_estimated: true }
}

interface Estimate {
  rows: number
  /** In the planner's units; a row that is fetched costs about one. */
  cost: number
}

/** How many rows match and what it costs to fetch them, as the planner believes; takes no longer for many than for few. */
export async function estimate(db: Kysely<Database>, columns: KindColumns, conditions: Condition[]): Promise<Estimate> {
  const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number; 'Total Cost': number } }] }>`
    explain (format json) select * ${matching(columns, conditions)}`.execute(db)
  const { Plan: plan } = rows[0]!['QUERY PLAN'][0]
  return { rows: Math.round(plan['Plan Rows']), cost: plan['Total Cost'] }
}
