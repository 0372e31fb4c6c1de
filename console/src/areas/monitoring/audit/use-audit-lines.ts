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

/** An audit entry with a string ID, as tables require. */
export type AuditRow = Omit<AuditLine, 'id'> & { id: string }
type Pages = InfiniteData<AuditPage, string>

export interface AuditLines extends List<AuditRow> {
  /** Query parameters for the list, also used for the export. */
  question: Readonly<Record<string, string>>
  /** Number of new entries that `showNew` would add at the top. */
  newCount: number
  showNew: () => void
}

/**
 * Number of recent entries to fetch again on each poll, because entries written at the same time may become visible out
 * of ID order.
 */
const OVERLAP = 50

/** Removes duplicate entries, keeping the first occurrence. */
function unique(pages: readonly AuditPage[]): AuditRow[] {
  const rows = new Map<number, AuditRow>()
  for (const { data } of pages)
    for (const line of data) if (!rows.has(line.id)) rows.set(line.id, { ...line, id: String(line.id) })
  return [...rows.values()]
}

/**
 * Loads the audit log, with paging, and with filters and sort order taken from the URL. New entries are counted, but
 * added only on request.
 */
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
    // counts per value are not available for the audit log
    source: undefined,
    newCount: fresh.length,
    showNew,
  }
}
