import type { Change } from '@mainstay/contract/core/events'
import { valueAt } from '@mainstay/contract/core/kind'
import type { Page } from '@mainstay/contract/core/lists/paging'
import { allKinds } from '@mainstay/contract/resources'
import type { InfiniteData, Query, QueryClient } from '@tanstack/react-query'
import { rowKey, tintRows } from './changes'
import { isComposite, isOfKind, type listKey } from './keys'

interface AnyRow {
  id: string
}
type Pages = InfiniteData<Page<AnyRow>, string>

/** Queries to refetch because a change could not be applied, such as a new row whose sort position is unknown. */
export interface Patched {
  refetch: Set<string>
}

/** The last revision applied to each row, so that late or duplicate changes are ignored. */
const applied = new Map<string, number>()
const appliedMost = 20_000

export const forgetApplied = () => applied.clear()

function isNews({ kind, id, revision }: Change): boolean {
  const key = rowKey(kind, id)
  if ((applied.get(key) ?? -1) >= revision) return false
  applied.delete(key)
  applied.set(key, revision)
  if (applied.size > appliedMost) applied.delete(applied.keys().next().value!)
  return true
}

/** Whether a change moves a row within a list or removes it from the list. */
type Moves = (before: AnyRow, now: AnyRow) => boolean

/**
 * Compares the fields used by the list's filters, sort and search. Derived fields are computed by the index, so any
 * change to the row may affect them.
 */
function movesIn(query: Query): Moves {
  const [, name, , , question] = query.queryKey as unknown as ReturnType<typeof listKey>
  const kind = Object.hasOwn(allKinds, name) ? allKinds[name] : undefined
  const asked = Object.keys(question).flatMap((key) => {
    if (key === 'sort') return kind?.sortKeys[question[key]!.split(':')[0]!]?.path ?? []
    if (key === 'search') return kind?.search ?? []
    return kind?.filters[key]?.path ?? []
  })
  const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
  return (before, now) =>
    asked.some((path) =>
      path.startsWith('derived.') ? !isEqual(before, now) : !isEqual(valueAt(before, path), valueAt(now, path)),
    )
}

interface Found {
  ids: Set<string>
  /** Whether a row has changed its position or no longer belongs to the list. */
  hasMoved: boolean
}

function withPatches(data: Pages, changes: ReadonlyMap<string, Change>, moves: Moves, found: Found): Pages {
  let isTouched = false
  const pages = data.pages.map((page) => {
    const rows: AnyRow[] = []
    let isPageTouched = false
    for (const row of page.data) {
      const change = changes.get(row.id)
      if (change) found.ids.add(row.id)
      if (!change || change.revision <= page.revision) {
        rows.push(row)
        continue
      }
      isPageTouched = true
      if (change.op !== 'put' || !change.entity) continue
      const now = change.entity as unknown as AnyRow
      found.hasMoved ||= moves(row, now)
      rows.push(now)
    }
    isTouched ||= isPageTouched
    return isPageTouched ? { ...page, data: rows } : page
  })
  if (!isTouched) return data
  // the count is stored on the first page, regardless of which page contained the row
  const gone = countRows(data.pages) - countRows(pages)
  const [first, ...rest] = pages
  if (!first || gone === 0 || first.count === undefined) return { ...data, pages }
  return { ...data, pages: [{ ...first, count: first.count - gone }, ...rest] }
}

const countRows = (pages: readonly Page<AnyRow>[]) => pages.reduce((sum, { data }) => sum + data.length, 0)

function patchList(client: QueryClient, query: Query, changes: ReadonlyMap<string, Change>): boolean {
  const data = query.state.data as Pages | undefined
  if (!data?.pages) return false
  const found: Found = { ids: new Set(), hasMoved: false }
  const next = withPatches(data, changes, movesIn(query), found)
  if (next !== data) client.setQueryData(query.queryKey, next, { updatedAt: query.state.dataUpdatedAt })
  const firstRevision = data.pages[0]?.revision ?? 0
  // a row that is not in the list may be a new one that belongs there
  const mayBelong = [...changes.values()].some(
    ({ id, op, entity, revision }) => op === 'put' && entity !== null && !found.ids.has(id) && revision > firstRevision,
  )
  return found.hasMoved || mayBelong
}

function patchView(client: QueryClient, query: Query, changes: ReadonlyMap<string, Change>): boolean {
  const id = (query.queryKey[3] as Readonly<Record<string, string>>)['id']
  // a view without an ID covers all rows
  if (id === undefined) return true
  const change = changes.get(id)
  if (!change) return false
  const shown = query.state.data as AnyRow | undefined
  // a view of part of the row (its events, its volumes), or with more than the row, is refetched
  if (isComposite(query) || change.op === 'remove' || !change.entity || shown?.id !== change.id) return true
  client.setQueryData(query.queryKey, { ...shown, ...change.entity }, { updatedAt: query.state.dataUpdatedAt })
  return false
}

/**
 * Changes that arrived while a list or view was loading. The response, or at least its first pages, may be older and
 * would overwrite them.
 */
const cameMeanwhile = new WeakMap<Query, Map<string, Change>>()

function rememberFor(query: Query, changes: ReadonlyMap<string, Change>) {
  if (query.state.fetchStatus === 'fetching')
    cameMeanwhile.set(query, new Map([...(cameMeanwhile.get(query) ?? []), ...changes]))
}

const patchQuery = (client: QueryClient, query: Query, changes: ReadonlyMap<string, Change>) =>
  query.queryKey[0] === 'list' ? patchList(client, query, changes) : patchView(client, query, changes)

/**
 * Applies changes that arrived while a query was loading to its response. Calls `onStale` with the hash of each query
 * to refetch. Returns a function to unsubscribe.
 */
export function patchAnswers(client: QueryClient, onStale: (queryHash: string) => void): () => void {
  return client.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated') return
    const { query, action } = event
    const isAnswer = action.type === 'success' && action.manual !== true
    if (!isAnswer && action.type !== 'error') return
    const changes = cameMeanwhile.get(query)
    if (!changes) return
    cameMeanwhile.delete(query)
    if (isAnswer && patchQuery(client, query, changes)) onStale(query.queryHash)
  })
}

/** Applies changes to lists and views. Returns the hashes of the queries to refetch. */
export function patchCache(client: QueryClient, changes: readonly Change[]): Patched {
  const refetch = new Set<string>()
  const byKind = new Map<string, Map<string, Change>>()
  for (const change of changes) {
    if (!isNews(change)) continue
    const ofKind = byKind.get(change.kind) ?? new Map<string, Change>()
    byKind.set(change.kind, ofKind.set(change.id, change))
  }
  for (const [kind, ofKind] of byKind) {
    for (const query of client.getQueryCache().findAll({ predicate: isOfKind(kind) })) {
      rememberFor(query, ofKind)
      if (patchQuery(client, query, ofKind)) refetch.add(query.queryHash)
    }
    tintRows([...ofKind.values()].filter(({ op }) => op === 'put').map(({ id }) => rowKey(kind, id)))
  }
  return { refetch }
}
