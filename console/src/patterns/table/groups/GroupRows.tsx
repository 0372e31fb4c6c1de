import { useLayoutEffect } from 'react'
import { writeFilter } from '@mainstay/contract/core/lists/filters'
import { useList, type List, type Row } from '../../../api/use-list'

/** The loading state and rows of one group. */
export interface GroupPart<Item extends Row> {
  rows: readonly Item[]
  count: number | undefined
  isLoading: boolean
  hasFailed: boolean
  hasMore: boolean
  isLoadingMore: boolean
  loadMore: () => void
  reload: () => void
}

interface GroupRowsProps<Item extends Row> {
  list: List<Item> & { source: NonNullable<List['source']> }
  field: string
  value: string | null
  groupKey: string
  onPart: (key: string, part: GroupPart<Item>) => void
}

/** Loads a group's rows and renders nothing. */
export function GroupRows<Item extends Row>({ list, field, value, groupKey, onPart }: GroupRowsProps<Item>) {
  const { endpoint, only } = list.source
  const exactly = writeFilter({ operator: 'exact', values: [value] })!
  const part = useList(endpoint, list.kind, { only: { ...only, [field]: exactly } })
  const rows = part.rows as readonly Item[]
  const { isTotalEstimated, isLoading, hasMore, isLoadingMore, loadMore, reload } = part
  const hasFailed = part.problem !== undefined
  const count = isTotalEstimated ? undefined : part.total
  useLayoutEffect(
    () => onPart(groupKey, { rows, count, isLoading, hasFailed, hasMore, isLoadingMore, loadMore, reload }),
    [groupKey, onPart, rows, count, isLoading, hasFailed, hasMore, isLoadingMore, loadMore, reload],
  )
  return null
}
