import type { ReactNode } from 'react'
import css from './PageColumns.module.css'

interface PageColumnsProps {
  children: ReactNode
  /** Content of the narrow column, which moves below the wide one if there is no room beside it. */
  side: ReactNode
}

/** The content of a page in a wide and a narrow column, in which panels are stacked. */
export const PageColumns = ({ children, side }: PageColumnsProps) => (
  <div className={css.place}>
    <div className={css.columns}>
      <div className={css.column}>{children}</div>
      <div className={css.column}>{side}</div>
    </div>
  </div>
)
