import type { Log } from '@mainstay/engines/ports/records'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Inventory } from '../inventory/types'
import { withEntities, type ChangeWithEntity } from './recipient'

const BATCH = 500
/** With more changes than this, a full reload is cheaper for both sides. Must be fewer than an outbox can hold. */
export const MAX_CATCH_UP = 4000
/** Reads start at a multiple of this revision number, so that one read serves all sockets that reconnect together. */
const BUCKET = 1000
const RETRY_MS = 500

/** The only reader of the change log on this server. Distributes changes to all sockets. */
export interface Feed {
  /** All changes up to this revision have been distributed, or are being distributed now. */
  position(): number
  /**
   * Makes the changes after a revision available. If they must be read, one read serves all callers. False if the log
   * does not reach back that far, or if there are too many changes.
   */
  reach(since: number): Promise<boolean>
  /** Changes after a revision up to the current position; null if `reach` must be called first. */
  after(since: number): readonly ChangeWithEntity[] | null
  close(): void
}

export async function createFeed(tools: {
  inventory: Inventory
  log: Log
  /** Whether any socket is signed in. */
  isHeard: () => boolean
  /** Distributes a batch in order. The next batch waits until it is done. */
  publish: (published: readonly ChangeWithEntity[]) => Promise<void>
  /** Called when changes were missed and all clients must reconnect. */
  onGap: () => void
}): Promise<Feed> {
  const { inventory, log } = tools
  let position = await inventory.revision()
  /** Changes after `start` up to the position. */
  let recent: ChangeWithEntity[] = []
  let start = position
  let reaching: Promise<boolean> | null = null
  let closed = false
  let pumping: Promise<void> | null = null
  let pumpAgain = false

  function pump(): void {
    if (closed) return
    if (pumping) {
      pumpAgain = true
      return
    }
    pumping = readOn()
      .catch(async (error: unknown) => {
        log.warn({ error }, 'failed to read changes')
        await sleep(RETRY_MS, undefined, { ref: false })
        pumpAgain = true
      })
      .finally(() => {
        pumping = null
        if (!pumpAgain) return
        pumpAgain = false
        pump()
      })
  }

  function begin(at: number): void {
    position = at
    start = at
    recent = []
  }

  function remember(published: readonly ChangeWithEntity[]): void {
    recent.push(...published)
    if (recent.length <= MAX_CATCH_UP + BATCH) return
    recent = recent.slice(-MAX_CATCH_UP)
    start = recent[0]!.change.revision - 1
  }

  async function readOn(): Promise<void> {
    while (!closed) {
      const changes = await inventory.changesSince(position, BATCH)
      if (changes === null) {
        // this server fell behind by more than the log covers
        begin(await inventory.revision())
        tools.onGap()
        return
      }
      if (changes.length === 0) return
      const last = changes[changes.length - 1]!.revision
      if (!tools.isHeard()) {
        begin(last)
        continue
      }
      const published = await withEntities(inventory, changes)
      // no await between these two steps: a socket joins either before or after this batch
      position = last
      remember(published)
      await tools.publish(published)
    }
  }

  /** Reads the changes after a revision up to the start of `recent`. */
  async function readBack(since: number): Promise<boolean> {
    const end = start
    const read: ChangeWithEntity[] = []
    for (let at = since; at < end;) {
      const changes = await inventory.changesSince(at, BATCH)
      if (changes === null) return false
      const needed = changes.filter(({ revision }) => revision <= end)
      read.push(...(await withEntities(inventory, needed)))
      if (needed.length < changes.length || changes.length === 0) break
      at = changes[changes.length - 1]!.revision
    }
    // `recent` was trimmed during the read; the caller tries again
    if (start !== end) return true
    recent = [...read, ...recent]
    start = since
    return true
  }

  const stopListening = inventory.onCommitted(pump)
  // picks up changes whose notification was lost
  const timer = setInterval(pump, 5000)
  timer.unref()

  return {
    position: () => position,
    async reach(since) {
      // a client from another server may be ahead of this one; a revision outside the log is invalid
      if (since > position) return (await inventory.changesSince(since, 1)) !== null
      while (since < start) {
        if (position - since > MAX_CATCH_UP) return false
        const bucket = Math.max(position - MAX_CATCH_UP, Math.floor(since / BUCKET) * BUCKET)
        reaching ??= readBack(bucket)
          .then(async (isThere) => isThere || readBack(since))
          .finally(() => (reaching = null))
        if (!(await reaching)) return false
      }
      return position - since <= MAX_CATCH_UP
    },
    after(since) {
      if (since < start) return null
      const first = recent.findIndex(({ change }) => change.revision > since)
      return first === -1 ? [] : recent.slice(first)
    },
    close() {
      closed = true
      clearInterval(timer)
      stopListening()
    },
  }
}
