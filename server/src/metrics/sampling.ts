import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@mainstay/engines/ports/records'
import type { Lease } from '../store/lease'
import type { PushQueue } from './push-queue'
import { lineOf, type Sample } from './sample'

/** Takes samples at a fixed interval. */
export interface Sampler {
  /** Name for the log. */
  name: string
  everyMs: number
  /** Whether every server takes these samples, or one server on behalf of all. */
  by: 'each' | 'one'
  take(signal: AbortSignal): Promise<readonly Sample[]>
}

/** Runs the samplers that feed the metrics store. */
export interface Sampling {
  add(sampler: Sampler): void
  close(): Promise<void>
}

const LEASE = 'metrics.sampling'
const LEASE_SECONDS = 30
const ASK_AGAIN_MS = 10_000

/** Starts the sampling loops. `pace`: speed-up factor for tests. */
export function startSampling(tools: {
  queue: Pick<PushQueue, 'add'>
  lease(name: string, seconds: number): Promise<Lease | null>
  log: Log
  pace?: number
}): Sampling {
  const { queue, log, pace = 1 } = tools
  const closing = new AbortController()
  const { signal } = closing
  const running: Promise<void>[] = []
  let lease: Lease | null = null

  const pause = (ms: number) => sleep(ms / pace, undefined, { signal, ref: false }).catch(() => undefined)

  async function holdLease(): Promise<void> {
    while (!signal.aborted) {
      if (lease?.signal.aborted) lease = null
      try {
        lease ??= await tools.lease(LEASE, LEASE_SECONDS)
      } catch (err) {
        log.debug({ err }, 'failed to request the sampling lease')
      }
      await pause(ASK_AGAIN_MS)
    }
    await lease?.release().catch(() => undefined)
  }

  async function repeat({ name, everyMs, by, take }: Sampler): Promise<void> {
    let isTold = false
    while (!signal.aborted) {
      const began = performance.now()
      try {
        if (by === 'each' || (lease && !lease.signal.aborted)) {
          const samples = await take(signal)
          const now = Date.now()
          if (samples.length > 0)
            queue.add(samples.filter((it) => Number.isFinite(it.value)).map((it) => lineOf(it, now)))
        }
        isTold = false
      } catch (err) {
        if (!isTold && !signal.aborted) log.warn({ err, sampler: name }, 'failed to collect metrics')
        isTold = true
      }
      const left = everyMs / pace - (performance.now() - began)
      await pause(Math.max(everyMs / 4, left * pace))
    }
  }
  running.push(holdLease())

  return {
    add: (sampler) => void running.push(repeat(sampler)),
    async close() {
      closing.abort()
      await Promise.all(running)
    },
  }
}
