import type { ReactNode } from 'react'
import { Skeleton } from '../../../ui/feedback/Skeleton'
import css from './overview.module.css'

interface PanelProps {
  title: string
  /** At the end of the title's line: where there is more. */
  more?: ReactNode
  /** One line stands in for what is on its way, and what is below is shown once this is whole: nothing moves when it comes. */
  isLoading?: boolean | undefined
  children: ReactNode
}

/** One subject of the overview. */
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
