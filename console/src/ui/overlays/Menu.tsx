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
  /** Stable key for an item whose label changes while the menu is open. */
  id?: string | undefined
  /** The action. Use `href` for a link instead. */
  run?: (() => void) | undefined
  href?: string | undefined
  icon?: Icon | undefined
  description?: string | undefined
  /** Why the item is disabled. It can still be focused and shows the reason below its label. */
  disabledBecause?: string | undefined
  isDanger?: boolean | undefined
  /** Shortcut key, shown at the end. */
  shortcut?: string | undefined
  /** Items of a submenu, which replaces the action. */
  items?: readonly MenuAction[] | undefined
  /** Whether the items below it are expanded, for an item that toggles them and keeps the menu open. */
  isUnfolded?: boolean | undefined
}

export interface MenuProps {
  /**
   * Accessible name of the menu and of its default button: "Actions for web-1". A custom trigger needs its own name.
   */
  label: string
  /** Items in order; `'line'` renders a separator. */
  items: readonly (MenuAction | 'line')[]
  /** A button of the UI library; defaults to three dots. */
  trigger?: ReactElement | undefined
  placement?: 'bottom start' | 'bottom end' | 'top start' | 'top end' | 'end top' | undefined
  /** Shown above the items, for example the signed-in user. */
  header?: ReactNode
  onOpenChange?: ((isOpen: boolean) => void) | undefined
}

/** A menu of actions with its button, as at the end of a table row. */
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
              // entries are keyed by ID or label, so that an action added while the menu is open does not remount the
              // others
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
