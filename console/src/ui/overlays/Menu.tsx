import type { ReactElement, ReactNode } from 'react'
import { Menu as AriaMenu, MenuItem, MenuTrigger, SubmenuTrigger, type MenuItemProps } from 'react-aria-components/Menu'
import { Popover } from 'react-aria-components/Popover'
import { Separator } from 'react-aria-components/Separator'
import { classes } from '../../lib/classes'
import { IconButton } from '../IconButton'
import { ExpandIcon, MoreIcon, NextIcon, type Icon } from '../icons'
import css from '../list.module.css'

export interface MenuAction {
  label: string
  /** Names it where its label changes while the menu is open. */
  id?: string | undefined
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
  /** Opens these beside it, and does nothing itself. */
  items?: readonly MenuAction[] | undefined
  /** It shows or hides what stands under it, and leaves the menu open: whether that is shown now. */
  isUnfolded?: boolean | undefined
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
  onOpenChange?: ((isOpen: boolean) => void) | undefined
}

/** A menu of actions at a button, as at the end of a row. */
export function Menu({ label, items, trigger, placement = 'bottom end', header, onOpenChange }: MenuProps) {
  return (
    <MenuTrigger {...(onOpenChange && { onOpenChange })}>
      {trigger ?? <IconButton icon={MoreIcon} label={label} size="small" />}
      <Popover className={css.popover ?? ''} placement={placement} offset={4}>
        {header}
        <AriaMenu className={css.list ?? ''} aria-label={label}>
          {items.map((item, index) =>
            item === 'line' ? (
              <Separator className={css.line ?? ''} key={`line-${index}`} />
            ) : (
              // an action that becomes known while the menu is open must not make the others anew under a finger
              <MenuEntry key={item.id ?? item.label} item={item} />
            ),
          )}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  )
}

function MenuEntry({ item }: { item: MenuAction }) {
  if (!item.items) return <MenuLine item={item} />
  return (
    <SubmenuTrigger>
      <MenuLine item={item} />
      <Popover className={css.popover ?? ''} offset={0}>
        <AriaMenu className={css.list ?? ''} aria-label={item.label}>
          {item.items.map((one) => (
            <MenuLine key={one.label} item={one} />
          ))}
        </AriaMenu>
      </Popover>
    </SubmenuTrigger>
  )
}

function MenuLine({ item }: { item: MenuAction }) {
  const { label, run, href, icon: ItemIcon, disabledBecause, isDanger, shortcut, items, isUnfolded } = item
  const description = disabledBecause ?? item.description
  const isBarred = disabledBecause !== undefined
  const isFold = isUnfolded !== undefined
  const stays: MenuItemProps | false = (isBarred || isFold) && {
    shouldCloseOnSelect: false,
    render: (props) => (
      <div {...(props as object)} {...(isBarred ? { 'aria-disabled': true } : { 'aria-expanded': isUnfolded })} />
    ),
  }
  return (
    <MenuItem
      className={classes(css.item, isDanger && !isBarred && css.danger, isBarred && css.barred, isFold && css.fold)}
      textValue={label}
      {...(!isBarred && run && { onAction: run })}
      {...(!isBarred && href !== undefined && { href })}
      {...stays}
    >
      {isFold ? isUnfolded ? <ExpandIcon /> : <NextIcon /> : ItemIcon && <ItemIcon />}
      <span className={css.words}>
        <span className={css.label}>{label}</span>
        {description && <span className={css.description}>{description}</span>}
      </span>
      {shortcut && <span className={css.end}>{shortcut}</span>}
      {items && <NextIcon />}
    </MenuItem>
  )
}
