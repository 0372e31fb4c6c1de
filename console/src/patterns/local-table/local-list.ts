import { useEffect, useMemo, useState } from 'react'
import type { Kind } from '@mainstay/contract/core/kind'
import type { Sort } from '../../api/list-state'
import type { CallProblem } from '../../api/problem'
import type { List, Row } from '../../api/use-list'

type SortValue = string | number | null

interface Settings<Item extends Row> {
  /** List name, under which the column settings are saved. */
  name: string
  rows: readonly Item[] | undefined
  /** Maps column keys to the values to sort by. */
  sortBy: Readonly<Record<string, (item: Item) => SortValue>>
  start: Sort
  /** Sort rank that takes precedence over the selected column and its direction; for example, to list folders first. */
  rank?: ((item: Item) => number) | undefined
  /** Returns true for rows to show. */
  matches?: ((item: Item, search: string) => boolean) | undefined
  /** Search text, if the page itself sends it to the server. */
  search?: { text: string; set: (text: string) => void } | undefined
  problem: CallProblem | undefined
  staleSince?: number | undefined
  reload: () => void
  more?: { has: boolean; isLoading: boolean; load: () => void } | undefined
}

/** Created once because `localeCompare` creates a collator for every comparison. */
const { compare: compareTexts } = new Intl.Collator(undefined, { numeric: true })

const compare = (one: SortValue, other: SortValue): number => {
  if (one === null || other === null) return Number(other === null) - Number(one === null)
  return typeof one === 'number' && typeof other === 'number' ? one - other : compareTexts(String(one), String(other))
}

/** Adapts rows that are not in the index to the list interface for tables. Searches and sorts only the loaded rows. */
export function useLocalList<Item extends Row>(settings: Settings<Item>): List<Item> {
  const { name, rows, sortBy, start, rank, matches, problem, staleSince, reload, more } = settings
  const [ownSearch, setOwnSearch] = useState('')
  const [sort, setSort] = useState(start)
  const search = settings.search?.text ?? ownSearch
  const setSearch = settings.search?.set ?? setOwnSearch
  const kind = useMemo(() => ({ name, filters: {}, sortKeys: sortBy }) as unknown as Kind, [name, sortBy])
  const shown = useMemo(() => {
    const found = matches && search ? (rows ?? []).filter((item) => matches(item, search)) : (rows ?? [])
    const valueOf = sortBy[sort.key]
    const sign = sort.direction === 'asc' ? 1 : -1
    return found.toSorted(
      (one, other) =>
        (rank ? rank(one) - rank(other) : 0) || (valueOf ? sign * compare(valueOf(one), valueOf(other)) : 0),
    )
  }, [rows, matches, search, sort, sortBy, rank])
  // no loaded row matches: keep loading, because the next pages may contain a match
  const isSearchingOn = search !== '' && rows !== undefined && shown.length === 0 && more?.has === true
  const isNextWanted = isSearchingOn && !more.isLoading && staleSince === undefined
  const loadMore = more?.load
  useEffect(() => {
    if (isNextWanted) loadMore?.()
  }, [isNextWanted, loadMore])
  return {
    kind,
    question: {},
    source: undefined,
    rows: shown,
    total: more?.has ? undefined : shown.length,
    isTotalEstimated: false,
    isLoading: (rows === undefined && problem === undefined) || (isSearchingOn && staleSince === undefined),
    isChanging: false,
    problem,
    staleSince,
    reload,
    hasMore: more?.has ?? false,
    isLoadingMore: more?.isLoading ?? false,
    loadMore: more?.load ?? (() => {}),
    everyMatching: () => Promise.resolve([...shown]),
    filters: {},
    sort,
    search,
    setFilters: () => {},
    setSearch,
    setGroupBy: () => {},
    sortBy: (key) =>
      setSort((old) => ({ key, direction: old.key === key && old.direction === 'asc' ? 'desc' : 'asc' })),
    reset: () => setSearch(''),
    isFiltered: search !== '',
  }
}
