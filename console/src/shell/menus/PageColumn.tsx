import { useEffect, type KeyboardEvent, type RefObject } from 'react'
import { useT } from '../../i18n/use-t'
import { classes } from '../../lib/classes'
import type { MenuEntry } from '../../nav/known-pages'
import type { MenuGroup } from '../../nav/menu'
import { IconButton } from '../../ui/IconButton'
import { PinIcon, PreviousIcon } from '../../ui/icons'
import { MenuPages } from './MenuPages'
import { sidewaysKeys, useOneTabStop } from './one-tab-stop'
import css from './menu.module.css'

interface PageColumnProps {
  ref: RefObject<HTMLElement | null>
  id?: string
  group: MenuGroup
  current: MenuEntry | undefined
  /** Floats next to the rail instead of taking space between rail and content. */
  isFlyout?: boolean
  /** Top position of the flyout in pixels. */
  top?: number | undefined
  /** Collapses the column or pins the flyout. */
  onPin: () => void
  onChoose?: () => void
  /** Called when an arrow key moves back to the rail. */
  onBack: () => void
}

/** The pages of one menu group in a 208 px wide column. */
export function PageColumn(props: PageColumnProps) {
  const { ref, id, group, current, isFlyout = false, top, onPin, onChoose, onBack } = props
  const t = useT('shell')
  const { onKeyDown, ...focus } = useOneTabStop(ref)
  // if the window is too short, the list scrolls
  useEffect(() => {
    ref.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [ref, group.id, current?.path])
  const press = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key !== sidewaysKeys(event.currentTarget).back) return onKeyDown(event)
    event.preventDefault()
    onBack()
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- arrow keys move through its links
    <nav
      ref={ref}
      id={id}
      className={classes(css.column, isFlyout && css.flyout)}
      style={{ insetBlockStart: top }}
      aria-label={t(group.label)}
      data-one-stop
      onKeyDown={press}
      {...focus}
    >
      <div className={css.head}>
        <span>{t(group.label)}</span>
        <IconButton
          icon={isFlyout ? PinIcon : PreviousIcon}
          label={t(isFlyout ? 'menu.pin' : 'menu.collapse')}
          size="small"
          hintPlacement="bottom"
          onPress={onPin}
        />
      </div>
      <MenuPages group={group} current={current} onChoose={onChoose} />
    </nav>
  )
}
