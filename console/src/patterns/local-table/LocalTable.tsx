import type { ReactNode } from 'react'
import { problemText } from '../../api/problem-text'
import type { List, Row } from '../../api/use-list'
import { useFormat } from '../../i18n/use-format'
import { useT } from '../../i18n/use-t'
import { useDelayed } from '../../lib/use-delayed'
import type { Column } from '../table/columns'
import type { ActionsOf } from '../table/row-action'
import { useSelection } from '../table/selection'
import { TableGrid } from '../table/TableGrid'
import { Button } from '../../ui/Button'
import { Banner } from '../../ui/feedback/Banner'
import { EmptyState } from '../../ui/feedback/EmptyState'
import { ErrorPanel } from '../../ui/feedback/ErrorPanel'
import { SkeletonRows } from '../../ui/feedback/Skeleton'
import { SearchField } from '../../ui/fields/SearchField'
import { IconButton } from '../../ui/IconButton'
import { CloseIcon, DeleteIcon, RefreshIcon, type Icon } from '../../ui/icons'
import css from './LocalTable.module.css'

/** An action for the selected rows, other than deleting them. */
export interface BulkAction<Item> {
  label: string
  icon: Icon
  run: (items: Item[]) => void
}

export interface LocalTableProps<Item extends Row> {
  list: List<Item>
  /** Accessible name of the table. */
  label: string
  columns: readonly Column<Item>[]
  actions?: ActionsOf<Item> | undefined
  /** Label of the search field; omit it to hide the field. */
  searchLabel?: string | undefined
  /** Row count as text. */
  count?: string | undefined
  empty: ReactNode
  emptyAction?: ReactNode
  /** Deletes the selected rows. Rows can be selected if there is this or another action for several of them. */
  onDelete?: ((items: Item[]) => void) | undefined
  bulk?: readonly BulkAction<Item>[] | undefined
  /** Called on Backspace to open the parent folder. */
  onUp?: (() => void) | undefined
  /** Text for the number of selected rows: "3 selected". */
  selectedText?: ((count: number) => string) | undefined
}

/** A table with its own toolbar, for rows that are sorted and searched in the browser. */
export function LocalTable<Item extends Row>(props: LocalTableProps<Item>) {
  const { list, label, columns, actions, searchLabel, count, empty, emptyAction, onDelete, bulk = [], onUp } = props
  const t = useT('patterns')
  const shell = useT('shell')
  const format = useFormat()
  const selection = useSelection(list)
  const isSelectable = onDelete !== undefined || bulk.length > 0
  const isLate = useDelayed(list.isLoading)
  const isEmpty = !list.isLoading && list.rows.length === 0
  const withSelected = async (run: ((items: Item[]) => void) | undefined) => {
    const items = await selection.resolve()
    if (items.length > 0) run?.(items)
  }
  const remove = () => withSelected(onDelete)
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- handles key presses on its rows
    <section
      className={css.table}
      aria-label={label}
      onKeyDown={(event) => {
        if (!(event.target as HTMLElement).dataset['row']) return
        if (event.key === 'Backspace') onUp?.()
        if (event.key === 'Delete' && onDelete) void remove()
        else if (isSelectable && event.key.toLowerCase() === 'a' && (event.ctrlKey || event.metaKey)) {
          event.preventDefault()
          if (!selection.isAllShown) selection.toggleShown()
        }
      }}
    >
      {isSelectable && selection.count > 0 ? (
        <div className={css.bulk} role="toolbar" aria-label={t('table.selection')}>
          <strong className={css.selected} role="status">
            <bdi>
              {props.selectedText?.(selection.count) ??
                t('table.selected', { count: selection.count, shown: format.number(selection.count) })}
            </bdi>
          </strong>
          {bulk.map(({ label: name, icon, run }) => (
            <Button key={name} icon={icon} onPress={() => void withSelected(run)}>
              {name}
            </Button>
          ))}
          {onDelete && (
            <Button icon={DeleteIcon} onPress={() => void remove()}>
              {t('delete')}
            </Button>
          )}
          <IconButton icon={CloseIcon} label={t('table.clearSelection')} onPress={selection.clear} />
        </div>
      ) : (
        <div className={css.bar}>
          {searchLabel !== undefined && (
            <SearchField className={css.search} label={searchLabel} value={list.search} onChange={list.setSearch} />
          )}
          <span className={css.count} role="status">
            <bdi>{count}</bdi>
          </span>
          <IconButton icon={RefreshIcon} label={t('table.reload')} onPress={list.reload} />
        </div>
      )}
      {list.staleSince !== undefined && (
        <Banner tone="warn" action={<Button onPress={list.reload}>{t('ui.retry')}</Button>}>
          {t('table.stale', { since: format.dateTime(list.staleSince) })}
        </Banner>
      )}
      {list.problem ? (
        <ErrorPanel
          title={t('table.loadFailed')}
          why={problemText(list.problem, shell)}
          id={list.problem.requestId}
          onRetry={list.reload}
        />
      ) : list.isLoading ? (
        <div className={css.body}>{isLate && <SkeletonRows rows={8} columns={Math.min(columns.length, 6)} />}</div>
      ) : isEmpty ? (
        <div className={css.body}>
          {list.isFiltered ? (
            <EmptyState action={<Button onPress={list.reset}>{t('table.resetFilters')}</Button>}>
              {t('table.nothingMatches')}
            </EmptyState>
          ) : (
            <EmptyState action={emptyAction}>{empty}</EmptyState>
          )}
        </div>
      ) : (
        <TableGrid
          list={list}
          label={label}
          columns={columns}
          actions={actions}
          selection={isSelectable ? selection : undefined}
        />
      )}
    </section>
  )
}
