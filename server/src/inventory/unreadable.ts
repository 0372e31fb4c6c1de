import type { UnreadableRows as Rows } from '@mainstay/engines/ports/feed'
import type { Log } from '@mainstay/engines/ports/records'

/** Rows of a cloud that cannot be indexed. What is known of them stays, and the others are written. */
export interface UnreadableRows {
  note(kind: string, id: string, error: unknown, fault?: string): void
  /** The row can be read again, or is gone. */
  forget(kind: string, id: string): void
  /** A full read has found these rows and no others. */
  keepOnly(kind: string, ids: ReadonlySet<string>): void
  /** How many there are of each kind that has, or had, some; with some of them. */
  all(): Rows[]
}

/** Rows of a kind that are named one by one. */
const MOST_NAMED = 20
/** More ids of a kind are not remembered one by one. */
const MOST_NOTED = 10_000

export function noteUnreadableRows(log: Log): UnreadableRows {
  const noted = new Map<string, Map<string, string>>()
  return {
    note(kind, id, error, fault = 'it cannot be indexed') {
      const faults = noted.get(kind) ?? new Map<string, string>()
      noted.set(kind, faults)
      if (faults.has(id) || faults.size >= MOST_NOTED) return
      faults.set(id, fault)
      log.warn({ error, kind, id }, 'a row of the cloud cannot be indexed, and is left out')
    },
    forget: (kind, id) => void noted.get(kind)?.delete(id),
    keepOnly(kind, ids) {
      for (const id of noted.get(kind)?.keys() ?? []) if (!ids.has(id)) noted.get(kind)?.delete(id)
    },
    all: () =>
      [...noted].map(([kind, faults]) => ({
        ...{ kind, count: faults.size },
        rows: [...faults].slice(0, MOST_NAMED).map(([id, fault]) => ({ id, fault })),
      })),
  }
}

/** Rows that could not be read together with those that could not be indexed, by kind; none of kinds that have none. */
export const allUnreadable = (...found: readonly (readonly Rows[])[]): Rows[] =>
  mergeByKind(...found).filter(({ count }) => count > 0)

/** All of them by kind, also of kinds that have none any more. */
export function mergeByKind(...found: readonly (readonly Rows[])[]): Rows[] {
  const all = new Map<string, Rows>()
  for (const { kind, count, rows } of found.flat()) {
    const before = all.get(kind) ?? { kind, count: 0, rows: [] }
    all.set(kind, { kind, count: before.count + count, rows: [...before.rows, ...rows].slice(0, MOST_NAMED) })
  }
  return [...all.values()]
}

/** What a row itself is to blame for: a value that the database has no place for. */
export const isFaultOfRow = (error: unknown): boolean => /^(22|23|54)/.test(String((error as { code?: unknown })?.code))
