import type { ReactNode } from 'react'
import type { Row } from '../../api/use-list'
import type { Icon } from '../../ui/icons'

/** One thing done to many. */
export interface BulkAction<Item extends Row> {
  /** "Delete". */
  label: string
  icon?: Icon | undefined
  isDanger?: boolean | undefined
  /** In the menu behind the buttons: what is seldom done to many. */
  isRare?: boolean | undefined
  /** "Delete 3 SSH keys?" */
  ask: (count: number) => string
  /** What follows from it, under the question: for all alike, or for those that are not left out. */
  note?: string | ((items: readonly Item[]) => ReactNode) | undefined
  /** The button: "Delete 3 SSH keys". */
  verb: (count: number) => string
  /** Why this one is left out; what the server would refuse is left out as well. */
  skippedBecause?: ((item: Item) => string | undefined) | undefined
  /** The call that the server makes of each: its name in the contract, with what it is given. */
  call: BulkCall
}

export interface BulkCall {
  action: string
  body?: Record<string, unknown>
  query?: Record<string, string>
}

/** Items whose fate is the same, with the reason. */
export interface Group<Item> {
  message: string
  items: Item[]
}

export function groupBy<Item>(items: readonly Item[], messageOf: (item: Item) => string): Group<Item>[] {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const message = messageOf(item)
    groups.set(message, [...(groups.get(message) ?? []), item])
  }
  return [...groups].map(([message, found]) => ({ message, items: found }))
}
