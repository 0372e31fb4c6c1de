import type { Entity } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { Database } from '../../store/schema'
import type { KindColumns } from '../columns'
import { isVisible, ownedBy, redactFor } from '../visibility'
import { all, findRows, type Wanted } from './find-rows'
import { wantedOf } from './list'

/** Maximum number of matching rows to examine per kind. */
const MOST_MATCHES = 1000

interface Asked {
  columns: KindColumns
  /** Rows whose name starts with the text, and all rows that the search finds. */
  begins: Wanted
  contains: Wanted
}
interface Called {
  kind: string
  body: Entity
  /** Whether there may be more matches than were examined. */
  is_part: boolean
}

/**
 * Finds up to `limit` rows by name in each kind; see `Inventory.named`. A single short statement covers all kinds,
 * because planning a query for each table takes longer than finding a few rows in it.
 */
export async function findNamed(
  db: Kysely<Database>,
  kinds: readonly KindColumns[],
  scope: Scope,
  text: string,
  limit: number,
): Promise<Map<string, Entity[]>> {
  if (kinds.length === 0) return new Map()
  const asked = await Promise.all(
    kinds.map(async (columns): Promise<Asked> => {
      const wanted = (by: Record<string, string>) => wantedOf(db, columns, scope, { sort: 'name', limit, ...by })
      return { columns, begins: await wanted({ name: `starts:${text}` }), contains: await wanted({ search: text }) }
    }),
  )
  const { rows } = await sql<Called>`
    select called.kind, resource.body, called.is_part
    from (${sql.join(asked.map(calledSo), sql` union all `)}) called
      join resource on resource.kind = called.kind and resource.id = called.id
    order by called.kind, not called.begins, called.value, called.id`.execute(db)
  const answers = asked.map(async ({ columns: { kind }, begins }): Promise<[string, Entity[]]> => {
    const found = rows.filter((row) => row.kind === kind.name)
    const others = found.map(({ body }) => body)
    // if there are too many matches, rows that start with the text may not be among those examined
    const first = found.some(({ is_part }) => is_part) ? (await findRows(db, begins)).rows.flatMap(bodyOf) : []
    const known = new Map([...first, ...others].map((body) => [body.id, body]))
    // the index and the bodies may have been read at different times
    const visible = [...known.values()].filter((body) => isVisible(kind, scope, ownedBy(kind, body)))
    return [kind.name, visible.slice(0, limit).map((body) => redactFor(kind, scope, body))]
  })
  return new Map(await Promise.all(answers))
}

const bodyOf = ({ body }: { body: Entity | null }): Entity[] => (body ? [body] : [])

/** IDs of a kind's rows that contain the text, beginning with those that start with it. */
function calledSo({ columns, begins, contains }: Asked): RawBuilder<unknown> {
  const { home, further, limit, sorting } = contains
  return sql`(
    select ${sql.lit(columns.kind.name)} as kind, id, value, begins, seen = ${MOST_MATCHES} as is_part from (
      select id, ${sql.id(sorting.column.name)} as value, count(*) over () as seen,
        ${all([...begins.further, ...begins.exactly])} as begins
      from (
        select * from ${sql.table(columns.table)} where ${all([home, ...further])} limit ${MOST_MATCHES}
      ) matching
    ) ranked
    order by not begins, value, id limit ${limit})`
}
