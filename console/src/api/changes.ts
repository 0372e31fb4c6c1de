import type { Change } from '@mainstay/contract/core/events'
import { create } from 'zustand'

type Listener = (change: Change) => void
const listeners = new Map<string, Set<Listener>>()

/**
 * Subscribes to a kind: the listener receives, in order, all changes that the user may read. Returns a function to
 * unsubscribe.
 */
export function onChange(kind: string, listener: Listener): () => void {
  const set = listeners.get(kind) ?? new Set()
  listeners.set(kind, set.add(listener))
  return () => set.delete(listener)
}

export function publishChange(change: Change) {
  for (const listener of listeners.get(change.kind) ?? []) listener(change)
}

/** Rows changed on the server within the last second; the table tints them. */
export const useRecentChanges = create<{ rows: ReadonlySet<string> }>()(() => ({ rows: new Set() }))

export const rowKey = (kind: string, id: string) => `${kind}/${id}`
export const tintMs = 1000

/** Marks rows as recently changed for one second. */
export function tintRows(keys: readonly string[]) {
  if (keys.length === 0) return
  useRecentChanges.setState(({ rows }) => ({ rows: new Set([...rows, ...keys]) }))
  setTimeout(() => {
    useRecentChanges.setState(({ rows }) => ({ rows: new Set([...rows].filter((key) => !keys.includes(key))) }))
  }, tintMs)
}
