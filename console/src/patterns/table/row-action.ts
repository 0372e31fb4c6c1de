import type { MenuAction } from '../../ui/overlays/Menu'

/** What can be done to one row. */
export interface RowAction extends MenuAction {
  /** Also a button on the row while it is hovered or has the focus; give it an icon. */
  isLikely?: boolean | undefined
}

/** What this role can never do is left out; what cannot be done now says why. */
export type ActionsOf<Item> = (item: Item) => RowAction[]
