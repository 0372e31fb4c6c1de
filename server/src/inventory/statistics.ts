import { sql, type Kysely } from 'kysely'
import type { Database } from '../store/schema'

/**
 * A table's statistics are outdated if it has more than `TIMES` times as many pages as they are based on, plus `PAGES`.
 */
const TIMES = 2
const PAGES = 16

/**
 * Runs `analyze` on tables that have grown a lot since they were last analyzed. Returns their names. Autovacuum would
 * do so only later; until then, the planner would treat a table of thousands of rows as small and sort it for every
 * page.
 */
export async function analyzeGrown(db: Kysely<Database>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relkind = 'r' and relnamespace = current_schema()::regnamespace
      and pg_relation_size(oid) / current_setting('block_size')::bigint > ${TIMES} * greatest(relpages, 0) + ${PAGES}
    order by relname`.execute(db)
  for (const { name } of rows) await sql`analyze ${sql.table(name)}`.execute(db)
  return rows.map(({ name }) => name)
}
