import type { ReactNode } from 'react'
import { useT } from '../../i18n/use-t'
import { classes } from '../../lib/classes'
import css from './SmallTable.module.css'

export interface SmallColumn<Row> {
  id: string
  /** Omitted for the actions column. */
  label?: string
  render: (row: Row) => ReactNode
  isAtEnd?: boolean
  /** Hidden on narrow screens. */
  isWide?: boolean
}

interface SmallTableProps<Row> {
  label: string
  rows: readonly Row[]
  keyOf: (row: Row) => string
  columns: readonly SmallColumn<Row>[]
  /** Highlights a row, such as a selected or decisive one. */
  isMarked?: ((row: Row) => boolean) | undefined
  empty?: string | undefined
  /** Whether each row becomes a block with one line per column if there is little room. Otherwise the table scrolls. */
  isStacked?: boolean | undefined
}

/** Second line in a cell, for values whose columns are hidden on narrow screens. */
export const CellNote = ({ children }: { children: ReactNode }) => <span className={css.note}>{children}</span>

/** A table within a page, for a few rows without paging. */
export function SmallTable<Row>(props: SmallTableProps<Row>) {
  const { label, rows, keyOf, columns, isMarked, empty, isStacked = false } = props
  const t = useT('patterns')
  if (rows.length === 0 && empty !== undefined) return <p className={css.empty}>{empty}</p>
  return (
    // focusable, so that it can be scrolled with the keyboard on narrow screens
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable content must be focusable
    <div className={classes(css.scroll, isStacked && css.stacked)} role="group" aria-label={label} tabIndex={0}>
      <table className={css.table} aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ id, label: name, isAtEnd, isWide }) => (
              <th key={id} scope="col" className={classes(isAtEnd && css.end, isWide && css.wide)}>
                {name ?? t('table.actions')}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} data-marked={isMarked?.(row) || undefined}>
              {columns.map(({ id, label: name, render, isAtEnd, isWide }) => (
                <td
                  key={id}
                  data-label={name ?? t('table.actions')}
                  className={classes(isAtEnd && css.end, isWide && css.wide)}
                >
                  {render(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
