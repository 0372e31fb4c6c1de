import type { PageQuery, Page } from '@mainstay/contract/core/lists/paging'
import { DEFAULT_LIMIT } from '@mainstay/contract/core/lists/paging'
import type { Entity } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import { sql, type Kysely } from 'kysely'
import type { Database } from '../../store/schema'
import type { KindColumns } from '../columns'
import { filtersOf } from './conditions'
import { countRows } from './count'
import { findRows, type Wanted } from './find-rows'
import type { Condition } from './operators'
import type { OtherVersions } from '../other-versions'
import { badMarker, readMarker, sortingOf, writeMarker, type Place, type Sorting } from './sorting'
import { ownerOf, isVisible, ownedBy, redactFor, visibleRows } from '../visibility'

/** A page of a kind's rows; see `Inventory.list`. */
export async function listPage<Row extends Entity>(
  { db, versions }: { db: Kysely<Database>; versions: Pick<OtherVersions, 'position'> },
  columns: KindColumns,
  scope: Scope,
  query: PageQuery,
): Promise<Page<Row>> {
  const { kind } = columns
  const limit = query.limit ?? DEFAULT_LIMIT
  const wanted = await wantedOf(db, columns, scope, { ...query, limit: limit + 1 })
  const { sorting } = wanted
  const shown = versions.position()
  const { rows, head, counted } = await findAndCount(db, wanted, Boolean(query.with_count))
  const page = rows.slice(0, limit)
  const last = page[page.length - 1]
  return {
    // the index and the bodies may have been read at different times
    data: page.flatMap(({ body }) =>
      body && isVisible(kind, scope, ownedBy(kind, body)) ? [redactFor(kind, scope, body as Row)] : [],
    ),
    pages: rows.length > limit && last ? [{ rel: 'next', marker: writeMarker(sorting, last) }] : [],
    ...counted,
    // the list may not yet show the latest writes by servers running other versions
    revision: Math.min(head, shown),
  }
}

async function findAndCount(db: Kysely<Database>, wanted: Wanted, withCount: boolean) {
  const { columns, home, further, exactly, after, limit } = wanted
  const [found, counted] = await Promise.all([
    findRows(db, wanted),
    withCount ? countRows(db, columns, [home, ...further, ...exactly]) : undefined,
  ])
  const isWhole = after === null && found.rows.length < limit
  return { ...found, counted: counted && isWhole ? { count: found.rows.length, count_estimated: false } : counted }
}

/** Turns the parameters of a list query into conditions. Throws the same errors as `Inventory.list`. */
export async function wantedOf(
  db: Kysely<Database>,
  columns: KindColumns,
  scope: Scope,
  query: PageQuery & { limit: number },
): Promise<Wanted> {
  const { kind } = columns
  const sorting = sortingOf(columns, scope, query.sort)
  const visible = visibleRows(kind, scope)
  const filters = filtersOf(columns, scope, query)
  const owner = ownerOf(kind, scope)
  // the condition on the owner is sufficient, except for keys, which are also restricted to the project
  const isEnough = owner !== null && kind.visibility !== 'owner'
  return {
    columns,
    sorting,
    home: owner ? sql<boolean>`${sql.id(owner.column)} = ${owner.value}` : sql<boolean>`true`,
    further: [...(visible && !isEnough ? [visible] : []), ...filters.map(({ where }) => where)],
    exactly: filters.flatMap((filter) => (filter.exactly ? [filter.exactly] : [])),
    bounds: filters.flatMap((filter) => (filter.bounds?.path === sorting.column.path ? [filter.bounds] : [])),
    after: query.marker ? await placeOf(db, columns, sorting, visible, query.marker) : null,
    limit: query.limit,
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
