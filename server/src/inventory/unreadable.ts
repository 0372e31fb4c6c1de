import type { Log } from '@mainstay/engines/ports/records'

/** Rows of a cloud that cannot be indexed. They keep what is known of them; the others are none the worse. */
export interface UnreadableRows {
  note(kind: string, id: string, error: unknown): void
  /** The row can be read again, or is gone. */
  forget(kind: string, id: string): void
  /** A full read has found these rows and no others. */
  keepOnly(kind: string, ids: ReadonlySet<string>): void
  /** How many there are of each kind that has, or had, some. */
  counts(): Map<string, number>
}

/** More ids of a kind are not remembered one by one. */
const MOST_NOTED = 10_000

export function noteUnreadableRows(log: Log): UnreadableRows {
  const noted = new Map<string, Set<string>>()
  return {
    note(kind, id, error) {
      const ids = noted.get(kind) ?? new Set()
      noted.set(kind, ids)
      if (ids.has(id) || ids.size >= MOST_NOTED) return
      ids.add(id)
      log.warn({ error, kind, id }, 'a row of the cloud cannot be indexed, and is left out')
    },
    forget: (kind, id) => void noted.get(kind)?.delete(id),
    keepOnly(kind, ids) {
      for (const id of noted.get(kind) ?? []) if (!ids.has(id)) noted.get(kind)?.delete(id)
    },
    counts: () => new Map([...noted].map(([kind, ids]) => [kind, ids.size])),
  }
}

/** What a row itself is to blame for: a value that the database has no place for. */
export const isFaultOfRow = (error: unknown): boolean => /^(22|23|54)/.test(String((error as { code?: unknown })?.code))
