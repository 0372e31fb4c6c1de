import type { PageQuery, Page } from '@mainstay/contract/core/paging'
import { DEFAULT_LIMIT } from '@mainstay/contract/core/paging'
import type { Entity } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { Database } from '../store/schema'
import type { KindColumns } from './columns'
import { conditionsOf, type Condition } from './conditions'
import { countRows } from './count'
import { badMarker, readMarker, sortingOf, writeMarker, type Place, type Sorting } from './sorting'
import { present, visibleRows } from './visibility'

/*
 * A page is found in one of two ways. Where rows that match are dense, by walking the index of the sort key until the
 * page is full; where they are rare, by fetching what matches and sorting it. Which of the two is right cannot be
 * known beforehand (the planner guesses, and is wrong where filter and order go together), so the walk is tried
 * first and ends after a bounded number of rows.
 */
const WALK_ROWS = 500
const WALK_ROWS_PER_ANSWER = 20

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
  const conditions = conditionsOf(columns, scope, query)
  if (visible) conditions.unshift(visible)
  const after = query.marker ? await placeOf(db, columns, sorting, visible, query.marker) : null

  const [{ rows, head }, counted] = await Promise.all([
    findRows(db, columns, sorting, conditions, after, limit + 1),
    query.with_count ? countRows(db, columns, conditions) : undefined,
  ])
  const shown = rows.slice(0, limit)
  const last = shown[shown.length - 1]
  return {
    data: shown.flatMap(({ body }) => (body ? [present(columns.kind, scope, body as Row)] : [])),
    pages:
      rows.length > limit && last
        ? [{ rel: 'next', marker: writeMarker(sorting, { value: last.value, id: last.id! }) }]
        : [],
    ...counted,
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

/** Rows with their bodies, and the newest revision as of the first look. */
async function findRows(
  db: Kysely<Database>,
  columns: KindColumns,
  sorting: Sorting,
  conditions: Condition[],
  after: Place | null,
  limit: number,
): Promise<{ rows: Found[]; head: number }> {
  const run = async (page: RawBuilder<unknown>): Promise<{ rows: Found[]; head: number }> => {
    const { rows } = await withBodies(columns, sorting, page).execute(db)
    return { rows: rows.filter(({ id }) => id !== null), head: rows[0]!.head }
  }
  const segment = after?.value === null ? 'without' : 'with'
  if (conditions.length > 0) {
    const walkRows = Math.max(WALK_ROWS, limit * WALK_ROWS_PER_ANSWER)
    const walked = await run(walk(columns, sorting, segment, conditions, after, limit, walkRows))
    if (walked.rows.length >= limit) return walked
    const fetched = await run(fetchAndSort(columns, sorting, conditions, after, limit))
    return { rows: fetched.rows, head: walked.head }
  }
  const first = await run(inOrder(columns, sorting, segment, after, limit))
  if (segment === 'without' || first.rows.length >= limit) return first
  // NULLs come last in both directions; the index has them last in one only, so they are asked for by themselves
  const rest = await run(inOrder(columns, sorting, 'without', null, limit - first.rows.length))
  return { rows: [...first.rows, ...rest.rows], head: first.head }
}

function withBodies(columns: KindColumns, sorting: Sorting, page: RawBuilder<unknown>): RawBuilder<Found> {
  const direction = sql.raw(sorting.descending ? 'desc' : 'asc')
  return sql<Found>`
    with page as (${page})
    select page.id, page.value, resource.body, head.value as head
    from (select value from revision) head
      left join page on true
      left join resource on resource.kind = ${columns.kind.name} and resource.id = page.id
    order by page.value ${direction} nulls last, page.id ${direction}`
}

/** Rows that have a value, or those that have none, in order, by the index of the sort key alone. */
function inOrder(
  columns: KindColumns,
  sorting: Sorting,
  segment: 'with' | 'without',
  after: Place | null,
  limit: number,
): RawBuilder<unknown> {
  return sql`
    select id, ${sql.id(sorting.column.name)} as value from ${sql.table(columns.table)}
    where ${inSegment(sorting, segment, after)} order by ${order(sorting)} limit ${limit}`
}

function walk(
  columns: KindColumns,
  sorting: Sorting,
  segment: 'with' | 'without',
  conditions: Condition[],
  after: Place | null,
  limit: number,
  walkRows: number,
): RawBuilder<unknown> {
  return sql`
    select id, ${sql.id(sorting.column.name)} as value from (
      select * from ${sql.table(columns.table)}
      where ${inSegment(sorting, segment, after)} order by ${order(sorting)} limit ${walkRows}
    ) walked
    where ${sql.join(conditions, sql` and `)} order by ${order(sorting)} limit ${limit}`
}

function fetchAndSort(
  columns: KindColumns,
  sorting: Sorting,
  conditions: Condition[],
  after: Place | null,
  limit: number,
): RawBuilder<unknown> {
  const at = sql.id(sorting.column.name)
  const direction = sql.raw(sorting.descending ? 'desc' : 'asc')
  const place =
    after === null
      ? []
      : after.value === null
        ? [inSegment(sorting, 'without', after)]
        : [sql<boolean>`(${inSegment(sorting, 'with', after)} or ${at} is null)`]
  // `offset 0` keeps the planner from walking the sort index after all
  return sql`
    select id, value from (
      select id, ${at} as value from ${sql.table(columns.table)}
      where ${sql.join([...conditions, ...place], sql` and `)} offset 0
    ) fetched
    order by value ${direction} nulls last, id ${direction} limit ${limit}`
}

const order = ({ column, descending }: Sorting): RawBuilder<unknown> => {
  const direction = sql.raw(descending ? 'desc' : 'asc')
  // as the index has it: NULLs last when read forwards, first when read backwards
  return column.name === 'id' ? sql`id ${direction}` : sql`${sql.id(column.name)} ${direction}, id ${direction}`
}

function inSegment({ column, descending }: Sorting, segment: 'with' | 'without', after: Place | null): Condition {
  const at = sql.id(column.name)
  const beyond = sql.raw(descending ? '<' : '>')
  if (column.name === 'id') {
    if (segment === 'without') return sql`false`
    return after ? sql`id ${beyond} ${after.id}` : sql`true`
  }
  if (segment === 'without') return after ? sql`(${at} is null and id ${beyond} ${after.id})` : sql`${at} is null`
  return after ? sql`(${at}, id) ${beyond} (${after.value}, ${after.id})` : sql`${at} is not null`
}
