import type { Log } from '@mainstay/engines/ports/records'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Inventory } from '../inventory/types'
import { withEntities, type Told } from './reader'

const BATCH = 500
/** Beyond this many changes, loading everything anew is less work for both sides. Fewer than an outbox holds. */
export const MAX_CATCH_UP = 4000
const RETRY_MS = 500

export interface Follower {
  /** Gets every change after the place it joined at, in order. */
  tell(told: Told): void
}

/** The one reader of the change log in this server; it hands changes to all who follow. */
export interface Feed {
  /** Everything up to this revision was handed out. */
  position(): number
  /**
   * Joins after `since` (null: from now on). What came before is told first. Answers where it began, and whether the
   * log does not reach back so far: then it begins now.
   */
  join(since: number | null, begun: (start: { revision: number; resync: boolean }) => Follower): Promise<() => void>
  /** Resolves when the followers have been told everything that is committed by now. */
  close(): void
}

export async function createFeed(inventory: Inventory, log: Log, onGap: () => void): Promise<Feed> {
  const followers = new Set<Follower>()
  let position = await inventory.revision()
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

  async function readOn(): Promise<void> {
    while (!closed) {
      const changes = await inventory.changesSince(position, BATCH)
      if (changes === null) {
        // away for longer than the log is kept: everybody begins anew
        position = await inventory.revision()
        onGap()
        return
      }
      if (changes.length === 0) return
      const told = followers.size > 0 ? await withEntities(inventory, changes) : []
      // from here to the end of the loop nothing is awaited: whoever joins is either before or after this batch
      position = changes[changes.length - 1]!.revision
      for (const follower of followers) for (const it of told) follower.tell(it)
    }
  }

  const stopListening = inventory.onCommitted(pump)
  // should an announcement be lost, this finds what it was about
  const timer = setInterval(pump, 5000)
  timer.unref()

  return {
    position: () => position,
    async join(since, begun) {
      let from = position
      let resync = false
      if (since !== null) {
        const known = position - since <= MAX_CATCH_UP && (await inventory.changesSince(since, 1)) !== null
        resync = !known
        from = known ? since : position
      }
      const follower = begun({ revision: from, resync })
      let at = from
      // what the client knows may be newer than what this server has handed out
      const fresh: Follower = { tell: (told) => told.change.revision > at && follower.tell(told) }
      while (at < position) {
        const changes = await inventory.changesSince(at, BATCH)
        if (changes === null) throw new Error('the change log was shortened while it was read')
        if (changes.length === 0) break
        for (const told of await withEntities(inventory, changes)) follower.tell(told)
        at = changes[changes.length - 1]!.revision
      }
      followers.add(fresh)
      return () => void followers.delete(fresh)
    },
    close() {
      closed = true
      clearInterval(timer)
      stopListening()
    },
  }
}
