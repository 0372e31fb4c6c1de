import type { Entity } from '../../ports/records'
import type { KindReader } from '../kind-reader'
import type { FeedIntervals } from './intervals'

/** Attempts to read a row before it is left to the next full read. */
const MAX_TRIES = 5
/** Above this number of queued rows, a full read is less work. */
const MAX_WAITING = 5_000

interface Waiting {
  /** When it became known that the index may be outdated. */
  since: number
  dueAt: number
  tries: number
}

/** Queues the rows of a kind that must be read again, each with its due time. */
export interface RefreshQueue {
  /** Adds a changed row. Returns false if the queue is too long. */
  changed(id: string): boolean
  /** Records that a row was read; `row` is null if it is gone. A busy row is queued again. */
  read(id: string, row: Entity | null): void
  /** Records a full read that started at this time, and drops the rows that were queued before it. */
  readAll(begun: number, ids: ReadonlySet<string>): void
  /** Removes and returns up to `most` IDs to read now. A row that has failed before is returned on its own. */
  take(most: number): string[]
  failed(ids: readonly string[], again: number): void
  /** Returns the number of milliseconds until the next row is due. */
  wait(): number
  /** Returns when the oldest unread change became known, in milliseconds since 1970. Null if there is none. */
  oldest(): number | null
}

export function createRefreshQueue(reader: KindReader<Entity>, intervals: FeedIntervals): RefreshQueue {
  const changed = new Map<string, Waiting>()
  const busy = new Map<string, { since: number; dueAt: number; pause: number }>()
  const reading = new Map<string, Waiting>()

  const isDue = ([id, { dueAt }]: [string, { dueAt: number }]): boolean => dueAt <= Date.now() && !reading.has(id)

  return {
    changed(id) {
      const now = Date.now()
      if (!changed.has(id)) changed.set(id, { since: now, dueAt: now + intervals.debounce, tries: 0 })
      return changed.size <= MAX_WAITING
    },
    read(id, row) {
      reading.delete(id)
      if (!row || !reader.isBusy(row)) {
        busy.delete(id)
        return
      }
      const now = Date.now()
      const before = busy.get(id)
      const pause = before ? Math.min(before.pause * 1.2, intervals.busyAtMost) : intervals.busy
      busy.set(id, { since: before?.since ?? now, dueAt: now + pause, pause })
    },
    readAll(begun, ids) {
      for (const [id, { since }] of changed) if (since < begun) changed.delete(id)
      for (const [id, { since }] of busy) if (since < begun && !ids.has(id)) busy.delete(id)
    },
    take(most) {
      const due = [...changed].filter(isDue)
      const [first] = due
      const taken = first && first[1].tries > 0 ? [first] : due.filter(([, { tries }]) => tries === 0).slice(0, most)
      const now = Date.now()
      for (const [id, waiting] of taken) {
        changed.delete(id)
        reading.set(id, waiting)
      }
      for (const [id, { pause, ...row }] of busy) {
        if (taken.length >= most || !isDue([id, row])) continue
        reading.set(id, { since: now, dueAt: now, tries: 0 })
        taken.push([id, reading.get(id)!])
        busy.set(id, { ...row, dueAt: now + pause, pause })
      }
      return taken.map(([id]) => id)
    },
    failed(ids, again) {
      for (const id of ids) {
        const waiting = reading.get(id)
        reading.delete(id)
        if (!waiting || waiting.tries >= MAX_TRIES) continue
        const newer = changed.get(id)
        changed.set(id, { since: newer?.since ?? waiting.since, dueAt: Date.now() + again, tries: waiting.tries + 1 })
      }
    },
    wait() {
      const times = [...changed, ...busy].filter(([id]) => !reading.has(id)).map(([, { dueAt }]) => dueAt)
      return Math.min(...times, Infinity) - Date.now()
    },
    oldest() {
      const times = [...changed.values(), ...reading.values()].map(({ since }) => since)
      return times.length === 0 ? null : Math.min(...times)
    },
  }
}
