import { useCallback, useMemo, useState } from 'react'
import type { Kind } from '@mainstay/contract/core/kind'
import { useNavigate, useSearch } from '@tanstack/react-router'

export interface Sort {
  key: string
  direction: 'asc' | 'desc'
}

/** A list's filters, sort and search. Filters use the API syntax, even in the URL: `status: 'in:ACTIVE,ERROR'`. */
export interface ListState {
  filters: Readonly<Record<string, string>>
  sort: Sort
  search: string
  /** Name of the filter that rows are grouped by. */
  groupBy?: string | undefined
  /**
   * Text typed into the global search, such as `status:error web`. The list's filter box applies it and then clears it.
   */
  typed?: string | undefined
}

export interface ListControls extends ListState {
  /** Null or an empty string removes a filter. */
  setFilters: (changes: Readonly<Record<string, string | null>>, search?: string) => void
  setSearch: (search: string) => void
  setGroupBy: (filter: string | undefined) => void
  /** Sorting by the current key again reverses the direction. */
  sortBy: (key: string) => void
  /** Clears filters and search. */
  reset: () => void
  isFiltered: boolean
}

type Parameters = Readonly<Record<string, string | undefined>>

const sortFrom = (text: string): Sort => {
  const [key = '', direction] = text.split(':')
  return { key, direction: direction === 'desc' ? 'desc' : 'asc' }
}

/** Falls back to the kind's default sort if the sort key is unknown. */
export function parseSort(text: string | undefined, kind: Kind): Sort {
  const sort = sortFrom(text ?? kind.defaultSort)
  return sort.key in kind.sortKeys ? sort : sortFrom(kind.defaultSort)
}

/** Reads list state from URL parameters. Ignores parameters that are not filters of the kind. */
export function readListState(parameters: Parameters, kind: Kind): ListState {
  const filters: Record<string, string> = {}
  for (const name of Object.keys(kind.filters)) {
    const value = parameters[name]
    if (typeof value === 'string' && value !== '') filters[name] = value
  }
  const groupBy = parameters['groupBy']
  return {
    filters,
    sort: parseSort(parameters['sort'], kind),
    search: parameters['search'] ?? '',
    groupBy: groupBy !== undefined && groupBy in kind.filters ? groupBy : undefined,
    typed: parameters['typed'],
  }
}

const sortText = ({ key, direction }: Sort) => `${key}:${direction}`

function controls(state: ListState, kind: Kind, change: (parameters: Parameters) => void): ListControls {
  const withoutEmpty = (changes: Readonly<Record<string, string | null>>) =>
    Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, value || undefined]))
  return {
    ...state,
    isFiltered: state.search !== '' || Object.keys(state.filters).length > 0,
    setFilters: (changes, search) =>
      change({
        ...withoutEmpty(changes),
        ...(search !== undefined && { search: search || undefined }),
        ...(state.typed !== undefined && { typed: undefined }),
      }),
    setSearch: (search) => change({ search: search || undefined }),
    setGroupBy: (groupBy) => change({ groupBy }),
    sortBy: (key) => {
      const isSame = state.sort.key === key
      const next = sortText({ key, direction: isSame && state.sort.direction === 'asc' ? 'desc' : 'asc' })
      change({ sort: next === kind.defaultSort ? undefined : next })
    },
    reset: () =>
      change({ search: undefined, ...Object.fromEntries(Object.keys(kind.filters).map((name) => [name, undefined])) }),
  }
}

/** List state kept in the URL, so that links, the Back button and reloads show the same rows. */
export function useListInAddress(kind: Kind): ListControls {
  const parameters = useSearch({ strict: false }) as unknown as Parameters
  const navigate = useNavigate()
  const change = useCallback(
    (changes: Parameters) =>
      void navigate({ to: '.', replace: true, search: (old: Parameters) => ({ ...old, ...changes }) }),
    [navigate],
  )
  return useMemo(() => controls(readListState(parameters, kind), kind, change), [parameters, kind, change])
}

/** List state kept in memory, for a list inside a page or a form that owns the URL. */
export function useListInMemory(kind: Kind): ListControls {
  const [parameters, setParameters] = useState<Parameters>({})
  return useMemo(
    () =>
      controls(readListState(parameters, kind), kind, (changes) => setParameters((old) => ({ ...old, ...changes }))),
    [parameters, kind],
  )
}
