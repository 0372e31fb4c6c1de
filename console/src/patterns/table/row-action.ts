import type { Icon } from '../../ui/icons'
import type { MenuAction } from '../../ui/overlays/Menu'

/** A call of the contract, `users.delete`, and the object that it is about. */
export interface About {
  call: string
  thing: { id: string; name: string }
}

/** Parts of a menu, with a line between them: what shows it, its power, what changes it, what destroys it. */
export type ActionGroup = 'show' | 'power' | 'change' | 'delete'

/** What can be done to one row. */
export interface RowAction extends MenuAction {
  /** `change` unless it says otherwise. */
  group?: ActionGroup | undefined
  /** The menu within the menu in which it stands when there is more than it. */
  under?: { label: string; icon: Icon } | undefined
  /** Also a button on the row while it is hovered or has the focus; give it an icon. */
  isLikely?: boolean | undefined
  /** What the server is asked about where the action is barred by a rule or a right: then the menu offers to. */
  about?: About | undefined
}

/** What this role can never do is left out; what cannot be done now says why. */
export type ActionsOf<Item> = (item: Item) => RowAction[]
