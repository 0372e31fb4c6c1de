import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import { useVirtualizer } from '@tanstack/react-virtual'
import type { List, Row } from '../../api/use-list'
import { classes } from '../../lib/classes'
import { useIsNarrow } from '../../lib/use-media'
import { useT } from '../../i18n/use-t'
import { useTheme } from '../../themes/theme'
import { Checkbox } from '../../ui/fields/Checkbox'
import { Spinner } from '../../ui/feedback/Spinner'
import type { Column } from './columns'
import type { ActionsOf } from './row-action'
import type { Selection } from './selection'
import { SortHeader } from './SortHeader'
import { TableRow } from './TableRow'
import css from './TableGrid.module.css'

interface TableGridProps<Item extends Row> {
  actions: ActionsOf<Item> | undefined
  list: List<Item>
  label: string
  columns: readonly Column<Item>[]
  /** Without it rows cannot be ticked. */
  selection: Selection<Item> | undefined
}

const rowPx = { compact: 36, comfortable: 44 } as const
const markPx = 36
const actionsPx = 76
/** With fewer rows than this left below, the next page is asked for. */
const loadAhead = 10

const pages: Readonly<Record<string, number>> = { PageDown: 10, PageUp: -10, ArrowDown: 1, ArrowUp: -1 }

/** The rows: only those on the screen are in the document. Arrow keys walk, Space selects, Shift extends. */
export function TableGrid<Item extends Row>({ list, label, columns, actions, selection }: TableGridProps<Item>) {
  const t = useT('patterns')
  const scroller = useRef<HTMLDivElement>(null)
  const isNarrow = useIsNarrow()
  const { density } = useTheme()
  const { rows, hasMore, isLoadingMore, loadMore } = list
  const [current, setCurrent] = useState<string>()
  const isFocusWanted = useRef(false)

  // oxlint-disable-next-line react/incompatible-library -- nothing here is memoised by a compiler
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (isNarrow ? 112 : rowPx[density]),
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 8,
    // a card is as tall as its words
    ...(isNarrow && { measureElement: (element: Element) => element.getBoundingClientRect().height }),
  })
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? -1

  useEffect(() => {
    if (hasMore && !isLoadingMore && last >= rows.length - loadAhead) loadMore()
  }, [hasMore, isLoadingMore, last, rows.length, loadMore])

  const found = rows.findIndex(({ id }) => id === current)
  const currentIndex = found < 0 ? 0 : found

  function focusRow(index: number) {
    const row = rows[index]
    if (!row) return
    setCurrent(row.id)
    isFocusWanted.current = true
    virtual.scrollToIndex(index)
  }

  // a row that was off the screen is there only after the next paint
  useEffect(() => {
    if (!isFocusWanted.current) return
    const row = scroller.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(current ?? '')}"]`)
    if (!row) return
    isFocusWanted.current = false
    row.focus({ preventScroll: true })
  })

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    const isOnRow = (event.target as HTMLElement).dataset['row'] !== undefined
    const step = pages[event.key]
    const to =
      step !== undefined
        ? Math.min(rows.length - 1, Math.max(0, currentIndex + step))
        : event.key === 'Home'
          ? 0
          : event.key === 'End'
            ? rows.length - 1
            : undefined
    if (to !== undefined) {
      event.preventDefault()
      const row = rows[to]
      if (event.shiftKey && row) selection?.extendTo(row)
      return focusRow(to)
    }
    const row = rows[currentIndex]
    if (!isOnRow || !row) return
    if (event.key === ' ') {
      event.preventDefault()
      if (event.shiftKey) selection?.extendTo(row)
      else selection?.toggle(row)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      ;(event.target as HTMLElement).querySelector<HTMLElement>('a')?.click()
    } else if (event.key === 'Escape' && selection && selection.count > 0) selection.clear()
  }

  const before = items[0]?.start ?? 0
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0)
  const hasActions = actions !== undefined
  const columnCount = columns.length + Number(selection !== undefined) + Number(hasActions)
  const least =
    columns.reduce((sum, { width }) => sum + width, 0) + (selection ? markPx : 0) + (hasActions ? actionsPx : 0)

  return (
    <div
      ref={scroller}
      className={classes(css.scroller, list.isChanging && css.changing, isNarrow && css.narrow)}
      aria-busy={list.isChanging}
    >
      <table
        className={css.grid}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role -- the pattern of an ARIA grid
        role="grid"
        aria-label={label}
        aria-rowcount={list.total === undefined ? -1 : list.total + 1}
        aria-colcount={columnCount}
        aria-multiselectable={selection !== undefined}
        style={isNarrow ? undefined : { minInlineSize: `${least}px` }}
        onKeyDown={onKeyDown}
      >
        <colgroup>
          {selection && <col style={{ inlineSize: `${markPx}px` }} />}
          {columns.map(({ id, width }, index) => (
            <col key={id} style={index === 0 ? undefined : { inlineSize: `${width}px` }} />
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
          {before > 0 && <Spacer height={before} />}
          {items.map(({ index, key }) => {
            const row = rows[index]
            return (
              row && (
                <TableRow
                  key={key}
                  ref={isNarrow ? virtual.measureElement : undefined}
                  index={index}
                  item={row}
                  kind={list.kind.name}
                  columns={columns}
                  actions={actions}
                  isCurrent={index === currentIndex}
                  isSelected={selection?.isSelected(row.id)}
                  onToggle={(isRange) => (isRange ? selection?.extendTo(row) : selection?.toggle(row))}
                  onFocus={() => setCurrent(row.id)}
                />
              )
            )
          })}
          {after > 0 && <Spacer height={after} />}
        </tbody>
      </table>
      {isLoadingMore && (
        <div className={css.more} role="status">
          <Spinner /> {t('table.loadingMore')}
        </div>
      )}
    </div>
  )
}

const Spacer = ({ height }: { height: number }) => (
  <tr aria-hidden="true" style={{ blockSize: `${height}px` }}>
    {/* oxlint-disable-next-line jsx-a11y/control-has-associated-label -- it is no control, and hidden */}
    <td className={css.spacer} />
  </tr>
)
