import { EXACT_COUNT_LIMIT } from '@mainstay/contract/core/paging'
import { sql, type Kysely } from 'kysely'
import type { Database } from '../store/schema'
import type { KindColumns } from './columns'
import type { Condition } from './conditions'

/** How many rows match: exactly up to 10 000, beyond that as the planner believes. */
export async function countRows(
  db: Kysely<Database>,
  columns: KindColumns,
  conditions: Condition[],
): Promise<{ count: number; count_estimated: boolean }> {
  const matching = sql`from ${sql.table(columns.table)} ${conditions.length > 0 ? sql`where ${sql.join(conditions, sql` and `)}` : sql``}`
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (select 1 ${matching} limit ${EXACT_COUNT_LIMIT + 1}) counted`.execute(db)
  const count = rows[0]!.count
  if (count <= EXACT_COUNT_LIMIT) return { count, count_estimated: false }
  const plan = await sql<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>`
    explain (format json) select 1 ${matching}`.execute(db)
  const estimated = Math.round(plan.rows[0]!['QUERY PLAN'][0].Plan['Plan Rows'])
  return { count: Math.max(estimated, count), count_estimated: true }
}
