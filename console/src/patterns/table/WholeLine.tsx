import type { ReactNode } from 'react'
import { classes } from '../../lib/classes'
import type { LinePlace } from './TableGrid'
import css from './WholeLine.module.css'

interface WholeLineProps extends LinePlace {
  id: string
  className: string | undefined
  /** Whether the rows below it are expanded. */
  isExpanded?: boolean
  onPress: (line: HTMLElement) => void
  children: ReactNode
}

/** A line in the grid that is not a row: one focusable button across all columns. */
export const WholeLine = ({ id, className, isExpanded, onPress, children, ...place }: WholeLineProps) => (
  <tr className={css.line} data-index={place.index} aria-rowindex={place.index + 2}>
    <td colSpan={place.columnCount} className={css.cell}>
      <button
        type="button"
        className={classes(css.button, className)}
        data-row={id}
        tabIndex={place.tabIndex}
        aria-expanded={isExpanded}
        onFocus={place.onFocus}
        onClick={({ currentTarget }) => onPress(currentTarget.closest('tr')!)}
      >
        {children}
      </button>
    </td>
  </tr>
)
