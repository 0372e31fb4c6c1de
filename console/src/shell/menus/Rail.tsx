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
  /** The path that a group’s link opens. */
  pageOf: (group: MenuGroup) => string
  /** The group whose flyout is open. */
  open: MenuGroup | undefined
  /** ID of the flyout element. */
  flyoutId: string
  /** Whether a press opens a flyout for the group. */
  floats: (group: MenuGroup) => boolean
  onPress: (group: MenuGroup, event: MouseEvent) => void
  /** Called when an arrow key moves into the pages of a group. */
  onEnter: (group: MenuGroup) => void
  /** Called when a mouse or pen enters a group. */
  onHover: (group: MenuGroup) => void
}

/** The menu groups as a column of icons with labels, 64 px wide. */
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
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- arrow keys move through its links
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
