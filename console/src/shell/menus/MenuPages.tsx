import { useId } from 'react'
import { useT } from '../../i18n/use-t'
import type { MenuEntry } from '../../nav/known-pages'
import type { MenuGroup } from '../../nav/menu'
import { MenuLink } from '../../nav/MenuLink'
import { AlertMark } from './AlertMark'
import css from './menu.module.css'

interface MenuPagesProps {
  group: MenuGroup
  /** The entry of the current page, in any group. */
  current: MenuEntry | undefined
  /** Called when a page is chosen. */
  onChoose?: (() => void) | undefined
}

/** The pages of one group with their headings. */
export function MenuPages({ group, current, onChoose }: MenuPagesProps) {
  const t = useT('shell')
  const id = useId()
  return group.sections.map(({ id: spot, label, entries }) => (
    <div key={spot} className={css.section} {...(label && { role: 'group', 'aria-labelledby': `${id}-${spot}` })}>
      {label && (
        <div className={css.heading} id={`${id}-${spot}`}>
          {t(label)}
        </div>
      )}
      <ul>
        {entries.map(({ to, path, label: name, alerts }) => (
          <li key={to}>
            <MenuLink
              to={to}
              className={css.entry}
              current={path === current?.path ? 'page' : undefined}
              {...(alerts && { 'aria-describedby': `${id}-${path}` })}
              onClick={onChoose}
            >
              <span className={css.label}>{t(name)}</span>
              {alerts && <AlertMark count={alerts} id={`${id}-${path}`} />}
            </MenuLink>
          </li>
        ))}
      </ul>
    </div>
  ))
}
