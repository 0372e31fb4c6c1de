import { EXACT_COUNT_LIMIT } from '@mainstay/contract/core/lists/paging'
import { sql, type Kysely } from 'kysely'
import type { Database } from '../../store/schema'
import type { KindColumns } from '../columns'
import type { Condition } from './operators'

/** Approximate number of rows to sample when a count exceeds the exact limit. */
const SAMPLED_ROWS = 10_000

/**
 * Counts matching rows: exactly up to a limit, and beyond it as an estimate from a sample, at a cost that does not
 * depend on the size of the table.
 */
export async function countRows(
  db: Kysely<Database>,
  { table }: KindColumns,
  conditions: Condition[],
): Promise<{ count: number; count_estimated: boolean }> {
  const matching = sql.join(conditions, sql` and `)
  const { rows } = await sql<{ count: number; total: number }>`
    select (
        select count(*) from (select 1 from ${sql.table(table)} where ${matching} limit ${EXACT_COUNT_LIMIT + 1}) counted
      ) as count,
      greatest(reltuples, 0) / greatest(relpages, 1) * pg_relation_size(oid)
        / current_setting('block_size')::double precision as total
    from pg_class where oid = ${`"${table}"`}::regclass`.execute(db)
  const { count, total } = rows[0]!
  if (count <= EXACT_COUNT_LIMIT) return { count, count_estimated: false }
  // a fixed seed always samples the same pages, which keeps the estimate stable
  const percent = total > SAMPLED_ROWS ? (100 * SAMPLED_ROWS) / total : 100
  const { rows: sampled } = await sql<{ matching: number; all: number }>`
    select count(*) filter (where ${matching}) as matching, count(*) as all
    from ${sql.table(table)} tablesample system (${percent}) repeatable (0)`.execute(db)
  const sample = sampled[0]!
  const estimated = percent < 100 ? Math.round((total * sample.matching) / Math.max(sample.all, 1)) : sample.matching
  return { count: Math.max(estimated, count), count_estimated: true }
}
