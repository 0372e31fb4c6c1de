import {
  Fragment,
  lazy,
  Suspense,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
} from 'react'
import type { List, Row } from '../../api/use-list'
import { classes } from '../../lib/classes'
import { useIsNarrow } from '../../lib/use-media'
import { useT } from '../../i18n/use-t'
import { useTheme } from '../../themes/theme'
import { Checkbox } from '../../ui/fields/Checkbox'
import { Spinner } from '../../ui/feedback/Spinner'
import { cardColumns, type Column } from './columns'
import type { ActionsOf } from './row-action'
import type { Selection } from './selection'
import { SortHeader } from './SortHeader'
import { TableRow } from './TableRow'
import type { RowWindow } from './VirtualWindow'
import css from './TableGrid.module.css'

/** One line in the grid: a row from the list, or a line between rows. */
export interface GridLine<Item extends Row> {
  id: string
  row?: Item
  /** Renders a line that is not a row. */
  render?: (place: LinePlace) => ReactNode
}

export interface LinePlace {
  index: number
  columnCount: number
  /** 0 for the only line in the tab order. */
  tabIndex: 0 | -1
  onFocus: () => void
}

export interface TableGridProps<Item extends Row> {
  /** Lines to show instead of the list's rows. */
  lines?: readonly GridLine<Item>[] | undefined
  actions: ActionsOf<Item> | undefined
  list: List<Item>
  label: string
  columns: readonly Column<Item>[]
  /** If omitted, rows cannot be selected. */
  selection: Selection<Item> | undefined
  /** The grid is as high as its rows, for a short list above other content. */
  isFitting?: boolean | undefined
}

const VirtualWindow = lazy(() => import('./VirtualWindow'))

/** Lists up to this length are rendered completely, without virtualization. */
const mostWhole = 60

const rowPx = { compact: 36, comfortable: 44 } as const
const cardPx = 60
const markPx = 36
const actionsPx = 76
/** The next page is loaded when fewer rows than this remain below. */
const loadAhead = 15

const pages: Readonly<Record<string, number>> = { PageDown: 10, PageUp: -10, ArrowDown: 1, ArrowUp: -1 }

/** Renders lines, virtualized for long lists. Arrow keys move, Space selects, Shift extends the selection. */
export function TableGrid<Item extends Row>(props: TableGridProps<Item>) {
  const { list, label, actions, selection, isFitting = false } = props
  const t = useT('patterns')
  const scroller = useRef<HTMLDivElement>(null)
  const isNarrow = useIsNarrow()
  const columns = useMemo(() => (isNarrow ? cardColumns(props.columns) : props.columns), [isNarrow, props.columns])
  const { density } = useTheme()
  const { hasMore, isLoadingMore, loadMore } = list
  const lines = useMemo<readonly GridLine<Item>[]>(
    () => props.lines ?? list.rows.map((row) => ({ id: row.id, row })),
    [props.lines, list.rows],
  )
  const [current, setCurrent] = useState<string>()
  const isFocusWanted = useRef(false)

  const [part, setPart] = useState<RowWindow>()
  const isLong = lines.length > mostWhole
  const shown = isLong ? part : undefined
  const rowHeight = isNarrow ? cardPx : rowPx[density]

  useEffect(() => {
    const element = scroller.current
    if (!element || !hasMore || isLoadingMore) return
    const look = () => {
      const lastSeen = Math.floor((element.scrollTop + element.clientHeight) / rowHeight)
      if (lastSeen >= lines.length - loadAhead) loadMore()
    }
    look()
    element.addEventListener('scroll', look, { passive: true })
    addEventListener('resize', look)
    return () => {
      element.removeEventListener('scroll', look)
      removeEventListener('resize', look)
    }
  }, [hasMore, isLoadingMore, rowHeight, lines.length, loadMore])

  const latest = useRef(selection)
  useLayoutEffect(() => {
    latest.current = selection
  })
  /** Stable identity, so that memoized rows do not render again. */
  const onToggle = useCallback((item: Item, isRange: boolean) => {
    if (isRange) latest.current?.extendTo(item)
    else latest.current?.toggle(item)
  }, [])

  const found = lines.findIndex(({ id }) => id === current)
  const currentIndex = found < 0 ? 0 : found

  function focusRow(index: number) {
    const row = lines[index]
    if (!row) return
    setCurrent(row.id)
    isFocusWanted.current = true
    if (shown) shown.scrollTo(index)
    else elementOf(row.id)?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }

  const elementOf = (id: string) => scroller.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`)

  // a row outside the rendered window exists only after the next render
  useEffect(() => {
    if (!isFocusWanted.current) return
    const row = elementOf(current ?? '')
    if (!row) return
    isFocusWanted.current = false
    row.focus({ preventScroll: true })
  })

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    const isOnRow = (event.target as HTMLElement).dataset['row'] !== undefined
    const step = pages[event.key]
    const to =
      step !== undefined
        ? Math.min(lines.length - 1, Math.max(0, currentIndex + step))
        : event.key === 'Home'
          ? 0
          : event.key === 'End'
            ? lines.length - 1
            : undefined
    if (to !== undefined) {
      event.preventDefault()
      const row = lines[to]?.row
      if (event.shiftKey && row) selection?.extendTo(row)
      return focusRow(to)
    }
    const row = lines[currentIndex]?.row
    if (!isOnRow || !row) return
    if (event.key === ' ') {
      event.preventDefault()
      if (event.shiftKey) selection?.extendTo(row)
      else selection?.toggle(row)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      ;(event.target as HTMLElement).querySelector<HTMLElement>('a')?.click()
    } else if (event.key === 'Escape' && selection && selection.count > 0) {
      // otherwise a drawer around the table would close
      event.preventDefault()
      selection.clear()
    }
  }

  const first = shown?.first ?? 0
  const rowCount = props.lines ? lines.length : list.total
  const hasActions = actions !== undefined
  const columnCount = columns.length + Number(selection !== undefined) + Number(hasActions)
  const least =
    columns.reduce((sum, { width }) => sum + width, 0) + (selection ? markPx : 0) + (hasActions ? actionsPx : 0)

  /** Column share in percent, so that extra width is distributed over all columns, not only the first. */
  const share = (width: number) => ((width / least) * 90).toFixed(2)

  return (
    <>
      <div
        ref={scroller}
        className={classes(
          ...[css.scroller, list.isChanging && css.changing, isNarrow && css.narrow, isFitting && css.fitting],
        )}
        aria-busy={list.isChanging}
      >
        <table
          className={css.grid}
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role -- follows the ARIA grid pattern
          role="grid"
          aria-label={label}
          aria-rowcount={rowCount === undefined ? -1 : rowCount + 1}
          aria-colcount={columnCount}
          aria-multiselectable={selection !== undefined}
          style={isNarrow ? undefined : { minInlineSize: `${least}px` }}
          onKeyDown={onKeyDown}
        >
          <colgroup>
            {selection && <col style={{ inlineSize: `${markPx}px` }} />}
            {columns.map(({ id, width }, index) => (
              <col key={id} style={index === 0 ? undefined : { inlineSize: `max(${width}px, ${share(width)}cqi)` }} />
            ))}
            {hasActions && <col style={{ inlineSize: `${actionsPx}px` }} />}
          </colgroup>
          <thead className={css.head}>
            <tr aria-rowindex={1}>
              {selection && (
                <th scope="col" className={css.mark}>
                  <Checkbox
                    aria-label={t('table.selectShown')}
                    isSelected={selection.isAllShown}
                    isIndeterminate={selection.count > 0 && !selection.isAllShown}
                    onChange={selection.toggleShown}
                  />
                </th>
              )}
              {columns.map((column, index) => (
                <SortHeader key={column.id} column={column} list={list} isFirst={index === 0} />
              ))}
              {hasActions && (
                <th scope="col">
                  <span className={css.hidden}>{t('table.actions')}</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {shown && shown.before > 0 && <Spacer height={shown.before} />}
            {lines.slice(first, shown && shown.last + 1).map(({ id, row, render }, at) => {
              const index = first + at
              const isCurrent = index === currentIndex
              if (!row)
                return (
                  <Fragment key={id}>
                    {render?.({ index, columnCount, tabIndex: isCurrent ? 0 : -1, onFocus: () => setCurrent(id) })}
                  </Fragment>
                )
              return (
                <TableRow
                  key={id}
                  index={index}
                  item={row}
                  kind={list.kind.name}
                  columns={columns}
                  actions={actions}
                  isCurrent={isCurrent}
                  isSelected={selection?.isSelected(id)}
                  onToggle={onToggle}
                  onFocus={setCurrent}
                />
              )
            })}
            {shown && shown.after > 0 && <Spacer height={shown.after} />}
          </tbody>
        </table>
        {isLoadingMore && (
          <div className={css.more} role="status">
            <Spinner /> {t('table.loadingMore')}
          </div>
        )}
      </div>
      {/* the window is rendered after the table, because the scroller ref must be set */}
      {isLong && (
        <Suspense fallback={null}>
          <VirtualWindow rows={lines} scroller={scroller} rowHeight={rowHeight} onChange={setPart} />
        </Suspense>
      )}
    </>
  )
}

const Spacer = ({ height }: { height: number }) => (
  <tr aria-hidden="true" style={{ blockSize: `${height}px` }}>
    {/* oxlint-disable-next-line jsx-a11y/control-has-associated-label -- it is hidden and not a control */}
    <td className={css.spacer} />
  </tr>
)
