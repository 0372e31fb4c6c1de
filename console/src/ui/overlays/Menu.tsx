import type { ReactElement, ReactNode } from 'react'
import { Menu as AriaMenu, MenuItem, MenuTrigger, type MenuItemProps } from 'react-aria-components/Menu'
import { Popover } from 'react-aria-components/Popover'
import { Separator } from 'react-aria-components/Separator'
import { classes } from '../../lib/classes'
import { IconButton } from '../IconButton'
import { MoreIcon, type Icon } from '../icons'
import css from '../list.module.css'

export interface MenuAction {
  label: string
  /** What it does. With `href` it leads somewhere instead. */
  run?: (() => void) | undefined
  href?: string | undefined
  icon?: Icon | undefined
  description?: string | undefined
  /** Why not now. The item can still be reached and tells this under its label. */
  disabledBecause?: string | undefined
  isDanger?: boolean | undefined
  /** A key, shown at the end. */
  shortcut?: string | undefined
}

export interface MenuProps {
  /** The name of the menu and of its three dots: "Actions of web-1". A trigger of your own names it instead. */
  label: string
  /** Actions in order; `'line'` draws a line between groups. */
  items: readonly (MenuAction | 'line')[]
  /** A button of this folder. Without it three dots. */
  trigger?: ReactElement | undefined
  placement?: 'bottom start' | 'bottom end' | 'top start' | 'top end' | 'end top' | undefined
  /** Stands over the items: who is signed in, for example. */
  header?: ReactNode
}

/** A menu of actions at a button, as at the end of a row. */
export function Menu({ label, items, trigger, placement = 'bottom end', header }: MenuProps) {
  return (
    <MenuTrigger>
      {trigger ?? <IconButton icon={MoreIcon} label={label} size="small" />}
      <Popover className={css.popover ?? ''} placement={placement} offset={4}>
        {header}
        <AriaMenu className={css.list ?? ''} aria-label={label}>
          {items.map((item, index) =>
            item === 'line' ? (
              <Separator className={css.line ?? ''} key={`line-${index}`} />
            ) : (
              // an action that becomes known while the menu is open must not make the others anew under a finger
              <MenuAction key={item.label} item={item} />
            ),
          )}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  )
}

function MenuAction({ item }: { item: MenuAction }) {
  const { label, run, href, icon: ItemIcon, disabledBecause, isDanger, shortcut } = item
  const description = disabledBecause ?? item.description
  const barred: MenuItemProps | false = disabledBecause !== undefined && {
    shouldCloseOnSelect: false,
    render: (props) => <div {...(props as object)} aria-disabled="true" />,
  }
  return (
    <MenuItem
      className={classes(css.item, isDanger && css.danger, barred && css.barred)}
      textValue={label}
      {...(!barred && run && { onAction: run })}
      {...(!barred && href !== undefined && { href })}
      {...barred}
    >
      {ItemIcon && <ItemIcon />}
      <span className={css.words}>
        <span className={css.label}>{label}</span>
        {description && <span className={css.description}>{description}</span>}
      </span>
      {shortcut && <span className={css.end}>{shortcut}</span>}
    </MenuItem>
  )
}
