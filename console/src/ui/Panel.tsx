import { useId, type ReactNode } from 'react'
import { classes } from '../lib/classes'
import css from './Panel.module.css'

export interface PanelProps {
  title: ReactNode
  /** Shown dimmed after the title. */
  count?: ReactNode
  /** Shown at the end of the title line. */
  action?: ReactNode
  /** Removes the padding around the content, for example for a table. */
  isFlush?: boolean | undefined
  className?: string | undefined
  children: ReactNode
}

/** A page section with a title and a border. */
export function Panel({ title, count, action, isFlush = false, className, children }: PanelProps) {
  const id = useId()
  return (
    <section aria-labelledby={id} className={classes(css.panel, className)}>
      <header className={css.head}>
        <h2 id={id} className={css.title}>
          {title}
        </h2>
        {count !== undefined && <span className={css.count}>{count}</span>}
        {action && <div className={css.action}>{action}</div>}
      </header>
      <div className={isFlush ? undefined : css.body}>{children}</div>
    </section>
  )
}
