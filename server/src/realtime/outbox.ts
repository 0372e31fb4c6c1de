import type { Change } from '@mainstay/contract/core/events'

/** At most ten batches a second for each socket. */
export const BATCH_EVERY_MS = 100
/** More changes than a slow reader may owe us; it is sent away and comes back with `since`. */
const MAX_WAITING = 5000
export const MAX_BATCH = 1000
/** Bytes in the socket's own buffer beyond which it gets nothing new. */
export const MAX_BUFFERED_BYTES = 1024 * 1024

export interface Wire {
  send(changes: Change[]): void
  bufferedBytes(): number
  /** Does a piece of work when it is its turn among those of all sockets. */
  soon(work: () => void): void
  /** The reader is too slow. */
  giveUp(): void
}

export interface Outbox {
  /** Queues a change; a later one of the same row takes its place. In order of revision. */
  add(change: Change): void
  /** Nothing waits here. */
  isEmpty(): boolean
  /** Changes wait because the reader does not keep up. */
  isBehind(): boolean
  close(): void
}

/** What one socket has still to be told: the latest of each row, in order of revision. */
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
      // set anew, so that the order of the map stays the order of revisions
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
