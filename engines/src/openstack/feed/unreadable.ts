import type { UnreadableRow, UnreadableRows } from '../../ports/feed'
import type { Log } from '../../ports/records'

/** Rows of each kind that could not be read the last time. */
export interface UnreadableBoard {
  /** Records an unreadable row and logs it once per row and fault. */
  note(kind: string, row: UnreadableRow): void
  /** Removes a row that was read or is gone. */
  forget(kind: string, id: string): void
  /** Replaces all recorded rows of a kind after a full read. */
  found(kind: string, rows: readonly UnreadableRow[]): void
  all(): UnreadableRows[]
}

/** Maximum number of rows listed per kind, and of log entries remembered to avoid duplicates. */
const [MAX_TOLD, MAX_LOGGED] = [20, 1_000]

export function createUnreadableBoard(log: Log): UnreadableBoard {
  const noted = new Map<string, UnreadableRow[]>()
  const logged = new Set<string>()

  function say(kind: string, { id, fault }: UnreadableRow): void {
    const key = JSON.stringify([kind, id, fault])
    if (logged.has(key) || logged.size >= MAX_LOGGED) return
    logged.add(key)
    log.warn({ kind, id, fault }, 'cannot read a row of the cloud; keeping its last known state')
  }
  const without = (kind: string, id: string) => (noted.get(kind) ?? []).filter((row) => row.id !== id)

  return {
    note(kind, row) {
      say(kind, row)
      noted.set(kind, [...(row.id === null ? (noted.get(kind) ?? []) : without(kind, row.id)), row])
    },
    forget(kind, id) {
      if (noted.get(kind)?.some((row) => row.id === id)) noted.set(kind, without(kind, id))
    },
    found(kind, rows) {
      for (const row of rows) say(kind, row)
      noted.set(kind, [...rows])
    },
    all: () =>
      [...noted].flatMap(([kind, rows]) =>
        rows.length === 0 ? [] : [{ kind, count: rows.length, rows: rows.slice(0, MAX_TOLD) }],
      ),
  }
}
