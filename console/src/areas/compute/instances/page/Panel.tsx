import { useId, type ReactNode } from 'react'
import css from './page.module.css'

interface PanelProps {
  title: string
  /** Shown at the end of the heading line. */
  action?: ReactNode
  className?: string | undefined
  children: ReactNode
}

/** A page section with a heading. */
export function Panel({ title, action, className, children }: PanelProps) {
  const id = useId()
  return (
    <section aria-labelledby={id} className={className}>
      <header className={css.head}>
        <h2 id={id}>{title}</h2>
        {action}
      </header>
      {children}
    </section>
  )
}
