import type { Log } from '@mainstay/engines/ports/records'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Inventory } from '../inventory/types'
import { withEntities, type ChangeWithEntity } from './recipient'

const BATCH = 500
/** Beyond this many changes, loading everything anew is less work for both sides. Fewer than an outbox holds. */
export const MAX_CATCH_UP = 4000
/** Sockets that come back together stopped at about the same place: what one of them needs is read for all. */
const BUCKET = 1000
const RETRY_MS = 500

/** The one reader of the change log in this server; it hands changes to all who follow. */
export interface Feed {
  /** Everything up to this revision was handed out, or is being handed out now. */
  position(): number
  /**
   * Reads what came after a revision, where it is not known any more, once for all who ask. False: the log does not
   * reach back so far, or there is too much.
   */
  reach(since: number): Promise<boolean>
  /** What came after a revision up to the present position; null where that has to be reached first. */
  after(since: number): readonly ChangeWithEntity[] | null
  close(): void
}

export async function createFeed(tools: {
  inventory: Inventory
  log: Log
  /** Whether anybody follows. */
  isHeard: () => boolean
  /** Hands out what came, in order; what comes next waits for it. */
  publish: (published: readonly ChangeWithEntity[]) => Promise<void>
  /** Changes were missed: everybody begins anew. */
  onGap: () => void
}): Promise<Feed> {
  const { inventory, log } = tools
  let position = await inventory.revision()
  /** What came after `start` up to the position. */
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
        log.warn({ error }, 'changes could not be read')
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
        // away for longer than the log is kept
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
      // in one go: whoever joins is either before or after this batch
      position = last
      remember(published)
      await tools.publish(published)
    }
  }

  /** Reads what came after a revision up to where our memory starts. */
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
    // forgotten meanwhile: whoever needs it tries again
    if (start !== end) return true
    recent = [...read, ...recent]
    start = since
    return true
  }

  const stopListening = inventory.onCommitted(pump)
  // should an announcement be lost, this finds what it was about
  const timer = setInterval(pump, 5000)
  timer.unref()

  return {
    position: () => position,
    async reach(since) {
      // a client of another server may know more than this one; a number that is not of this log, nobody does
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
