import type { Change } from '@mainstay/contract/core/events'
import { create } from 'zustand'

type Listener = (change: Change) => void
const listeners = new Map<string, Set<Listener>>()

/** Subscribes to every change of a kind that the user may read, in order. Returns the unsubscribe function. */
export function onChange(kind: string, listener: Listener): () => void {
  const set = listeners.get(kind) ?? new Set()
  listeners.set(kind, set.add(listener))
  return () => set.delete(listener)
}

export function publishChange(change: Change) {
  for (const listener of listeners.get(change.kind) ?? []) listener(change)
}

/** Rows that the server changed within the last second; the table tints them. */
export const useRecentChanges = create<{ rows: ReadonlySet<string> }>()(() => ({ rows: new Set() }))

export const rowKey = (kind: string, id: string) => `${kind}/${id}`
export const tintMs = 1000

/** Marks rows as just changed for one second. */
export function tintRows(keys: readonly string[]) {
  if (keys.length === 0) return
  useRecentChanges.setState(({ rows }) => ({ rows: new Set([...rows, ...keys]) }))
  setTimeout(() => {
    useRecentChanges.setState(({ rows }) => ({ rows: new Set([...rows].filter((key) => !keys.includes(key))) }))
  }, tintMs)
}
