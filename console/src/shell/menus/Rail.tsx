import { useId, useRef, type KeyboardEvent, type MouseEvent } from 'react'
import { useT } from '../../i18n/use-t'
import { classes } from '../../lib/classes'
import type { MenuGroup } from '../../nav/menu'
import { MenuLink } from '../../nav/MenuLink'
import { AlertMark } from './AlertMark'
import { sidewaysKeys, useOneTabStop } from './one-tab-stop'
import css from './menu.module.css'

interface RailProps {
  groups: readonly MenuGroup[]
  current: MenuGroup | undefined
  /** Where the link of a group leads. */
  pageOf: (group: MenuGroup) => string
  /** The group whose pages float beside the rail. */
  open: MenuGroup | undefined
  /** Of the element that floats. */
  flyoutId: string
  /** Whether a press lets the pages of a group float. */
  floats: (group: MenuGroup) => boolean
  onPress: (group: MenuGroup, event: MouseEvent) => void
  /** The arrow key that leads to the pages of a group. */
  onEnter: (group: MenuGroup) => void
  /** A mouse or a pen is over a group. */
  onHover: (group: MenuGroup) => void
}

/** The groups of the menu: 64 px of icons with their names under them. */
export function Rail({ groups, current, pageOf, open, flyoutId, floats, onPress, onEnter, onHover }: RailProps) {
  const t = useT('shell')
  const id = useId()
  const rail = useRef<HTMLElement>(null)
  const { onKeyDown, ...focus } = useOneTabStop(rail)
  const press = (event: KeyboardEvent<HTMLElement>) => {
    const focused = (document.activeElement as HTMLElement | null)?.dataset['group']
    const group = groups.find((it) => it.id === focused)
    if (!group || event.key !== sidewaysKeys(event.currentTarget).inwards) return onKeyDown(event)
    event.preventDefault()
    onEnter(group)
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- arrows walk through its links
    <nav ref={rail} className={css.rail} aria-label={t('menu.main')} data-one-stop onKeyDown={press} {...focus}>
      <ul>
        {groups.map((group) => {
          const alerts = group.entries.find((entry) => entry.alerts)?.alerts
          const { icon: GroupIcon } = group
          return (
            <li
              key={group.id}
              className={classes(group.isLast && css.last)}
              onPointerEnter={({ pointerType }) => pointerType !== 'touch' && onHover(group)}
            >
              <MenuLink
                to={pageOf(group)}
                className={classes(css.group, group === open && css.open)}
                current={group.id === current?.id ? (group.entries.length > 1 ? 'true' : 'page') : undefined}
                {...(group.hyphenated && { 'aria-label': t(group.label) })}
                data-group={group.id}
                {...(floats(group) && { 'aria-expanded': group === open })}
                {...(group === open && { 'aria-controls': flyoutId })}
                {...(alerts && { 'aria-describedby': `${id}-${group.id}` })}
                onClick={(event) => onPress(group, event)}
              >
                <span className={css.picture}>
                  <GroupIcon />
                  {alerts && <AlertMark count={alerts} id={`${id}-${group.id}`} isDot />}
                </span>
                <span className={css.groupName}>{t(group.hyphenated ?? group.label)}</span>
              </MenuLink>
            </li>
          )
        })}
      </ul>
    </nav>
  )
}
