import type { RowAction } from './table/row-action'

export type MenuRow = RowAction | 'line'

/** What a menu shows of the actions of one thing, and what it folds away. */
export interface QuietItems {
  /** What can be done now, and deleting whether it can or not, with lines between the groups. */
  shown: MenuRow[]
  /** What cannot be done now, with its reasons. */
  barred: RowAction[]
}

const isBarred = ({ disabledBecause }: RowAction) => disabledBecause !== undefined
const groupOf = ({ group = 'change' }: RowAction) => group

/** Actions of one menu within the menu, in the place of the first of them; one alone needs no menu of its own. */
function nested(items: readonly MenuRow[]): MenuRow[] {
  return items.flatMap((item): MenuRow[] => {
    if (item === 'line' || !item.under) return [item]
    const { under } = item
    const alike = actionsOf(items).filter((it) => it.under?.label === under.label)
    if (alike.length < 2) return [item]
    return alike[0] === item ? [{ ...under, group: groupOf(item), items: alike }] : []
  })
}

/** The items without the lines between them. */
export const actionsOf = (items: readonly MenuRow[]): RowAction[] => items.filter((item) => item !== 'line')

const isShown = (action: RowAction) => !isBarred(action) || groupOf(action) === 'delete'

/** Orders the items of a menu by what can be done now. Lines of its own stay where they are. */
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
