import { useEffect, useId, useState, type ReactNode } from 'react'
import type { List, Row } from '../api/use-list'
import { problemText } from '../api/problem-text'
import { useT } from '../i18n/use-t'
import { classes } from '../lib/classes'
import { useDebounced } from '../lib/use-debounced'
import { useDelayed } from '../lib/use-delayed'
import { Button } from '../ui/Button'
import { EmptyState } from '../ui/feedback/EmptyState'
import { ErrorPanel } from '../ui/feedback/ErrorPanel'
import { SearchField } from '../ui/fields/SearchField'
import { SkeletonRows } from '../ui/feedback/Skeleton'
import css from './PickTable.module.css'

export interface PickColumn<Item> {
  id: string
  label: string
  render: (item: Item) => ReactNode
  isAtEnd?: boolean
  /** Hidden on narrow screens. */
  isWide?: boolean
}

export interface PickTableProps<Item extends Row> {
  /** Name of the table: "Flavors". */
  label: string
  list: List<Item>
  /** Label of a row; defaults to its `name`. */
  nameOf?: (item: Item) => string
  /** The first column is the name. */
  columns: readonly PickColumn<Item>[]
  chosen: readonly string[]
  onChoose: (item: Item, isChosen: boolean) => void
  /** Allows selecting more than one row. */
  isMultiple?: boolean
  /** Why a row cannot be selected; shown below its name. */
  disabledBecause?: ((item: Item) => string | undefined) | undefined
  empty: string
  emptyAction?: ReactNode
}

const ownName = (item: Row) => (item as { name?: string }).name ?? item.id

/**
 * A searchable table for selecting one or more rows. Rows use native radio buttons or checkboxes for keyboard access.
 */
export function PickTable<Item extends Row>(props: PickTableProps<Item>) {
  const {
    label,
    list,
    columns,
    chosen,
    onChoose,
    nameOf = ownName,
    isMultiple = false,
    disabledBecause,
    empty,
    emptyAction,
  } = props
  const t = useT('patterns')
  const shell = useT('shell')
  const compute = useT('compute')
  const group = useId()
  const [typed, setTyped] = useState('')
  const wanted = useDebounced(typed.trim())
  const isLate = useDelayed(list.isLoading)
  const { search, setSearch } = list

  useEffect(() => {
    if (wanted !== search) setSearch(wanted)
  }, [wanted, search, setSearch])

  if (list.problem)
    return (
      <ErrorPanel
        title={t('table.loadFailed')}
        why={problemText(list.problem, shell)}
        id={list.problem.requestId}
        onRetry={list.reload}
      />
    )
  const isEmpty = !list.isLoading && list.rows.length === 0
  if (isEmpty && search === '') return <EmptyState action={emptyAction}>{empty}</EmptyState>

  return (
    <div className={css.pick}>
      <SearchField label={t('table.search')} value={typed} onChange={setTyped} />
      {list.isLoading ? (
        <div className={css.loading}>{isLate && <SkeletonRows rows={6} columns={columns.length} />}</div>
      ) : isEmpty ? (
        <EmptyState action={<Button onPress={() => setTyped('')}>{t('table.resetFilters')}</Button>}>
          {t('table.nothingMatches')}
        </EmptyState>
      ) : (
        <table className={css.table} aria-label={label} aria-busy={list.isChanging}>
          <thead>
            <tr>
              {columns.map(({ id, label: name, isAtEnd, isWide }, index) => (
                <th
                  key={id}
                  scope="col"
                  className={classes(index === 0 && css.first, isAtEnd && css.end, isWide && css.wide)}
                >
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {list.rows.map((item) => {
              const isChosen = chosen.includes(item.id)
              const reason = isChosen ? undefined : disabledBecause?.(item)
              const id = `${group}-${item.id}`
              return (
                <tr
                  key={item.id}
                  className={classes(css.row, isChosen && css.chosen, reason && css.barred)}
                  // a click anywhere in the row selects it
                  onClick={({ target }) =>
                    target instanceof HTMLElement && !target.closest('label, input, a, button') && !reason
                      ? onChoose(item, isMultiple ? !isChosen : true)
                      : undefined
                  }
                >
                  {columns.map(({ id: column, render, isAtEnd, isWide }, index) => (
                    <td key={column} className={classes(isAtEnd && css.end, isWide && css.wide)}>
                      {index === 0 ? (
                        <span className={css.name}>
                          <input
                            id={id}
                            type={isMultiple ? 'checkbox' : 'radio'}
                            name={group}
                            value={item.id}
                            checked={isChosen}
                            disabled={reason !== undefined}
                            aria-describedby={reason && `${id}-why`}
                            onChange={({ target }) => onChoose(item, target.checked)}
                          />
                          <label htmlFor={id}>
                            <bdi>{nameOf(item)}</bdi>
                            {reason && (
                              <span className={css.why} id={`${id}-why`}>
                                {reason}
                              </span>
                            )}
                          </label>
                        </span>
                      ) : (
                        render(item)
                      )}
                    </td>
                  ))}
                </tr>
              )
            })}
          </tbody>
        </table>
      )}
      {list.hasMore && (
        <Button variant="plain" isBusy={list.isLoadingMore} onPress={list.loadMore}>
          {compute('pickers.more')}
        </Button>
      )}
    </div>
  )
}
