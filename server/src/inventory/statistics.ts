import { sql, type Kysely } from 'kysely'
import type { Database } from '../store/schema'

/** A table has outgrown its statistics when it has so many times the pages that they are of, and so many more. */
const TIMES = 2
const PAGES = 16

/**
 * Has the database look anew at tables that have grown much since it did, and answers their names. By itself it does so a
 * while later, and until then takes a table of thousands of rows for one of a few: it sorts all of them for each page.
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
