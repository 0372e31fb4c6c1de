import type { RowAction } from './table/row-action'

export type MenuRow = RowAction | 'line'

/** An object's actions, split into the actions that a menu shows and the actions that it collapses. */
export interface QuietItems {
  /** Available actions, plus Delete even if it is unavailable, with separators between groups. */
  shown: MenuRow[]
  /** Unavailable actions, with their reasons. */
  barred: RowAction[]
}

const isBarred = ({ disabledBecause }: RowAction) => disabledBecause !== undefined
const groupOf = ({ group = 'change' }: RowAction) => group

/** Moves actions with the same `under` into a submenu in place of the first one; a single action stays in the menu. */
function nested(items: readonly MenuRow[]): MenuRow[] {
  return items.flatMap((item): MenuRow[] => {
    if (item === 'line' || !item.under) return [item]
    const { under } = item
    const alike = actionsOf(items).filter((it) => it.under?.label === under.label)
    if (alike.length < 2) return [item]
    return alike[0] === item ? [{ ...under, group: groupOf(item), items: alike }] : []
  })
}

/** The items without separators. */
export const actionsOf = (items: readonly MenuRow[]): RowAction[] => items.filter((item) => item !== 'line')

const isShown = (action: RowAction) => !isBarred(action) || groupOf(action) === 'delete'

/** Splits menu items into visible and unavailable ones. Separators given by the caller keep their place. */
export function splitMenuItems(items: readonly MenuRow[]): QuietItems {
  const shown: MenuRow[] = []
  let last: string | undefined
  for (const item of nested(items.filter((it) => it === 'line' || isShown(it)))) {
    const group = item === 'line' ? undefined : groupOf(item)
    if (last !== undefined && group !== undefined && last !== group) shown.push('line')
    last = group
    shown.push(item)
  }
  return { shown, barred: actionsOf(items).filter((action) => !isShown(action)) }
}
