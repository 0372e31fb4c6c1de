import type { Change } from '@mainstay/contract/core/events'

/** Interval between batches of a socket: at most ten per second. */
export const BATCH_EVERY_MS = 100
/**
 * Maximum number of changes queued for a slow reader. Beyond it, the socket is closed, and the client reconnects with
 * `since`.
 */
const MAX_WAITING = 5000
export const MAX_BATCH = 1000
/** Nothing is sent to a socket while more bytes than this are in its own buffer. */
export const MAX_BUFFERED_BYTES = 1024 * 1024

export interface Wire {
  send(changes: Change[]): void
  bufferedBytes(): number
  /** Runs a piece of work in turn with those of all other sockets. */
  soon(work: () => void): void
  /** Called if the reader is too slow. */
  giveUp(): void
}

export interface Outbox {
  /** Queues a change, in order of revision; it replaces an earlier one of the same row. */
  add(change: Change): void
  /** Whether no changes are queued. */
  isEmpty(): boolean
  /** Whether changes are queued because the reader does not keep up. */
  isBehind(): boolean
  close(): void
}

/** Changes not yet sent to one socket: the latest of each row, in order of revision. */
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
      // inserted again, so that the map stays in order of revision
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
