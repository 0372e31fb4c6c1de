import type { ReactNode } from 'react'
import { classes } from '../lib/classes'
import css from './Page.module.css'

export interface PageProps {
  title: ReactNode
  /** Above the title: the list that it is one of. */
  above?: ReactNode
  /** Beside the title: a count, a status. */
  aside?: ReactNode
  /** At the end of the title's line: the primary button last. */
  actions?: ReactNode
  children: ReactNode
  /** The content fills the height and scrolls by itself, as a table does. */
  isFilled?: boolean | undefined
}

/** What a page is made of: one heading, its actions, its content. */
export const Page = ({ title, above, aside, actions, children, isFilled = false }: PageProps) => (
  <div className={classes(css.page, isFilled && css.filled)}>
    <header className={css.head}>
      {above && <div className={css.above}>{above}</div>}
      <h1>{title}</h1>
      {aside && <div className={css.aside}>{aside}</div>}
      {actions && <div className={css.actions}>{actions}</div>}
    </header>
    {children}
  </div>
)
