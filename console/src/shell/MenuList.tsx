import { useT } from '../i18n/use-t'
import { classes } from '../lib/classes'
import { Link } from '../nav/Link'
import { useSession } from '../session/session'
import { menuFor } from './menus/menu'
import css from './SideMenu.module.css'

/** The groups of the menu, as links. */
export function MenuList({ onChoose }: { onChoose?: () => void }) {
  const t = useT('shell')
  const session = useSession()
  return menuFor(session).map(({ id, label, entries }) => (
    <section key={id} className={css.group} aria-label={t(label)}>
      <h2 className={classes(css.groupName, id === 'main' && css.unseen)}>{t(label)}</h2>
      <ul>
        {entries.map(({ label: name, icon: EntryIcon, to }) => (
          <li key={to}>
            <Link to={to} className={css.entry} onClick={onChoose}>
              <EntryIcon />
              <span className={css.label}>{t(name)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  ))
}
