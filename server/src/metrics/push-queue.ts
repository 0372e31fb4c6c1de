import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@mainstay/engines/ports/records'
import { NotPushable, type MetricsStore } from './store/metrics-store'

/** Maximum number of queued lines. Enough for ten minutes with a thousand instances. */
const MOST_LINES = 400_000
/** Lines per request. */
const LINES_AT_ONCE = 10_000
const SHORTEST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 30_000

/** Lines waiting to be sent to the metrics store. The queue is bounded, and callers never wait for it. */
export interface PushQueue {
  /** Queues lines, and drops the oldest ones beyond the limit. */
  add(lines: readonly string[]): void
  /** Number of queued lines and of dropped lines. */
  counts(): { waiting: number; dropped: number }
  /** Resolves when the queue is empty, or when it turns out that the store accepts no samples. */
  settled(): Promise<void>
  close(): Promise<void>
}

export function createPushQueue(tools: {
  store: Pick<MetricsStore, 'push'>
  log: Log
  mostLines?: number
  pauseMs?: number
}): PushQueue {
  const { store, log, mostLines = MOST_LINES, pauseMs = SHORTEST_PAUSE_MS } = tools
  const closing = new AbortController()
  let batches: string[][] = []
  let waiting = 0
  let dropped = 0
  let pushing: Promise<void> | null = null
  let isPushable = true

  function dropOldest(): void {
    while (waiting > mostLines) {
      const oldest = batches.shift()!
      waiting -= oldest.length
      dropped += oldest.length
    }
  }

  async function pushAll(): Promise<void> {
    let pause = pauseMs
    let isTold = false
    while (batches.length > 0 && !closing.signal.aborted) {
      const [next] = batches as [string[]]
      try {
        await store.push(next)
        pause = pauseMs
        // the batch may have been dropped while it was being sent
        if (batches[0] === next) {
          batches.shift()
          waiting -= next.length
        }
      } catch (err) {
        if (err instanceof NotPushable) {
          isPushable = false
          ;[batches, waiting] = [[], 0]
          return
        }
        if (!isTold) log.warn({ err }, 'metrics are queued until the metrics store accepts them')
        isTold = true
        await sleep(pause, undefined, { signal: closing.signal }).catch(() => undefined)
        pause = Math.min(LONGEST_PAUSE_MS, pause * 2)
      }
    }
  }

  return {
    add(lines) {
      if (!isPushable || closing.signal.aborted) return
      for (let at = 0; at < lines.length; at += LINES_AT_ONCE) batches.push(lines.slice(at, at + LINES_AT_ONCE))
      waiting += lines.length
      dropOldest()
      pushing ??= pushAll().finally(() => (pushing = null))
    },
    counts: () => ({ waiting, dropped }),
    settled: async () => pushing ?? undefined,
    async close() {
      closing.abort()
      await pushing
    },
  }
}
