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
  /** By whose values the rows are grouped. */
  filter: ListFilter
  /** Told of the rows that are shown, in their order. */
  onRows: (rows: readonly Item[]) => void
}

interface Counted {
  facets: Facets
  question: string
  /** The keys of the groups whose rows are shown. */
  open: ReadonlySet<string>
}

/** Values of folded groups are counted again so often. */
const countEveryMs = 10_000

/**
 * The rows under headings, one for each value of a filter. A group is the list with one more filter: its rows, their order,
 * paging and changes are those of any list, and only what is open is asked for (docs/decisions/0066).
 */
export default function GroupedGrid<Item extends Row>({ filter, onRows, ...grid }: GroupedGridProps<Item>) {
  const { list } = grid
  const t = useT('patterns')
  const query = { ...list.question, field: filter.name, limit: String(MOST_FACETS) }
  const counted = useView(facets.values, { kind: list.kind.name }, { query, everyMs: countEveryMs })
  const [parts, setParts] = useState<ReadonlyMap<string, GroupPart<Item>>>(new Map())
  const [last, setLast] = useState<Counted>()

  // the groups stay until those of another question are known, and as open as they are when they are counted again
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
    // what has moved to another group may still stand in the one before
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
  // oxlint-disable-next-line react/exhaustive-deps -- the order says which rows they are, and rows change by themselves
  useEffect(() => onRows(shown), [order, onRows])

  // where a group, or the list, grows or shrinks, rows may have come from a group that is folded, or gone there
  const totals = [list.total, ...groups.map(({ key }) => parts.get(key)?.count)]
  const known = useRef(totals)
  useEffect(() => {
    const before = known.current
    known.current = totals
    if (totals.some((total, at) => before[at] !== undefined && total !== undefined && total !== before[at]))
      counted.reload()
    // oxlint-disable-next-line react/exhaustive-deps -- once for each change of them
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
