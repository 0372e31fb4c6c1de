import { use, type ReactNode } from 'react'
import { useT } from '../i18n/use-t'
import { classes } from '../lib/classes'
import { IframeContext } from '../nav/iframe'
import { entryOf } from '../nav/known-pages'
import { Link } from '../nav/Link'
import { useOwnPage } from '../nav/page-now'
import { PageTabs } from './PageTabs'
import css from './Page.module.css'

export interface PageProps {
  title: ReactNode
  /** Shown above the title instead of the default link back to the list. */
  above?: ReactNode
  /** Shown next to the title, such as a count or a status. */
  aside?: ReactNode
  /** Shown at the end of the title line, with the primary button last. */
  actions?: ReactNode
  children: ReactNode
  /** The content fills the available height and scrolls on its own, as a table does. */
  isFilled?: boolean | undefined
}

/**
 * The layout of a page: one heading, its actions, its content. The menu tree provides the link back to the list and, if
 * the page has siblings, tabs to them.
 */
export function Page({ title, above, aside, actions, children, isFilled = false }: PageProps) {
  const shell = useT('shell')
  const page = useOwnPage()
  const isFramed = use(IframeContext) !== null
  const place = page && !isFramed ? entryOf(page.path) : undefined
  const list = place && (place.tab ?? place.entry)
  const isList = list?.path === page?.path
  const crumbs = list && !isList && (
    <nav aria-label={shell('menu.crumbs')}>
      <Link to={list.to}>{shell(list.label)}</Link>
    </nav>
  )
  const over = above === undefined ? crumbs : above
  return (
    <div className={classes(css.page, isFilled && css.filled)}>
      <header className={css.head}>
        {over && <div className={css.above}>{over}</div>}
        <h1>{title}</h1>
        {aside && <div className={css.aside}>{aside}</div>}
        {actions && <div className={css.actions}>{actions}</div>}
      </header>
      {place && isList && <PageTabs {...place} />}
      {children}
    </div>
  )
}
