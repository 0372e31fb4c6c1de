import type { Entity } from '@mainstay/engines/ports/records'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { Database } from '../store/schema'
import type { KindColumns } from './columns'
import type { Bounds } from './conditions'
import { numberChanges } from './announcements'
import { estimate } from './count'
import type { Copies } from './in-memory/copies'
import type { CopyCondition } from './in-memory/table-copy'
import type { Condition } from './operators'
import { rowsOf } from './read'
import type { Place, Sorting } from './sorting'

/*
 * A page is found in one of three ways. Where rows that match are dense, by walking the index of the sort key until the
 * page is full; where few match at all, by fetching them and sorting; where many match and the first of them come late, by
 * looking through a copy of the kind's table in memory. Which of them is right cannot be known beforehand (the planner
 * guesses, and is wrong where filter and order go together), so the walk is tried first and ends after a bounded number
 * of rows. Without a copy it is tried a second time, with so many rows that in vain they would add a quarter to the
 * work of fetching all that seems to match.
 */
const WALK_ROWS = 500
const WALK_ROWS_PER_ANSWER = 20
const FARTHER = 1 / 4

export interface Wanted {
  columns: KindColumns
  sorting: Sorting
  /** With which the index of the sort key begins: whose rows they are. */
  home: Condition
  /** What else they must be, as far as indexes know; and what is then looked at in each of them. */
  further: Condition[]
  exactly: Condition[]
  /** What the conditions say of the values that are sorted by. */
  bounds: Bounds[]
  /** Home, further and exactly, for rows in memory. */
  holds: CopyCondition[]
  after: Place | null
  limit: number
}
interface Found extends Place {
  /** Null when the row went away meanwhile. */
  body: Entity | null
}
/** Rows that have a value to be sorted by, or those that have none and come last. */
type Segment = 'with' | 'without'

interface FoundRows {
  rows: Found[]
  /** The newest revision as of the first look. */
  head: number
  /** The revision by which everything has its number that the first look may have seen. */
  seen: () => Promise<number>
  /** How many rows match, where that was found on the way. */
  count?: number
}

/** Rows with their bodies. */
export async function findRows(
  { db, copies }: { db: Kysely<Database>; copies: Copies },
  wanted: Wanted,
): Promise<FoundRows> {
  const { columns, home, further, bounds, after, limit } = wanted
  const run = async (page: RawBuilder<unknown>): Promise<FoundRows> => {
    const { rows } = await withBodies(wanted, page).execute(db)
    const { head, unnumbered } = rows[0]!
    return {
      rows: rows.filter(({ id }) => id !== null),
      head,
      seen: async () => (unnumbered ? numberChanges(db) : head),
    }
  }
  const segment = after?.value === null || bounds.some(({ nulls }) => nulls === 'only') ? 'without' : 'with'
  if (further.length > 0) {
    const steps = Math.max(WALK_ROWS, limit * WALK_ROWS_PER_ANSWER)
    const walked = await run(walk(wanted, segment, steps))
    const { head, seen } = walked
    if (walked.rows.length >= limit) return walked
    const matching = await estimate(db, columns, [home, ...further])
    const found = matching.cost < copies.dearCost ? null : await copies.find(columns, wanted, await seen())
    if (found) return { rows: await bodiesOf(db, columns, found.places), head, seen, count: found.count }
    const farther = Math.floor(FARTHER * matching.rows)
    if (farther > steps * 2) {
      const { rows } = await run(walk(wanted, segment, farther))
      if (rows.length >= limit) return { rows, head, seen }
    }
    const fetched = await run(fetchAndSort(wanted))
    return { rows: fetched.rows, head, seen }
  }
  const first = await run(inOrder(wanted, segment, after, limit))
  if (segment === 'without' || first.rows.length >= limit) return first
  // NULLs come last in both directions; the index has them last in one only, so they are asked for by themselves
  const rest = await run(inOrder(wanted, 'without', null, limit - first.rows.length))
  return { ...first, rows: [...first.rows, ...rest.rows] }
}

async function bodiesOf(db: Kysely<Database>, { kind }: KindColumns, places: Place[]): Promise<Found[]> {
  const bodies = await rowsOf(
    db,
    kind,
    places.map(({ id }) => id),
  )
  return places.map((place) => ({ ...place, body: bodies.get(place.id) ?? null }))
}

function withBodies(
  { columns, sorting }: Wanted,
  page: RawBuilder<unknown>,
): RawBuilder<Found & { head: number; unnumbered: boolean }> {
  const direction = sql.raw(sorting.descending ? 'desc' : 'asc')
  return sql<Found & { head: number; unnumbered: boolean }>`
    with page as (${page})
    select page.id, page.value, resource.body, head.value as head, head.unnumbered
    from (select value, exists (select from change_unnumbered) as unnumbered from revision) head
      left join page on true
      left join resource on resource.kind = ${columns.kind.name} and resource.id = page.id
    order by page.value ${direction} nulls last, page.id ${direction}`
}

/** By the index of the sort key alone. */
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
    select id, ${at} as value from (
      select * from ${sql.table(columns.table)}
      where ${sql.join(within, sql` and `)} order by ${order(sorting)} limit ${steps}
    ) walked
    where ${sql.join([...further, ...exactly], sql` and `)} order by ${order(sorting)} limit ${limit}`
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
  // `offset 0` keeps the planner from walking the sort index after all, for the order or for the place in it, and from
  // taking conditions that imply each other for independent ones
  return sql`
    select id, value from (
      select *, ${sql.id(sorting.column.name)} as value from ${sql.table(columns.table)}
      where ${sql.join([home, ...further], sql` and `)} offset 0
    ) fetched
    where ${sql.join([place, ...exactly], sql` and `)}
    order by value ${direction} nulls last, id ${direction} limit ${limit}`
}

const order = ({ column, descending }: Sorting): RawBuilder<unknown> => {
  const direction = sql.raw(descending ? 'desc' : 'asc')
  // as the index has it: NULLs last when read forwards, first when read backwards
  return column.name === 'id' ? sql`id ${direction}` : sql`${sql.id(column.name)} ${direction}, id ${direction}`
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
