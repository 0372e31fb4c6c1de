import type pg from 'pg'
import copyStreams from 'pg-copy-streams'

/* Reads and writes the tables of the platform, for backups and restores. */

/** A table and its columns, quoted for SQL. */
export interface BackedUpTable {
  name: string
  columns: string[]
}

/**
 * Tables that only describe the running servers, or can be rebuilt from other tables. `migration` is the same in every
 * database of this version.
 */
const leftOut = ['lease', 'migration', 'server', 'side_table']

/**
 * Returns all tables with their columns, except for generated columns. Each table comes after the tables that it refers
 * to.
 */
export async function tablesIn(client: pg.ClientBase): Promise<BackedUpTable[]> {
  const { rows } = await client.query<BackedUpTable & { refers_to: string[] }>(
    `select c.relname as name,
      (select array_agg(quote_ident(a.attname) order by a.attnum) from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
      array(select distinct r.relname::text from pg_constraint f join pg_class r on r.oid = f.confrelid
        where f.contype = 'f' and f.conrelid = c.oid and f.confrelid <> c.oid) as refers_to
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
      and c.relname <> all($1) and c.relname not in (select name from side_table)
    order by c.relname`,
    [leftOut],
  )
  const ordered: BackedUpTable[] = []
  const isDone = (name: string) => ordered.some((table) => table.name === name)
  let rest = rows
  while (rest.length > 0) {
    const [ready, later] = [
      rest.filter(({ refers_to }) => refers_to.every(isDone)),
      rest.filter(({ refers_to }) => !refers_to.every(isDone)),
    ]
    if (ready.length === 0) throw new Error(`tables refer to each other: ${later.map(({ name }) => name).join(', ')}`)
    ordered.push(...ready.map(({ name, columns }) => ({ name, columns })))
    rest = later
  }
  return ordered
}

/** Returns the last values of all sequences. */
export async function sequencesIn(client: pg.ClientBase): Promise<Record<string, string>> {
  const { rows } = await client.query<{ name: string; last: string }>(
    `select sequencename as name, last_value::text as last from pg_sequences
      where schemaname = current_schema() and last_value is not null`,
  )
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]))
}

const named = ({ name, columns }: BackedUpTable) => `"${name}" (${columns.join(', ')})`

/** Returns a stream of the rows of a table in PostgreSQL's text format. */
export const rowsOf = (client: pg.ClientBase, table: BackedUpTable): copyStreams.CopyToStreamQuery =>
  client.query(copyStreams.to(`copy ${named(table)} to stdout`))

/** Returns a stream that inserts rows in PostgreSQL's text format into a table. */
export const rowsInto = (client: pg.ClientBase, table: BackedUpTable): copyStreams.CopyStreamQuery =>
  client.query(copyStreams.from(`copy ${named(table)} from stdin`))
