import type { Icon } from '../../ui/icons'
import type { MenuAction } from '../../ui/overlays/Menu'

/** A contract call, such as `users.delete`, and its object. */
export interface About {
  call: string
  thing: { id: string; name: string }
}

/** Menu sections, divided by separators: viewing, power, changes, deletion. */
export type ActionGroup = 'show' | 'power' | 'change' | 'delete'

/** An action on one row. */
export interface RowAction extends MenuAction {
  /** Section of the menu; `change` by default. */
  group?: ActionGroup | undefined
  /** Submenu for this action, if it has more than one item. */
  under?: { label: string; icon: Icon } | undefined
  /** Also shown as a button on the row while it is hovered or focused; requires an icon. */
  isLikely?: boolean | undefined
  /** If a rule or a missing permission disables the action, the menu offers to explain why, based on this call. */
  about?: About | undefined
}

/** Returns the actions for a row. Omits actions that the role can never perform; unavailable actions state a reason. */
export type ActionsOf<Item> = (item: Item) => RowAction[]
