import type { FieldAt } from '@mainstay/contract/core/fields'
import type { FacetQuery, Facets } from '@mainstay/contract/core/lists/facets'
import type { Scope } from '@mainstay/engines/ports/scope'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import { says } from '@mainstay/contract/core/said'
import type { Database } from '../../store/schema'
import { searchable, type Column, type KindColumns } from '../columns'
import { conditionsOf, filterNamed } from './conditions'
import { refuse, type Condition } from './operators'
import { inTransaction } from '../transaction'
import { visibleRows } from '../visibility'
import { wellFormed } from '../well-formed'

/**
 * Limits for exact counts. If either is exceeded, only `fewRows` rows are read and values are returned without counts.
 */
export interface FacetBounds {
  rows: number
  milliseconds: number
  fewRows: number
}
export const facetBounds: FacetBounds = { rows: 200_000, milliseconds: 500, fewRows: 5000 }

interface Counted {
  value: string | null
  count: number
}

/** Values of one of a kind's filters among the matching rows; see `Inventory.facets`. */
export async function facetsOf(
  db: Kysely<Database>,
  columns: KindColumns,
  scope: Scope,
  { field, prefix = '', limit, ...query }: FacetQuery,
  bounds: FacetBounds = facetBounds,
): Promise<Facets> {
  const filter = filterNamed(columns, scope, field)
  if (!filter) throw refuse('field', says('core.no_filter', { name: field }))
  if (filter.field.type === 'time') throw refuse('field', says('core.times_have_no_values'))
  if (prefix.includes('\0')) throw refuse('prefix', says('core.unsearchable'))
  const visible = visibleRows(columns.kind, scope)
  const conditions = conditionsOf(columns, scope, { ...query, limit })
  const rows = matching(columns, filter, [...(visible ? [visible] : []), ...conditions], prefix)
  const whole = await countAll(db, rows, bounds, limit)
  const isWhole = whole !== null && (whole[0]?.looked_at ?? 0) <= bounds.rows
  const found = isWhole ? whole : (await values(rows, bounds.fewRows, limit).execute(db)).rows
  return {
    data: found.slice(0, limit).map(({ value, count }) => ({ value, count: isWhole ? count : null })),
    has_more: found.length > limit,
  }
}

/** The value of each matching row, or each of its tags. */
function matching(
  { table }: KindColumns,
  { field, column }: { field: FieldAt; column: Column },
  conditions: Condition[],
  prefix: string,
): RawBuilder<unknown> {
  const where = conditions.length > 0 ? sql.join(conditions, sql` and `) : sql`true`
  const at = sql.id(column.name)
  if (field.type !== 'tags') {
    const folded = field.type === 'text' ? sql.id(`^${field.path}`) : sql`lower(${at}::text)`
    const begins = prefix === '' ? sql`true` : sql`starts_with(${folded}, ${begin(prefix)})`
    return sql`
      select ${at}::text as value from ${sql.table(table)}
      where ${where} and ${begins} and ${at}::text is distinct from ''`
  }
  const begins = prefix === '' ? sql`true` : sql`starts_with(lower(tag), ${begin(prefix)})`
  // count each tag only once per row
  return sql`
    select tag as value from ${sql.table(table)}
      left join lateral (select distinct unnest(${at}) as tag) tags on true
    where ${where} and ${begins} and tag is distinct from ''`
}

const begin = (prefix: string): string => wellFormed(searchable(prefix))

const values = (rows: RawBuilder<unknown>, most: number, limit: number) => sql<Counted & { looked_at: number }>`
  select value, count(*) as count, (sum(count(*)) over ())::bigint as looked_at from (${rows} limit ${most}) looked_at
  group by value order by count(*) desc, value nulls last limit ${limit + 1}`

/** Counts the values of all rows. Returns null if this takes too long. */
async function countAll(db: Kysely<Database>, rows: RawBuilder<unknown>, bounds: FacetBounds, limit: number) {
  try {
    return await inTransaction(db, async (inside) => {
      await sql.raw(`set local statement_timeout = ${bounds.milliseconds}`).execute(inside)
      return (await values(rows, bounds.rows + 1, limit).execute(inside)).rows
    })
  } catch (error) {
    if ((error as { code?: string }).code === '57014') return null
    throw error
  }
}
