import { asProblem, type CallProblem } from '../api/problem'
import type { Row } from '../api/use-list'
import type { Icon } from '../ui/icons'

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
  /** What follows from it, under the question. */
  note?: string | undefined
  /** The button: "Delete 3 SSH keys". */
  verb: (count: number) => string
  /** "3 SSH keys deleted". */
  done: (count: number) => string
  /** Why this one is left out. */
  skippedBecause?: ((item: Item) => string | undefined) | undefined
  run: (item: Item, signal: AbortSignal) => Promise<unknown>
}

/** Items whose fate is the same, with the reason. */
export interface Group<Item> {
  message: string
  items: Item[]
}

/** How many run at the same time (S1§9). */
export const bulkAtOnce = 5

export function groupBy<Item>(items: readonly Item[], messageOf: (item: Item) => string): Group<Item>[] {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const message = messageOf(item)
    groups.set(message, [...(groups.get(message) ?? []), item])
  }
  return [...groups].map(([message, found]) => ({ message, items: found }))
}

export interface BulkResult<Item> {
  done: Item[]
  failed: { item: Item; problem: CallProblem }[]
}

/** Does it to each, five at a time. One that fails stops none of the others; after an abort no further one starts. */
export async function runBulk<Item>(
  items: readonly Item[],
  run: (item: Item, signal: AbortSignal) => Promise<unknown>,
  { signal, onStep }: { signal: AbortSignal; onStep: (finished: number) => void },
): Promise<BulkResult<Item>> {
  const result: BulkResult<Item> = { done: [], failed: [] }
  const waiting = [...items]
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined && !signal.aborted; item = waiting.shift()) {
      try {
        await run(item, signal)
        result.done.push(item)
      } catch (thrown) {
        const problem = asProblem(thrown)
        if (problem.kind !== 'cancelled') result.failed.push({ item, problem })
      }
      onStep(result.done.length + result.failed.length)
    }
  }
  await Promise.all(Array.from({ length: bulkAtOnce }, worker))
  return result
}
