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
  /** Filters, sort and search, as sent to the server. */
  question: Readonly<Record<string, string>>
  /**
   * Endpoint and fixed filters, for querying subsets of the list; undefined if filters cannot express which rows the
   * list contains.
   */
  source: { endpoint: Endpoint; only: Readonly<Record<string, string>> } | undefined
  rows: readonly Item[]
  /** Number of matching rows; undefined until known. */
  total: number | undefined
  isTotalEstimated: boolean
  /** No rows have been loaded yet. */
  isLoading: boolean
  /** The rows shown belong to the previous query. */
  isChanging: boolean
  problem: CallProblem | undefined
  /** When the displayed rows were loaded, in ms since 1970; set if the last refresh failed. */
  staleSince: number | undefined
  reload: () => void
  hasMore: boolean
  isLoadingMore: boolean
  loadMore: () => void
  /** Loads all matching rows, page by page; used by "select all". */
  everyMatching: (signal?: AbortSignal) => Promise<Item[]>
}

export interface ListOptions {
  params?: Readonly<Record<string, string>>
  /** Filters set by the screen, which the user cannot remove. */
  only?: Readonly<Record<string, string>>
  /** Use `memory` for a list inside a page or a form. */
  stateIn?: 'address' | 'memory'
  isEnabled?: boolean
  limit?: number
}

const none: Readonly<Record<string, string>> = {}

/** The list's parents as filters, so that exports, groups and bulk actions cover the same rows. */
const parentFilters = ({ path }: Endpoint, { filters }: Kind, params: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    parentNames(path).flatMap((name) => {
      const id = params[name] ?? ANY_PARENT
      return id !== ANY_PARENT && Object.hasOwn(filters, name) ? [[name, `exact:${id}`]] : []
    }),
  )

/** Removes duplicates: a row that moves to another page while the list is being loaded is returned twice. */
function unique<Item extends Row>(pages: readonly Page<Item>[]): Item[] {
  const seen = new Map<string, Item>()
  for (const { data } of pages) {
    for (const row of data) {
      if (!row.id) reportFault('Received a row without an ID', row)
      seen.set(row.id, row)
    }
  }
  return [...seen.values()]
}

const markerTold = (page: Page<Row>) => page.pages.find(({ rel }) => rel === 'next')?.marker

/** Marker for the next page: the last page's `rel=next`, or else its last ID while rows are missing. */
export function nextMarker(pages: readonly Page<Row>[]): string | undefined {
  const last = pages.at(-1)
  if (!last) return undefined
  const { count = 0, count_estimated: isEstimated = false } = pages[0]!
  const isMissing = !isEstimated && pages.reduce((sum, { data }) => sum + data.length, 0) < count
  return markerTold(last) ?? (isMissing ? last.data.at(-1)?.id : undefined)
}

/** Whether filters can express every path parameter of the endpoint. */
const isWhole = ({ path }: Endpoint, params: Readonly<Record<string, string>>): boolean =>
  paramNames(path).every((name) => Object.hasOwn(params, name) && parentNames(path).includes(name))

/** A list with paging, filters, sort and search. Its rows are updated live while the page is open. */
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
