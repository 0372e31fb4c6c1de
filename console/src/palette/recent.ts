import * as z from 'zod'

/** Objects recently opened from the search, newest first. Stored in this browser per user and project. */
const Recent = z.array(z.object({ kind: z.string(), id: z.string(), name: z.string() })).catch([])
export type RecentThing = z.infer<typeof Recent>[number]

const MOST_RECENT = 6
const keyOf = (whose: string) => `mainstay.recent.${whose}`

export function recentThings(whose: string): RecentThing[] {
  try {
    return Recent.parse(JSON.parse(localStorage.getItem(keyOf(whose)) ?? '[]'))
  } catch {
    return []
  }
}

export function keepRecent(whose: string, { kind, id, name }: RecentThing): void {
  const others = recentThings(whose).filter((it) => it.id !== id || it.kind !== kind)
  try {
    localStorage.setItem(keyOf(whose), JSON.stringify([{ kind, id, name }, ...others].slice(0, MOST_RECENT)))
  } catch {
    // the browser blocks storage: nothing is remembered
  }
}
