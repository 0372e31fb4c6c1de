import type { ReactNode } from 'react'
import { useT } from '../../i18n/use-t'
import { classes } from '../../lib/classes'
import css from './SmallTable.module.css'

export interface SmallColumn<Row> {
  id: string
  /** Without one it has what can be done. */
  label?: string
  render: (row: Row) => ReactNode
  isAtEnd?: boolean
  /** Left out where there is little room. */
  isWide?: boolean
}

interface SmallTableProps<Row> {
  label: string
  rows: readonly Row[]
  keyOf: (row: Row) => string
  columns: readonly SmallColumn<Row>[]
  /** Of one that is marked: what decided, what is chosen. */
  isMarked?: ((row: Row) => boolean) | undefined
  empty?: string | undefined
}

/** A second line of a cell, for what has no room for a column on a phone. */
export const CellNote = ({ children }: { children: ReactNode }) => <span className={css.note}>{children}</span>

/** A table within a page: few rows, no paging. */
export function SmallTable<Row>({ label, rows, keyOf, columns, isMarked, empty }: SmallTableProps<Row>) {
  const t = useT('patterns')
  if (rows.length === 0 && empty !== undefined) return <p className={css.empty}>{empty}</p>
  return (
    // where there is little room it is scrolled by keys as well
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to take the focus
    <div className={css.scroll} role="group" aria-label={label} tabIndex={0}>
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
              {columns.map(({ id, render, isAtEnd, isWide }) => (
                <td key={id} className={classes(isAtEnd && css.end, isWide && css.wide)}>
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
