import type { Entity } from '@mainstay/engines/ports/records'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { Database } from '../../store/schema'
import type { KindColumns } from '../columns'
import type { Bounds } from './conditions'
import type { Condition } from './operators'
import type { Place, Sorting } from './sorting'

/*
 * A page without conditions is read from the index on its sort key. With conditions, there are two plans: walk that
 * index until the page is full, which is fast if there are many matches, or fetch and sort all matches, which is fast
 * if there are few or they come late in the order. Which one is faster cannot be predicted, so the walk runs first,
 * with a limit on the number of rows it visits. Visiting a row costs less than fetching and sorting it.
 */
const WALK_ROWS = 2500
const WALK_ROWS_PER_ANSWER = 20

export interface Wanted {
  columns: KindColumns
  sorting: Sorting
  /** Condition on the owner, which is the leading column of the sort index. */
  home: Condition
  /** Other conditions: those that indexes support, and those that are checked on each row found. */
  further: Condition[]
  exactly: Condition[]
  /** Ranges to which the conditions limit the sort value. */
  bounds: Bounds[]
  after: Place | null
  limit: number
}
interface Found extends Place {
  /** Content of the row; null if the row has been deleted since. */
  body: Entity | null
}
/** Rows that have a sort value, or those that have none, which come last. */
type Segment = 'with' | 'without'

interface FoundRows {
  rows: Found[]
  /** The latest revision when the first query ran. */
  head: number
}

/** Finds the rows of a page and their bodies. */
export async function findRows(db: Kysely<Database>, wanted: Wanted): Promise<FoundRows> {
  const { further, bounds, after, limit } = wanted
  const run = async (page: RawBuilder<unknown>): Promise<FoundRows> => {
    const { rows } = await withBodies(wanted, page).execute(db)
    return { rows: rows.filter(({ id }) => id !== null), head: rows[0]!.head }
  }
  const segment = after?.value === null || bounds.some(({ nulls }) => nulls === 'only') ? 'without' : 'with'
  if (further.length > 0) {
    const walked = await run(walk(wanted, segment, Math.max(WALK_ROWS, limit * WALK_ROWS_PER_ANSWER)))
    if (walked.rows.length >= limit) return walked
    const fetched = await run(fetchAndSort(wanted))
    return { rows: fetched.rows, head: walked.head }
  }
  const first = await run(inOrder(wanted, segment, after, limit))
  if (segment === 'without' || first.rows.length >= limit) return first
  // NULLs come last in both directions, but the index has them last in only one, so they take a second query
  const rest = await run(inOrder(wanted, 'without', null, limit - first.rows.length))
  return { ...first, rows: [...first.rows, ...rest.rows] }
}

function withBodies({ columns, sorting }: Wanted, page: RawBuilder<unknown>): RawBuilder<Found & { head: number }> {
  const direction = sql.raw(sorting.descending ? 'desc' : 'asc')
  return sql<Found & { head: number }>`
    with page as (${page})
    select page.id, page.value, resource.body, head.value as head
    from revision head
      left join page on true
      left join resource on resource.kind = ${columns.kind.name} and resource.id = page.id
    order by page.value ${direction} nulls last, page.id ${direction}`
}

/** Reads a page using only the index on the sort key. */
function inOrder(
  { columns, sorting, home }: Wanted,
  segment: Segment,
  after: Place | null,
  limit: number,
): RawBuilder<unknown> {
  return sql`
    select id, ${sql.id(sorting.column.name)} as value from ${sql.table(columns.table)}
    where ${home} and ${inSegment(sorting, segment, after)} order by ${order(sorting)} limit ${limit}`
}

function walk(
  { columns, sorting, home, further, exactly, bounds, after, limit }: Wanted,
  segment: Segment,
  steps: number,
): RawBuilder<unknown> {
  const at = sql.id(sorting.column.name)
  const within = [home, inSegment(sorting, segment, segment === 'without' && after?.value !== null ? null : after)]
  for (const { min, max } of segment === 'with' ? bounds : []) {
    if (min !== undefined && min === max) within.push(sql`${at} = ${min}`)
    else if (min !== undefined) within.push(sql`${at} >= ${min}`)
    if (max !== undefined && min !== max) within.push(sql`${at} <= ${max}`)
  }
  return sql`
    select id, value from (
      select id, ${at} as value, ${all([...further, ...exactly])} as fits from ${sql.table(columns.table)}
      where ${all(within)} order by ${order(sorting)} limit ${steps}
    ) walked
    where fits order by ${order(sorting, sql`value`)} limit ${limit}`
}

function fetchAndSort({ columns, sorting, home, further, exactly, after, limit }: Wanted): RawBuilder<unknown> {
  const direction = sql.raw(sorting.descending ? 'desc' : 'asc')
  const beyond = sql.raw(sorting.descending ? '<' : '>')
  const place =
    after === null
      ? sql`true`
      : after.value === null
        ? sql`value is null and id ${beyond} ${after.id}`
        : sql`((value, id) ${beyond} (${after.value}, ${after.id}) or value is null)`
  // `offset 0` keeps the planner from walking the sort index to satisfy the order or the marker, and from treating
  // dependent conditions as independent. Only the columns named here are read from each row.
  return sql`
    select id, value from (
      select id, ${sql.id(sorting.column.name)} as value, ${all(exactly)} as fits from ${sql.table(columns.table)}
      where ${all([home, ...further])} offset 0
    ) fetched
    where fits and ${place}
    order by value ${direction} nulls last, id ${direction} limit ${limit}`
}

export const all = (conditions: Condition[]): Condition =>
  conditions.length > 0 ? sql<boolean>`(${sql.join(conditions, sql` and `)})` : sql<boolean>`true`

const order = ({ column, descending }: Sorting, at: RawBuilder<unknown> = sql.id(column.name)): RawBuilder<unknown> => {
  const direction = sql.raw(descending ? 'desc' : 'asc')
  // matches the index: NULLs last in forward scans, first in backward scans
  return column.name === 'id' ? sql`id ${direction}` : sql`${at} ${direction}, id ${direction}`
}

function inSegment({ column, descending }: Sorting, segment: Segment, after: Place | null): Condition {
  const at = sql.id(column.name)
  const beyond = sql.raw(descending ? '<' : '>')
  if (column.name === 'id') {
    if (segment === 'without') return sql`false`
    return after ? sql`id ${beyond} ${after.id}` : sql`true`
  }
  if (segment === 'without') return after ? sql`(${at} is null and id ${beyond} ${after.id})` : sql`${at} is null`
  return after ? sql`(${at}, id) ${beyond} (${after.value}, ${after.id})` : sql`${at} is not null`
}
