import type { UnreadableRows as Rows } from '@mainstay/engines/ports/feed'
import type { Log } from '@mainstay/engines/ports/records'

/** Tracks a cloud's rows that cannot be indexed. They keep their last known state, and other rows are still written. */
export interface UnreadableRows {
  note(kind: string, id: string, error: unknown, fault?: string): void
  /** Call this when the row is readable again or no longer exists. */
  forget(kind: string, id: string): void
  /** Forgets all rows of the kind except these, which a full read has reported. */
  keepOnly(kind: string, ids: ReadonlySet<string>): void
  /** Number of unreadable rows per kind, with some examples. Includes kinds that no longer have any. */
  all(): Rows[]
}

/** Maximum number of examples per kind. */
const MOST_NAMED = 20
/** Maximum number of rows tracked per kind. */
const MOST_NOTED = 10_000

export function noteUnreadableRows(log: Log): UnreadableRows {
  const noted = new Map<string, Map<string, string>>()
  return {
    note(kind, id, error, fault = 'it cannot be indexed') {
      const faults = noted.get(kind) ?? new Map<string, string>()
      noted.set(kind, faults)
      if (faults.has(id) || faults.size >= MOST_NOTED) return
      faults.set(id, fault)
      log.warn({ error, kind, id }, 'failed to index a row of the cloud; leaving it out')
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

/** Combines unreadable and unindexable rows by kind. Omits kinds that have none. */
export const allUnreadable = (...found: readonly (readonly Rows[])[]): Rows[] =>
  mergeByKind(...found).filter(({ count }) => count > 0)

/** Combines counts by kind, including kinds whose count is 0. */
export function mergeByKind(...found: readonly (readonly Rows[])[]): Rows[] {
  const all = new Map<string, Rows>()
  for (const { kind, count, rows } of found.flat()) {
    const before = all.get(kind) ?? { kind, count: 0, rows: [] }
    all.set(kind, { kind, count: before.count + count, rows: [...before.rows, ...rows].slice(0, MOST_NAMED) })
  }
  return [...all.values()]
}

/** Whether an error is caused by the row itself, for example by a value that the database cannot store. */
export const isFaultOfRow = (error: unknown): boolean => /^(22|23|54)/.test(String((error as { code?: unknown })?.code))
