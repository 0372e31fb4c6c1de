import { Link } from '../nav/Link'
import css from './PageTabs.module.css'

interface PageTabsProps {
  /** Their name for screen readers. */
  label: string
  /** Those that somebody may open; with one of them only there is nothing to choose. */
  items: readonly { id: string; label: string; to: string }[]
  /** The page that is open. */
  selected: string
}

/** Pages that belong together, above the content of each. Links, because each is a page of its own. */
export function PageTabs({ label, items, selected }: PageTabsProps) {
  if (items.length < 2) return null
  return (
    <nav className={css.tabs} aria-label={label}>
      {items.map((item) =>
        item.id === selected ? (
          <span key={item.id} className={css.current} aria-current="page">
            {item.label}
          </span>
        ) : (
          <Link key={item.id} to={item.to} className={css.tab}>
            {item.label}
          </Link>
        ),
      )}
    </nav>
  )
}
