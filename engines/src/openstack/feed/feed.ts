import pLimit from 'p-limit'
import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Feed } from '../../ports/engine'
import type { FeedHealth, FeedItem } from '../../ports/feed'
import type { Entity, Log } from '../../ports/records'
import type { KindReader, Reading } from '../kind-reader'
import { createWakeSignal } from './wake-signal'
import { exchangeOfPart, rowsAnnounced } from './announced'
import { followBus, type FollowBus } from './bus'
import { createChannel } from './channel'
import { createHealthBoard, partOf } from './health'
import { usualIntervals, type FeedIntervals } from './intervals'
import { followKind, type KindPoller } from './kind-poller'
import { createUnreadableBoard } from './unreadable'

/** Number of queued items above which readers have to wait. */
const MAX_AHEAD = 2_000
/** Maximum number of kinds that are read in full at the same time. */
const FULL_READS = 3

export interface FeedOptions {
  reading: Reading
  readers: readonly KindReader<Entity>[]
  /** URL of the cloud's message bus, `amqp://`. Null: the cloud is polled for changes. */
  notifications: string | null
  log: Log
  intervals?: Partial<FeedIntervals>
  /** Replaces the bus in tests. */
  follow?: FollowBus
}

/**
 * Follows a cloud: first reads all rows, then picks up changes from notifications or by polling, with periodic full
 * reads. A service that does not respond delays only its own kinds, which are read in full once it responds.
 */
export function createFeed(options: FeedOptions): Feed {
  return {
    async *follow(signal) {
      const stop = new AbortController()
      // every pending call adds a listener
      setMaxListeners(0, stop.signal)
      const channel = createChannel<FeedItem>(MAX_AHEAD)
      const ended = (): void => stop.abort()
      signal.addEventListener('abort', ended, { once: true })
      stop.signal.addEventListener('abort', () => channel.close(), { once: true })
      if (signal.aborted) ended()
      // an internal error ends the feed; the caller then starts a new one
      const running = run(options, (item) => channel.push(item), stop.signal).finally(ended)
      running.catch(() => undefined)
      try {
        yield* channel
        if (!signal.aborted) await running
      } finally {
        signal.removeEventListener('abort', ended)
        ended()
      }
    },
  }
}

async function run(options: FeedOptions, emit: (item: FeedItem) => Promise<void>, signal: AbortSignal): Promise<void> {
  const { reading, readers, notifications, log, follow = followBus } = options
  const intervals = { ...usualIntervals, ...options.intervals }
  const health = createHealthBoard(readers, notifications === null ? [] : ['notifications'])
  const unreadable = createUnreadableBoard(log)
  const kindOf = (list: string): string | null => readers.find((reader) => reader.list === list)?.kind ?? null
  let isAnnounced = false
  let exchanges: ReadonlySet<string> = new Set()
  /** Kinds for which at least one notification has arrived, on any exchange. */
  const heardOf = new Set<string>()
  // a service's first notification is lost, because it only creates the exchange
  const isHeard = (reader: KindReader<Entity>): boolean =>
    exchanges.has(exchangeOfPart[partOf(reader)]!) || heardOf.has(reader.kind)
  const withPermit = pLimit(FULL_READS)
  const readAnew = (kind: string, id: string | null): void => {
    if (id === null) pollers.get(kind)?.readAll()
    else pollers.get(kind)?.changed(id)
  }
  const pollers: ReadonlyMap<string, KindPoller> = new Map(
    readers.map((reader): [string, KindPoller] => [
      reader.kind,
      followKind({
        ...{ reading, reader, emit, withPermit, health, unreadable, kindOf, log, intervals, signal },
        changedToo: readAnew,
        isAnnounced: () => isAnnounced && isHeard(reader),
      }),
    ]),
  )

  const healthSignal = createWakeSignal()
  let begin!: () => void
  const begun = new Promise<void>((resolve) => (begin = resolve))
  const listener: Parameters<FollowBus>[1] = {
    heard(notification) {
      for (const { kind, id } of rowsAnnounced(notification)) {
        heardOf.add(kind)
        readAnew(kind, id)
      }
    },
    attached(bound) {
      isAnnounced = true
      exchanges = bound
      health.mark('notifications', null)
      // full reads find changes made before this
      for (const poller of pollers.values()) poller.readAll()
      begin()
      healthSignal.notify()
    },
    lost(reason) {
      isAnnounced = false
      heardOf.clear()
      health.mark('notifications', reason)
      for (const poller of pollers.values()) poller.lookAnew()
      begin()
      healthSignal.notify()
    },
  }

  async function runPollers(): Promise<void> {
    if (notifications !== null) {
      const waiting = new AbortController()
      await Promise.race([
        begun,
        sleep(intervals.busAtStart, undefined, { signal: waiting.signal }).catch(() => undefined),
      ])
      waiting.abort()
    }
    await Promise.all([...pollers.values()].map((poller) => poller.run()))
  }

  async function tellHealth(): Promise<void> {
    let told = ''
    let toldAt = 0
    while (!signal.aborted) {
      const report = {
        ...reportOf([...pollers.values()], health.parts(), isAnnounced),
        unreadable: unreadable.all(),
      }
      const state = JSON.stringify([report.parts, report.by, report.behind_ms === null, report.unreadable])
      if (state !== told || Date.now() - toldAt >= intervals.health) {
        ;[told, toldAt] = [state, Date.now()]
        await emit({ op: 'health', health: report })
      }
      await healthSignal.wait(Math.min(1_000, intervals.health), signal)
    }
  }

  await Promise.all([
    runPollers(),
    tellHealth(),
    notifications === null ? undefined : follow(notifications, listener, log, signal),
  ])
}

function reportOf(
  pollers: readonly KindPoller[],
  parts: FeedHealth['parts'],
  isAnnounced: boolean,
): Omit<FeedHealth, 'unreadable'> {
  const good = pollers.map((poller) => poller.goodUntil())
  const behind_ms = good.some((time) => time === null)
    ? null
    : Math.max(0, Date.now() - Math.min(...(good as number[]), Date.now()))
  return { parts, behind_ms, by: isAnnounced ? 'notifications' : 'polling' }
}
