import { useT } from '../i18n/use-t'
import type { MenuEntry, MenuTab } from '../nav/known-pages'
import { Link } from '../nav/Link'
import { useMay } from '../session/may'
import css from './PageTabs.module.css'

/** Tabs for a menu entry and its sibling pages. They are links, because each page has its own path. */
export function PageTabs({ entry, tab }: { entry: MenuEntry; tab: MenuTab | undefined }) {
  const shell = useT('shell')
  const may = useMay()
  const items = [entry, ...entry.tabs.filter(({ needs }) => may(needs))]
  // a single page needs no tabs
  if (items.length < 2) return null
  return (
    <nav className={css.tabs} aria-label={shell(entry.label)}>
      {items.map(({ to, label }) =>
        to === (tab ?? entry).to ? (
          <span key={to} className={css.current} aria-current="page">
            {shell(label)}
          </span>
        ) : (
          <Link key={to} to={to} className={css.tab}>
            {shell(label)}
          </Link>
        ),
      )}
    </nav>
  )
}
