import type { ReactNode } from 'react'
import type { Row } from '../../api/use-list'
import type { Icon } from '../../ui/icons'

/** An action on several objects. */
export interface BulkAction<Item extends Row> {
  /** Label of the action: "Delete". */
  label: string
  icon?: Icon | undefined
  isDanger?: boolean | undefined
  /** Rarely used in bulk: shown in the overflow menu. */
  isRare?: boolean | undefined
  /** Question in the dialog: "Delete 3 SSH keys?" */
  ask: (count: number) => string
  /** Consequences, shown below the question: for all objects, or as a function of the objects that are not left out. */
  note?: string | ((items: readonly Item[]) => ReactNode) | undefined
  /** Button label: "Delete 3 SSH keys". */
  verb: (count: number) => string
  /** Why an object is left out, in addition to any refusal by the server. */
  skippedBecause?: ((item: Item) => string | undefined) | undefined
  /** The call that the server makes for each object: its contract name and input. */
  call: BulkCall
}

export interface BulkCall {
  action: string
  body?: Record<string, unknown>
  query?: Record<string, string>
}

/** Objects that share a result, with the reason. */
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
