import { useCallback, useMemo } from 'react'
import { ANY_PARENT, paramNames, parentNames, type Endpoint, type ReplyOf } from '@mainstay/contract/core/endpoint'
import type { Kind } from '@mainstay/contract/core/kind'
import { DEFAULT_LIMIT, MAX_LIMIT, type Page } from '@mainstay/contract/core/lists/paging'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { call } from './call'
import { listKey } from './keys'
import { useListInAddress, useListInMemory, type ListControls } from './list-state'
import { pollMs, useLive } from './live-state'
import { asProblem, type CallProblem } from './problem'
import { reportFault } from './report-fault'

export interface Row {
  id: string
}

export type RowOf<E extends Endpoint> = ReplyOf<E> extends { data: (infer Item)[] } ? Item : never

export interface List<Item extends Row = Row> extends ListControls {
  kind: Kind
  /** Its filters, order and search, as the server is asked for them. */
  question: Readonly<Record<string, string>>
  /** How the page's list is asked for, so that a part of it can be; undefined where it is not all that the index has of a kind. */
  source: { endpoint: Endpoint; only: Readonly<Record<string, string>> } | undefined
  rows: readonly Item[]
  /** How many rows match; undefined until known. */
  total: number | undefined
  isTotalEstimated: boolean
  /** Nothing to show yet. */
  isLoading: boolean
  /** The rows shown answer the question before. */
  isChanging: boolean
  problem: CallProblem | undefined
  /** Rows are shown, and the last attempt to renew them failed: how old they are. */
  staleSince: number | undefined
  reload: () => void
  hasMore: boolean
  isLoadingMore: boolean
  loadMore: () => void
  /** All rows that match, page after page; for "select all". */
  everyMatching: (signal?: AbortSignal) => Promise<Item[]>
}

export interface ListOptions {
  params?: Readonly<Record<string, string>>
  /** Filters that the screen sets and the person cannot take away. */
  only?: Readonly<Record<string, string>>
  /** `memory` for a list within a page or a form. */
  stateIn?: 'address' | 'memory'
  isEnabled?: boolean
  limit?: number
}

const none: Readonly<Record<string, string>> = {}

/** The parents of a list as filters, by which exports, groups and runs over all of its rows find the same rows. */
const parentFilters = ({ path }: Endpoint, { filters }: Kind, params: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    parentNames(path).flatMap((name) => {
      const id = params[name] ?? ANY_PARENT
      return id !== ANY_PARENT && Object.hasOwn(filters, name) ? [[name, `exact:${id}`]] : []
    }),
  )

/** Each id once: rows that moved between two pages while paging came twice. */
function unique<Item extends Row>(pages: readonly Page<Item>[]): Item[] {
  const seen = new Map<string, Item>()
  for (const { data } of pages) {
    for (const row of data) {
      if (!row.id) reportFault('A row without an id', row)
      seen.set(row.id, row)
    }
  }
  return [...seen.values()]
}

const markerTold = (page: Page<Row>) => page.pages.find(({ rel }) => rel === 'next')?.marker

/** Where the next page begins: the marker that the last one tells (rel next), else its last id while rows are missing. */
export function nextMarker(pages: readonly Page<Row>[]): string | undefined {
  const last = pages.at(-1)
  if (!last) return undefined
  const { count = 0, count_estimated: isEstimated = false } = pages[0]!
  const isMissing = !isEstimated && pages.reduce((sum, { data }) => sum + data.length, 0) < count
  return markerTold(last) ?? (isMissing ? last.data.at(-1)?.id : undefined)
}

/** Whether all that a path says of the rows is said by filters as well. */
const isWhole = ({ path }: Endpoint, params: Readonly<Record<string, string>>): boolean =>
  paramNames(path).every((name) => Object.hasOwn(params, name) && parentNames(path).includes(name))

/** A list with its paging, filters, sort and search. Rows stay true by themselves while the page is open. */
export function useList<E extends Endpoint>(endpoint: E, kindOf: unknown, options: ListOptions = {}) {
  type Item = RowOf<E> & Row
  const kind = kindOf as Kind
  const { params = none, stateIn = 'address', isEnabled = true, limit = DEFAULT_LIMIT } = options
  const only = { ...options.only, ...parentFilters(endpoint, kind, params) }
  const inAddress = useListInAddress(kind)
  const inMemory = useListInMemory(kind)
  const state = stateIn === 'address' ? inAddress : inMemory
  const isOffline = useLive(({ state: live }) => live === 'offline')

  const question: Record<string, string> = {
    ...state.filters,
    ...only,
    sort: `${state.sort.key}:${state.sort.direction}`,
    ...(state.search && { search: state.search }),
  }
  const ask = (more: object, signal?: AbortSignal) =>
    call(endpoint, { params, query: { ...question, ...more } } as never, { signal }) as unknown as Promise<Page<Item>>

  const query = useInfiniteQuery({
    queryKey: listKey(kind.name, endpoint, params, { ...question, limit: String(limit) }),
    queryFn: ({ pageParam, signal }) =>
      ask({ limit, marker: pageParam || undefined, with_count: pageParam === '' }, signal),
    initialPageParam: '',
    getNextPageParam: (_last: Page<Item>, pages: readonly Page<Item>[]) => nextMarker(pages),
    placeholderData: keepPreviousData,
    enabled: isEnabled,
    refetchInterval: isOffline ? pollMs : false,
  })

  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage, refetch } = query
  const rows = useMemo(() => unique(data?.pages ?? []), [data])
  const first = data?.pages[0]
  const loadMore = useCallback(() => void fetchNextPage({ cancelRefetch: false }), [fetchNextPage])
  const reload = useCallback(() => void refetch(), [refetch])

  const list: List<Item> = {
    ...state,
    kind,
    question,
    source: stateIn === 'address' && isWhole(endpoint, params) ? { endpoint, only } : undefined,
    rows,
    total: first?.count ?? (hasNextPage || !first ? undefined : rows.length),
    isTotalEstimated: first?.count_estimated ?? false,
    isLoading: query.isPending,
    isChanging: query.isPlaceholderData,
    problem: error && !data ? asProblem(error) : undefined,
    staleSince: error && data ? query.dataUpdatedAt : undefined,
    reload,
    hasMore: hasNextPage,
    isLoadingMore: isFetchingNextPage,
    loadMore,
    everyMatching: async (signal) => {
      const pages: Page<Item>[] = []
      let marker: string | undefined
      do {
        pages.push(await ask({ limit: MAX_LIMIT, marker, with_count: marker === undefined }, signal))
        marker = nextMarker(pages)
      } while (marker)
      return unique(pages)
    },
  }
  return list
}
