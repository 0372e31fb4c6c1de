import type { List, Row } from '../../api/use-list'
import { classes } from '../../lib/classes'
import { useT } from '../../i18n/use-t'
import { AscendingIcon, DescendingIcon } from '../../ui/icons'
import type { Column } from './columns'
import css from './TableGrid.module.css'

interface SortHeaderProps<Item extends Row> {
  column: Column<Item>
  list: List<Item>
  isFirst: boolean
}

/** A column header; a button if the kind can be sorted by the column. */
export function SortHeader<Item extends Row>({ column, list, isFirst }: SortHeaderProps<Item>) {
  const t = useT(column.area)
  const { sort, sortBy, kind } = list
  const isSorted = sort.key === column.sortKey
  const label = t(column.label)
  const Arrow = sort.direction === 'asc' ? AscendingIcon : DescendingIcon
  return (
    <th
      scope="col"
      className={classes(isFirst && css.first, column.isAtEnd && css.atEnd)}
      aria-sort={isSorted ? (sort.direction === 'asc' ? 'ascending' : 'descending') : undefined}
    >
      {column.sortKey in kind.sortKeys ? (
        <button type="button" className={css.sort} onClick={() => sortBy(column.sortKey)}>
          <span>{label}</span>
          {isSorted && <Arrow />}
        </button>
      ) : (
        <span className={css.label}>{label}</span>
      )}
    </th>
  )
}
