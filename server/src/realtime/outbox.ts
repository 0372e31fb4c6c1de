import type { Change } from '@mainstay/contract/core/events'

/** Interval between batches to a socket: at most ten per second. */
export const BATCH_EVERY_MS = 100
/**
 * Maximum number of changes queued for a slow reader. If there are more, the socket is closed, and the client
 * reconnects with `since`.
 */
const MAX_WAITING = 5000
export const MAX_BATCH = 1000
/** Nothing is sent to a socket while its own buffer holds more bytes than this. */
export const MAX_BUFFERED_BYTES = 1024 * 1024

export interface Wire {
  send(changes: Change[]): void
  bufferedBytes(): number
  /** Schedules work, so that all sockets take turns. */
  soon(work: () => void): void
  /** Called if the reader is too slow. */
  giveUp(): void
}

export interface Outbox {
  /** Queues a change, which replaces an earlier change to the same row. Changes must be added in order of revision. */
  add(change: Change): void
  /** Whether no changes are queued. */
  isEmpty(): boolean
  /** Whether changes are queued because the reader cannot keep up. */
  isBehind(): boolean
  close(): void
}

/** Queue of changes not yet sent to a socket: the latest change to each row, in order of revision. */
export function createOutbox(wire: Wire): Outbox {
  const waiting = new Map<string, Change>()
  let timer: NodeJS.Timeout | null = null
  let sentAt = 0
  let closed = false

  function plan(): void {
    if (timer || closed || waiting.size === 0) return
    timer = setTimeout(() => wire.soon(flush), Math.max(0, sentAt + BATCH_EVERY_MS - performance.now()))
  }
  function flush(): void {
    timer = null
    if (closed) return
    sentAt = performance.now()
    if (wire.bufferedBytes() <= MAX_BUFFERED_BYTES) {
      const batch = [...waiting.values()].slice(0, MAX_BATCH)
      for (const { kind, id } of batch) waiting.delete(`${kind}\n${id}`)
      wire.send(batch)
    }
    plan()
  }

  return {
    add(change) {
      if (closed) return
      const key = `${change.kind}\n${change.id}`
      // the row is inserted again, to keep the map in order of revision
      waiting.delete(key)
      waiting.set(key, change)
      if (waiting.size > MAX_WAITING) {
        closed = true
        wire.giveUp()
        return
      }
      plan()
    },
    isEmpty: () => waiting.size === 0,
    isBehind: () => waiting.size > 0 && wire.bufferedBytes() > MAX_BUFFERED_BYTES,
    close() {
      closed = true
      waiting.clear()
      if (timer) clearTimeout(timer)
    },
  }
}
