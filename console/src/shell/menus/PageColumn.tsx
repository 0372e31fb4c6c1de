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
  /** It floats beside the rail; otherwise it stands between rail and content. */
  isFlyout?: boolean
  /** Its top while it floats, pixels. */
  top?: number | undefined
  /** Collapses the column, or pins what floats. */
  onPin: () => void
  onChoose?: () => void
  /** Back to the rail, by the arrow key. */
  onBack: () => void
}

/** The pages of one group of the menu, 208 px wide. */
export function PageColumn(props: PageColumnProps) {
  const { ref, id, group, current, isFlyout = false, top, onPin, onChoose, onBack } = props
  const t = useT('shell')
  const { onKeyDown, ...focus } = useOneTabStop(ref)
  // in a low window the list is longer than its place
  useEffect(() => {
    ref.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [ref, group.id, current?.path])
  const press = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key !== sidewaysKeys(event.currentTarget).back) return onKeyDown(event)
    event.preventDefault()
    onBack()
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- arrows walk through its links
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
