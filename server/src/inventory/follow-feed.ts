import { setTimeout as sleep } from 'node:timers/promises'
import type { Feed, KindSource } from '@mainstay/engines/ports/engine'
import type { FeedItem } from '@mainstay/engines/ports/feed'
import type { Log } from '@mainstay/engines/ports/records'
import type { Lease } from '../store/lease'
import type { Store } from '../store/store'
import type { EngineStates } from './engine-states'
import type { RowSource } from './types'
import { allUnreadable } from './unreadable'

/** Together, `leaseSeconds` and `lookMs` ensure that another server takes over within 15 s after the follower dies. */
const usualWaits = { leaseSeconds: 12, lookMs: 2_500, retryMs: 500, retryAtMostMs: 30_000 }
/** The usual waits divided by `pace`. */
export const waitsAt = (pace: number): typeof usualWaits => ({
  ...{ leaseSeconds: usualWaits.leaseSeconds, lookMs: usualWaits.lookMs / pace },
  ...{ retryMs: usualWaits.retryMs / pace, retryAtMostMs: usualWaits.retryAtMostMs / pace },
})
const BATCH = 500
/** A failure after the feed has run this long resets the retry delay. */
const STEADY_MS = 60_000

export interface FollowTools {
  /** Name of the engine, such as `compute`. */
  name: string
  feed: Feed
  /** Kinds for which the engine is the source. */
  kinds: readonly Pick<KindSource, 'kind'>[]
  store: Store
  inventory: RowSource
  states: Pick<EngineStates, 'report'>
  /** Name of this server, shown to operators. */
  holder: string
  log: Log
  /** Shorter waits for tests. */
  waits?: Partial<typeof usualWaits>
}

/**
 * Follows an engine's feed while this server holds the lease, for which all servers compete. Writes stay in order even
 * if two servers briefly believe that they hold it. Returns a function that stops following.
 */
export function followFeed(tools: FollowTools): () => Promise<void> {
  const { name, store, log } = tools
  const waits = { ...usualWaits, ...tools.waits }
  const closing = new AbortController()
  const pause = (milliseconds: number, signal: AbortSignal): Promise<unknown> =>
    sleep(milliseconds, undefined, { signal }).catch(() => undefined)

  async function followWhenMine(): Promise<void> {
    while (!closing.signal.aborted) {
      const lease = await takeLease()
      if (!lease) {
        await pause(waits.lookMs, closing.signal)
        continue
      }
      log.info({ engine: name }, 'this server now follows the engine')
      await followAgain(AbortSignal.any([closing.signal, lease.signal]))
      await lease.release().catch((error: unknown) => log.warn({ error }, 'failed to release a lease'))
    }
  }

  async function takeLease(): Promise<Lease | null> {
    try {
      return await store.lease(`feed ${name}`, waits.leaseSeconds)
    } catch (error) {
      log.warn({ error }, 'failed to request the lease of a feed')
      return null
    }
  }

  /** Restarts the feed from the beginning after each failure, so that missed changes are picked up. */
  async function followAgain(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; failures++) {
      const begun = Date.now()
      try {
        await followOnce(tools, signal)
      } catch (error) {
        if (signal.aborted) return
        log.warn({ error, engine: name }, 'failed to follow an engine; starting again')
      }
      if (Date.now() - begun > STEADY_MS) failures = 0
      await pause(Math.min(waits.retryMs * 2 ** failures, waits.retryAtMostMs), signal)
    }
  }

  const following = followWhenMine()
  return async () => {
    closing.abort()
    await following
  }
}

/** Writes the items of the feed until it ends, fails or is aborted. */
async function followOnce(tools: FollowTools, signal: AbortSignal): Promise<void> {
  const { name, feed, inventory, states, holder } = tools
  const mine = new Set(tools.kinds.map(({ kind }) => kind))
  const own = new AbortController()
  const write = inventory.follower()
  const fullReads = noteFullReads()
  const items = feed.follow(AbortSignal.any([signal, own.signal]))[Symbol.asyncIterator]()
  const ask = (): Promise<IteratorResult<FeedItem>> => {
    const asked = items.next()
    // errors are handled after the previous batch has been written
    asked.catch(() => undefined)
    return asked
  }
  try {
    for (let next = ask(); ;) {
      const first = await next
      if (first.done) return
      const batch = [first.value]
      next = ask()
      while (batch.length < BATCH) {
        const more = await ifReady(next)
        if (!more || more.done) break
        batch.push(more.value)
        next = ask()
      }
      if (signal.aborted) return
      for (const item of batch)
        if (item.op !== 'health' && !mine.has(item.kind))
          throw new Error(`the engine for ${name} reports ${item.kind} rows, which belong to another engine`)
      await write(batch)
      for (const item of batch) {
        fullReads.note(item)
        if (item.op === 'health' && !signal.aborted) {
          const unreadable = allUnreadable(item.health.unreadable, inventory.unreadable())
          await states.report(name, { holder, health: { ...item.health, unreadable }, readAt: fullReads.oldest() })
        }
      }
    }
  } finally {
    own.abort()
    await items.return?.()
  }
}

/**
 * The value if the promise has settled, else null. Single changes are thus written immediately, and bursts in batches.
 */
const ifReady = <Value>(promise: Promise<Value>): Promise<Value | null> =>
  Promise.race([promise, new Promise<null>((resolve) => setImmediate(resolve, null))])

/** Tracks full reads. `oldest` returns the time of the least recent one, or null until all kinds have been read. */
function noteFullReads(): { note(item: FeedItem): void; oldest(): Date | null } {
  const begun = new Map<string, number>()
  const ended = new Map<string, number>()
  return {
    note(item) {
      if (item.op === 'resync') begun.set(item.kind, item.observed_at ?? Date.now())
      if (item.op === 'synced') ended.set(item.kind, begun.get(item.kind) ?? Date.now())
    },
    oldest: () => (ended.size > 0 && ended.size === begun.size ? new Date(Math.min(...ended.values())) : null),
  }
}
