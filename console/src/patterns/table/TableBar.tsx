import { lazy, Suspense, useState } from 'react'
import type { List, Row } from '../../api/use-list'
import { useFormat } from '../../i18n/use-format'
import { textsNow, useT } from '../../i18n/use-t'
import { classes } from '../../lib/classes'
import { useIsNarrow, useMedia } from '../../lib/use-media'
import { Button } from '../../ui/Button'
import { LazyChoiceMenu, LazyMenu } from '../lazy-overlays'
import { IconButton } from '../../ui/IconButton'
import { BookmarkIcon, CloseIcon, ColumnsIcon, DownloadIcon, MoreIcon, RefreshIcon, RowsIcon } from '../../ui/icons'
import type { BulkAction } from '../bulk-run/bulk'
import type { Column } from './columns'
import { FilterBar } from './FilterBar'
import type { ListFilter } from './filter-text'
import type { Selection } from './selection'
import css from './TableBar.module.css'

interface TableBarProps<Item extends Row> {
  list: List<Item>
  label: string
  filters: readonly ListFilter[]
  columns: readonly Column<Item>[]
  shown: readonly string[]
  /** Null resets to the default columns. */
  onColumns: (ids: readonly string[] | null) => void
  isOwnColumns: boolean
  selection: Selection<Item>
  bulk: readonly BulkAction<Item>[]
  onBulk: (action: BulkAction<Item>) => void
  isExported?: boolean | undefined
  /** Shows only the number of rows or, while rows are selected, the bulk actions. */
  isShort?: boolean | undefined
  /** Filters that rows can be grouped by. */
  groupFields: readonly ListFilter[]
}

const SavedViews = lazy(() => import('./SavedViews').then(({ SavedViews: component }) => ({ default: component })))
const formats = ['csv', 'json'] as const

/** The bar above a table: search and filters, or the bulk actions while rows are selected, at the same height. */
export function TableBar<Item extends Row>(props: TableBarProps<Item>) {
  const {
    list,
    label,
    filters,
    columns,
    shown,
    onColumns,
    isOwnColumns,
    selection,
    bulk,
    onBulk,
    isExported = true,
    isShort = false,
    groupFields,
  } = props
  const [areViewsOpen, openViews] = useState(false)
  const t = useT('patterns')
  const format = useFormat()
  if (selection.count > 0 && bulk.length > 0)
    return <BulkBar list={list} selection={selection} bulk={bulk} onBulk={onBulk} isShort={isShort} />
  const count = (
    <span className={css.count} role="status">
      {list.total !== undefined && (
        <bdi>
          {t(list.isTotalEstimated ? 'table.countAbout' : 'table.count', {
            count: list.total,
            shown: format.number(list.total),
          })}
        </bdi>
      )}
    </span>
  )
  if (isShort) return <div className={classes(css.bar, css.short)}>{count}</div>
  return (
    <div className={css.bar}>
      <FilterBar list={list} label={label} filters={filters} />
      {count}
      <IconButton icon={RefreshIcon} label={t('table.reload')} onPress={list.reload} />
      <IconButton icon={BookmarkIcon} label={t('table.views')} onPress={() => openViews(true)} />
      {areViewsOpen && (
        <Suspense fallback={null}>
          <SavedViews list={list} onClose={() => openViews(false)} />
        </Suspense>
      )}
      {isExported && (
        <LazyMenu
          label={t('table.export')}
          trigger={<IconButton icon={DownloadIcon} label={t('table.export')} />}
          items={formats.map((name) => ({
            label: name.toUpperCase(),
            run: () => void import('./export-list').then(({ exportList }) => exportList(list, name)),
          }))}
        />
      )}
      {groupFields.length > 0 && (
        <LazyChoiceMenu
          label={t('table.group')}
          trigger={<IconButton icon={RowsIcon} label={t('table.group')} />}
          items={[
            { id: '-', label: t('table.group.none') },
            ...groupFields.map(({ name, label: text }) => ({ id: name, label: text })),
          ]}
          chosen={[list.groupBy ?? '-']}
          onChange={([id]) => list.setGroupBy(id === '-' ? undefined : id)}
          of="one"
        />
      )}
      <LazyChoiceMenu
        label={t('table.columns')}
        trigger={<IconButton icon={ColumnsIcon} label={t('table.columns')} />}
        items={columns.slice(1).map(({ id, area, label: key }) => ({ id, label: textsNow(area)(key) }))}
        chosen={shown}
        onChange={onColumns}
        reset={isOwnColumns ? undefined : { label: t('table.resetColumns'), run: () => onColumns(null) }}
      />
    </div>
  )
}

type BulkBarProps<Item extends Row> = Pick<TableBarProps<Item>, 'list' | 'selection' | 'bulk' | 'onBulk' | 'isShort'>

function BulkBar<Item extends Row>({ list, selection, bulk, onBulk, isShort }: BulkBarProps<Item>) {
  const t = useT('patterns')
  const format = useFormat()
  // buttons would take up a third of a narrow screen; only a few fit next to a pinned menu
  const isNarrow = useIsNarrow()
  const isTight = useMedia('(max-width: 1439px)')
  const often = bulk.filter(({ isRare = false }) => !isRare)
  const fitting = isTight && often.length > 4 ? [...often.slice(0, 2), ...often.slice(-1)] : often
  const usual = isNarrow ? [] : fitting
  const inMenu = bulk.filter((action) => !usual.includes(action))
  /** Number of selected objects that an action applies to; the others are listed with a reason before it starts. */
  const reached = ({ skippedBecause }: BulkAction<Item>) =>
    skippedBecause && selection.known?.filter((item) => skippedBecause(item) === undefined).length
  const more = selection.isAllShown && !selection.isAllMatching && (list.total ?? 0) > selection.count
  return (
    <div className={classes(css.bar, isShort && css.short)} role="toolbar" aria-label={t('table.selection')}>
      <strong className={css.selected} role="status">
        <bdi>{t('table.selected', { count: selection.count, shown: format.number(selection.count) })}</bdi>
      </strong>
      {more && (
        <Button variant="plain" onPress={selection.selectAllMatching}>
          {t('table.selectAll', { count: list.total ?? 0, shown: format.number(list.total ?? 0) })}
        </Button>
      )}
      <span className={css.gap} />
      {usual.map((action) => (
        <BulkButton key={action.label} action={action} count={reached(action)} onPress={() => onBulk(action)} />
      ))}
      {inMenu.length > 0 && (
        <LazyMenu
          label={t(isNarrow ? 'table.actions' : 'table.moreActions')}
          trigger={
            isNarrow ? (
              <Button icon={MoreIcon}>{t('table.actions')}</Button>
            ) : (
              <IconButton icon={MoreIcon} variant="quiet" label={t('table.moreActions')} />
            )
          }
          items={inMenu.map((action) => ({
            label: action.label,
            icon: action.icon,
            isDanger: action.isDanger,
            run: () => onBulk(action),
          }))}
        />
      )}
      <IconButton icon={CloseIcon} label={t('table.clearSelection')} onPress={selection.clear} />
    </div>
  )
}

interface BulkButtonProps {
  action: BulkAction<never>
  /** Number of rows; undefined if unknown. */
  count: number | undefined
  onPress: () => void
}

function BulkButton({ action, count, onPress }: BulkButtonProps) {
  const format = useFormat()
  return (
    <Button icon={action.icon} className={classes(action.isDanger && css.danger)} onPress={onPress}>
      {action.label} {count !== undefined && <bdi className={css.reached}>{format.number(count)}</bdi>}
    </Button>
  )
}
