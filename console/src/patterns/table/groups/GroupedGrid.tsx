import { Fragment, useCallback, useEffect, useRef, useState } from 'react'
import { facets, MOST_FACETS, type Facets } from '@mainstay/contract/core/lists/facets'
import type { List, Row } from '../../../api/use-list'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { Banner } from '../../../ui/feedback/Banner'
import { Button } from '../../../ui/Button'
import type { ListFilter } from '../filter-text'
import { GroupLine } from './GroupLine'
import { GroupRows, type GroupPart } from './GroupRows'
import { groupsOf, openAtFirst } from './grouping'
import { MoreLine } from '../MoreLine'
import { TableGrid, type GridLine, type TableGridProps } from '../TableGrid'

interface GroupedGridProps<Item extends Row> extends Omit<TableGridProps<Item>, 'lines'> {
  list: List<Item> & { source: NonNullable<List['source']> }
  /** The filter whose values define the groups. */
  filter: ListFilter
  /** Called with the visible rows, in order. */
  onRows: (rows: readonly Item[]) => void
}

interface Counted {
  facets: Facets
  question: string
  /** Keys of the expanded groups. */
  open: ReadonlySet<string>
}

/** Interval for refreshing the counts of groups. */
const countEveryMs = 10_000

/**
 * Rows under headings, one per value of a filter. A group is a list with one additional filter, so rows, order, paging
 * and updates work as in any list. Only the rows of expanded groups are loaded (docs/decisions/0066).
 */
export default function GroupedGrid<Item extends Row>({ filter, onRows, ...grid }: GroupedGridProps<Item>) {
  const { list } = grid
  const t = useT('patterns')
  const query = { ...list.question, field: filter.name, limit: String(MOST_FACETS) }
  const counted = useView(facets.values, { kind: list.kind.name }, { query, everyMs: countEveryMs })
  const [parts, setParts] = useState<ReadonlyMap<string, GroupPart<Item>>>(new Map())
  const [last, setLast] = useState<Counted>()

  // keeps the groups until a new query returns its own groups, and keeps them expanded when the counts are refreshed
  const question = JSON.stringify(query)
  const groups = groupsOf(filter, (counted.data ?? last?.facets)?.data ?? [])
  if (counted.data && (counted.data !== last?.facets || question !== last.question)) {
    const open = question === last?.question ? last.open : openAtFirst(groups)
    setLast({ facets: counted.data, question, open })
  }

  const onPart = useCallback(
    (key: string, part: GroupPart<Item>) => setParts((before) => new Map(before).set(key, part)),
    [],
  )
  const isOpen = (key: string) => last?.open.has(key) ?? false
  function turn(key: string) {
    const open = new Set(last?.open)
    if (!open.delete(key)) open.add(key)
    setLast((before) => before && { ...before, open })
  }

  const shown: Item[] = []
  const seen = new Set<string>()
  const lines: GridLine<Item>[] = groups.flatMap((group) => {
    const { key } = group
    const part = parts.get(key)
    const isGroupOpen = isOpen(key)
    // a row that moved to another group may still be in the old one
    const rows = isGroupOpen ? (part?.rows ?? []).filter(({ id }) => !seen.has(id)) : []
    if (isGroupOpen && part && !part.isLoading && !part.hasFailed && rows.length === 0) return []
    for (const row of rows) seen.add(row.id)
    shown.push(...rows)
    const count = (isGroupOpen ? part?.count : undefined) ?? group.count
    return [
      {
        id: `group ${key}`,
        render: (place) => (
          <GroupLine
            {...place}
            filter={filter}
            group={{ ...group, count }}
            isOpen={isGroupOpen}
            onTurn={() => turn(key)}
          />
        ),
      },
      ...rows.map((row) => ({ id: row.id, row })),
      ...(isGroupOpen && part && (part.hasMore || part.hasFailed)
        ? [
            {
              id: `more ${key}`,
              render: (place) => (
                <MoreLine
                  {...place}
                  groupKey={key}
                  isLoading={part.isLoadingMore}
                  hasFailed={part.hasFailed}
                  left={count === undefined ? undefined : count - rows.length}
                  onMore={part.hasFailed ? part.reload : part.loadMore}
                />
              ),
            } satisfies GridLine<Item>,
          ]
        : []),
    ] satisfies GridLine<Item>[]
  })

  const order = shown.map(({ id }) => id).join(' ')
  // oxlint-disable-next-line react/exhaustive-deps -- the order identifies the rows, and row objects change often
  useEffect(() => onRows(shown), [order, onRows])

  // a changed total may be due to rows moving to or from a collapsed group
  const totals = [list.total, ...groups.map(({ key }) => parts.get(key)?.count)]
  const known = useRef(totals)
  useEffect(() => {
    const before = known.current
    known.current = totals
    if (totals.some((total, at) => before[at] !== undefined && total !== undefined && total !== before[at]))
      counted.reload()
    // oxlint-disable-next-line react/exhaustive-deps -- runs once for each change to the groups
  }, [totals.join(' ')])

  if (counted.problem || last?.facets.has_more)
    return (
      <>
        <Banner
          tone="warn"
          action={<Button onPress={() => list.setGroupBy(undefined)}>{t('table.group.none')}</Button>}
        >
          {counted.problem ? t('table.group.failed') : t('table.group.tooMany', { most: MOST_FACETS })}
        </Banner>
        <TableGrid {...grid} />
      </>
    )
  return (
    <>
      {groups.map(({ key, value }) => (
        <Fragment key={key}>
          {isOpen(key) && (
            <GroupRows<Item> list={list} field={filter.name} value={value} groupKey={key} onPart={onPart} />
          )}
        </Fragment>
      ))}
      {last && (
        <TableGrid {...grid} list={{ ...list, rows: shown, hasMore: false, isLoadingMore: false }} lines={lines} />
      )}
    </>
  )
}
