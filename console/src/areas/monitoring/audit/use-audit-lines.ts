import { useCallback, useMemo } from 'react'
import { auditLineKind, type AuditLine } from '@mainstay/contract/monitoring/audit-lines'
import { AUDIT_LIMIT, auditLog, type AuditPage } from '@mainstay/contract/monitoring/audit-log'
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient, type InfiniteData } from '@tanstack/react-query'
import { call } from '../../../api/call'
import { listKey, viewKey } from '../../../api/keys'
import { useListInAddress } from '../../../api/list-state'
import { pollMs } from '../../../api/live-state'
import { asProblem } from '../../../api/problem'
import type { List } from '../../../api/use-list'

/** A line as tables want it: with an id that is a text. */
export type AuditRow = Omit<AuditLine, 'id'> & { id: string }
type Pages = InfiniteData<AuditPage, string>

export interface AuditLines extends List<AuditRow> {
  /** What the list is asked for, as the file of it is asked for too. */
  question: Readonly<Record<string, string>>
  /** How many lines have come since, which `showNew` puts on top. */
  newCount: number
  showNew: () => void
}

/** Lines that are looked at again each time: of two at the same moment the later id may be seen first, or may go on. */
const OVERLAP = 50

/** Each line once, as it was told last. */
function unique(pages: readonly AuditPage[]): AuditRow[] {
  const rows = new Map<number, AuditRow>()
  for (const { data } of pages)
    for (const line of data) if (!rows.has(line.id)) rows.set(line.id, { ...line, id: String(line.id) })
  return [...rows.values()]
}

/** The audit log with its paging, filters and sort in the address. New lines are counted, and shown when they are wanted. */
export function useAuditLines(): AuditLines {
  const client = useQueryClient()
  const state = useListInAddress(auditLineKind)
  const { filters, search, sort } = state
  const question: Record<string, string> = {
    ...filters,
    sorters: `${sort.key}:${sort.direction}`,
    ...(search && { 'filters.contained_text': search }),
  }
  const ask = (more: object, signal: AbortSignal) =>
    call(auditLog.list, { query: { ...question, ...more } }, { signal })

  const key = listKey(auditLineKind.name, auditLog.list, {}, question)
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) =>
      ask({ limit: AUDIT_LIMIT, marker: pageParam || undefined, with_count: pageParam === '' }, signal),
    initialPageParam: '',
    getNextPageParam: (last: AuditPage) => last.pages[0]?.marker,
    placeholderData: keepPreviousData,
  })
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage, refetch } = query
  const rows = useMemo(() => unique(data?.pages ?? []), [data])
  const newest = Math.max(0, ...(data?.pages[0]?.data.map(({ id }) => id) ?? []))

  const isNewestFirst = sort.key === 'timestamp' && sort.direction === 'desc'
  const after = Math.max(0, newest - OVERLAP)
  const { data: came } = useQuery({
    queryKey: viewKey('', auditLog.list, {}, { ...question, after }),
    queryFn: ({ signal }) => ask({ after, limit: AUDIT_LIMIT }, signal),
    enabled: isNewestFirst && data !== undefined && !query.isPlaceholderData,
    refetchInterval: pollMs,
  })
  const fresh = useMemo(() => {
    const known = new Set(rows.map(({ id }) => id))
    return came?.data.filter(({ id }) => !known.has(String(id))) ?? []
  }, [came, rows])
  const showNew = useCallback(() => {
    if (fresh.length === AUDIT_LIMIT) return void refetch()
    client.setQueryData<Pages>(key, (old) => {
      const [first, ...rest] = old?.pages ?? []
      if (!old || !first) return old
      const count = first.count === undefined ? {} : { count: first.count + fresh.length }
      return { ...old, pages: [{ ...first, ...count, data: [...fresh, ...first.data] }, ...rest] }
    })
  }, [client, fresh, key, refetch])

  const first = data?.pages[0]
  return {
    ...state,
    kind: auditLineKind,
    rows,
    total: first?.count,
    isTotalEstimated: first?.count_estimated ?? false,
    isLoading: query.isPending,
    isChanging: query.isPlaceholderData,
    problem: error && !data ? asProblem(error) : undefined,
    staleSince: error && data ? query.dataUpdatedAt : undefined,
    reload: () => void refetch(),
    hasMore: hasNextPage,
    isLoadingMore: isFetchingNextPage,
    loadMore: () => void fetchNextPage({ cancelRefetch: false }),
    everyMatching: async () => rows,
    question,
    // its lines are not counted by their values
    source: undefined,
    newCount: fresh.length,
    showNew,
  }
}
