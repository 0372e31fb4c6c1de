import type { ReactNode } from 'react'
import { Skeleton } from '../../../ui/feedback/Skeleton'
import css from './overview.module.css'

interface PanelProps {
  title: string
  /** Shown at the end of the title row, usually a link to the full list. */
  more?: ReactNode
  /** Replaces the children with a one-line skeleton, so that the content appears all at once and does not shift. */
  isLoading?: boolean | undefined
  children: ReactNode
}

/** A titled section of the overview. */
export const Panel = ({ title, more, isLoading = false, children }: PanelProps) => (
  <section className={css.panel} aria-label={title} aria-busy={isLoading}>
    <header className={css.head}>
      <h2>{title}</h2>
      {more}
    </header>
    {isLoading ? (
      <p className={css.calm}>
        <Skeleton width="60%" />
      </p>
    ) : (
      children
    )}
  </section>
)
