import type { PageQuery, Page } from '@mainstay/contract/core/paging'
import { DEFAULT_LIMIT } from '@mainstay/contract/core/paging'
import type { Entity } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { Database } from '../store/schema'
import type { KindColumns } from './columns'
import { filtersOf, type Bounds, type Condition } from './conditions'
import { countRows, estimateRows } from './count'
import { badMarker, readMarker, sortingOf, writeMarker, type Place, type Sorting } from './sorting'
import { homeOf, present, visibleRows } from './visibility'

/*
 * A page is found in one of two ways. Where rows that match are dense, by walking the index of the sort key until the
 * page is full; where they are rare, by fetching what matches and sorting it. Which of the two is right cannot be
 * known beforehand (the planner guesses, and is wrong where filter and order go together), so the walk is tried
 * first and ends after a bounded number of rows: a few, and a second time so many that in vain they would add a quarter to
 * the work of fetching all that seems to match.
 */
const WALK_ROWS = 500
const WALK_ROWS_PER_ANSWER = 20
const FARTHER = 1 / 4

interface Found {
  id: string | null
  value: Place['value']
  body: Entity | null
  head: number
}

/** One page of a kind; see `Inventory.list`. */
export async function listPage<Row extends Entity>(
  db: Kysely<Database>,
  columns: KindColumns,
  scope: Scope,
  query: PageQuery,
): Promise<Page<Row>> {
  const limit = query.limit ?? DEFAULT_LIMIT
  const sorting = sortingOf(columns, scope, query.sort)
  const visible = visibleRows(columns.kind, scope)
  const filters = filtersOf(columns, scope, query)
  const owner = homeOf(columns.kind, scope)
  const home = owner ? sql<boolean>`${sql.id(owner.column)} = ${owner.value}` : sql<boolean>`true`
  // of most kinds one sees all rows of one's own home; of one's keys only those of this project
  const isEnough = owner !== null && columns.kind.visibility !== 'owner'
  const further = [...(visible && !isEnough ? [visible] : []), ...filters.map(({ where }) => where)]
  const exactly = filters.flatMap((filter) => (filter.exactly ? [filter.exactly] : []))
  const bounds = filters.flatMap((filter) => (filter.bounds?.path === sorting.column.path ? [filter.bounds] : []))
  const after = query.marker ? await placeOf(db, columns, sorting, visible, query.marker) : null

  const wanted = { columns, sorting, home, further, exactly, bounds, after, limit: limit + 1 }
  const [{ rows, head }, counted] = await Promise.all([
    findRows(db, wanted),
    query.with_count ? countRows(db, columns, owner ? [home, ...further] : further, exactly) : undefined,
  ])
  const isAll = after === null && rows.length <= limit
  const shown = rows.slice(0, limit)
  const last = shown[shown.length - 1]
  return {
    data: shown.flatMap(({ body }) => (body ? [present(columns.kind, scope, body as Row)] : [])),
    pages:
      rows.length > limit && last
        ? [{ rel: 'next', marker: writeMarker(sorting, { value: last.value, id: last.id! }) }]
        : [],
    ...(counted && isAll ? { count: rows.length, count_estimated: false } : counted),
    revision: head,
  }
}

async function placeOf(
  db: Kysely<Database>,
  columns: KindColumns,
  sorting: Sorting,
  visible: Condition | null,
  marker: string,
): Promise<Place> {
  const place = readMarker(sorting, marker)
  if (place) return place
  if (marker.includes('\0')) throw badMarker()
  const { rows } = await sql<Place>`
    select id, ${sql.id(sorting.column.name)} as value from ${sql.table(columns.table)}
    where id = ${marker} and ${visible ?? sql`true`}`.execute(db)
  if (!rows[0]) throw badMarker()
  return rows[0]
}

interface Wanted {
  columns: KindColumns
  sorting: Sorting
  /** With which the index of the sort key begins: whose rows they are. */
  home: Condition
  /** What else they must be, as far as indexes know; and what is then looked at in each of them. */
  further: Condition[]
  exactly: Condition[]
  /** What the conditions say of the values that are sorted by. */
  bounds: Bounds[]
  after: Place | null
  limit: number
}
/** Rows that have a value to be sorted by, or those that have none and come last. */
type Segment = 'with' | 'without'

/** Rows with their bodies, and the newest revision as of the first look. */
async function findRows(db: Kysely<Database>, wanted: Wanted): Promise<{ rows: Found[]; head: number }> {
  const { further, bounds, after, limit } = wanted
  const run = async (page: RawBuilder<unknown>): Promise<{ rows: Found[]; head: number }> => {
    const { rows } = await withBodies(wanted, page).execute(db)
    return { rows: rows.filter(({ id }) => id !== null), head: rows[0]!.head }
  }
  const segment = after?.value === null || bounds.some(({ nulls }) => nulls === 'only') ? 'without' : 'with'
  if (further.length > 0) {
    const steps = Math.max(WALK_ROWS, limit * WALK_ROWS_PER_ANSWER)
    const walked = await run(walk(wanted, segment, steps))
    if (walked.rows.length >= limit) return walked
    const farther = Math.floor(FARTHER * (await estimateRows(db, wanted.columns, [wanted.home, ...further])))
    if (farther > steps * 2) {
      const { rows } = await run(walk(wanted, segment, farther))
      if (rows.length >= limit) return { rows, head: walked.head }
    }
    const fetched = await run(fetchAndSort(wanted))
    return { rows: fetched.rows, head: walked.head }
  }
  const first = await run(inOrder(wanted, segment, after, limit))
  if (segment === 'without' || first.rows.length >= limit) return first
  // NULLs come last in both directions; the index has them last in one only, so they are asked for by themselves
  const rest = await run(inOrder(wanted, 'without', null, limit - first.rows.length))
  return { rows: [...first.rows, ...rest.rows], head: first.head }
}

function withBodies({ columns, sorting }: Wanted, page: RawBuilder<unknown>): RawBuilder<Found> {
  const direction = sql.raw(sorting.descending ? 'desc' : 'asc')
  return sql<Found>`
    with page as (${page})
    select page.id, page.value, resource.body, head.value as head
    from (select value from revision) head
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
