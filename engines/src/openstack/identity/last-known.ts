import { setTimeout as pause } from 'node:timers/promises'
import type { Log, Records } from '../../ports/records'

/** Timing of cached lookups, in milliseconds. */
export interface KnownTimes {
  /** How long a result is used before it is read again. */
  fresh: number
  /** How long a caller waits for a new result if an older one is available. */
  patience: number
  /** Interval between retries in the background while the cloud is down. */
  rest: number
}
export const knownTimes: KnownTimes = { fresh: 30_000, patience: 1_500, rest: 5_000 }

/** Maximum number of rows per kind in memory. */
const MOST = 20_000

/** Lookups that return the last known result while the cloud is down, even after a restart. */
export interface LastKnown<Value> {
  /** Returns null if the object does not exist. Throws if the cloud is down and no result is known. */
  get(id: string): Promise<Value | null>
  /** Like `get`, but always reads from the cloud. */
  renew(id: string): Promise<Value | null>
  /** Marks a result as stale. */
  forget(id: string): void
  forgetAll(): void
}

/** Whether the cloud responds. All kinds share it, so that only one of them is delayed when an outage begins. */
export interface Reachable {
  away: boolean
  askAgainAt: number
}
export const reachable = (): Reachable => ({ away: false, askAgainAt: 0 })

interface Entry<Value> {
  value: Value | null
  readAt: number
}

/**
 * Creates lookups of one kind. `read` returns null for objects that do not exist. Results are also stored as private
 * records of this `kind`.
 */
export function createLastKnown<Value>(options: {
  kind: string
  read: (id: string) => Promise<Value | null>
  records: Records
  log: Log
  reachable: Reachable
  times?: KnownTimes
}): LastKnown<Value> {
  const { kind, read, records, log, reachable: cloud, times = knownTimes } = options
  const entries = new Map<string, Entry<Value>>()
  const underWay = new Map<string, Promise<Value | null>>()
  /** Content of the private records, so that only changes are written. */
  const written = new Map<string, string>()

  function remember(id: string, value: Value | null): void {
    entries.delete(id)
    entries.set(id, { value, readAt: performance.now() })
    for (const oldest of entries.keys()) {
      if (entries.size <= MOST) break
      entries.delete(oldest)
      written.delete(oldest)
    }
  }

  async function keep(id: string, value: Value | null): Promise<void> {
    const text = JSON.stringify(value)
    if (written.get(id) === text) return
    try {
      await records.transaction((tx) => (value === null ? tx.removePrivate(kind, id) : tx.putPrivate(kind, id, value)))
      written.set(id, text)
    } catch (err) {
      log.warn({ err, kind }, 'failed to save identity data for the next outage of the cloud')
    }
  }

  function isAway(error: unknown): void {
    if (!cloud.away) log.warn({ err: error }, 'identity service of the cloud not reachable; using the last known data')
    cloud.away = true
    cloud.askAgainAt = performance.now() + times.rest
  }
  function isBack(): void {
    if (cloud.away) log.info({}, 'identity service of the cloud reachable again')
    cloud.away = false
  }

  /** Reads a result. Parallel callers share one read. */
  function load(id: string): Promise<Value | null> {
    const shared = underWay.get(id)
    if (shared) return shared
    const loading = read(id).then(
      async (value) => {
        isBack()
        // a change may have started another read since then
        if (underWay.get(id) === loading) {
          remember(id, value)
          await keep(id, value)
        }
        return value
      },
      (error: unknown) => {
        isAway(error)
        throw error
      },
    )
    underWay.set(id, loading)
    const over = () => {
      if (underWay.get(id) === loading) underWay.delete(id)
    }
    // avoids an unhandled rejection if no caller is still waiting
    loading.then(over, over)
    return loading
  }

  /** Returns the last known result, or null if no result is known. */
  async function known(id: string): Promise<{ value: Value | null } | null> {
    const entry = entries.get(id)
    if (entry) return entry
    const value = await records.transaction((tx) => tx.getPrivate<Value>(kind, id))
    return value === null ? null : { value }
  }

  async function renew(id: string): Promise<Value | null> {
    if (cloud.away) {
      const last = await known(id)
      if (last) {
        if (performance.now() >= cloud.askAgainAt) void load(id).catch(() => undefined)
        return last.value
      }
    }
    const loading = load(id)
    const outcome = await Promise.race([
      loading.then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      ),
      pause(times.patience, null, { ref: false }),
    ])
    if (outcome && 'value' in outcome) return outcome.value
    const last = await known(id)
    if (!last) return loading
    if (outcome === null) isAway(new Error(`no answer within ${times.patience} ms`))
    return last.value
  }

  return {
    async get(id) {
      const entry = entries.get(id)
      const age = entry ? performance.now() - entry.readAt : Infinity
      if (!entry || age >= times.fresh) return renew(id)
      // refreshes in the background, so that active users never wait for the cloud
      if (age > times.fresh / 2 && !cloud.away) load(id).catch(() => undefined)
      return entry.value
    },
    renew,
    forget(id) {
      const entry = entries.get(id)
      if (entry) entry.readAt = -Infinity
      underWay.delete(id)
    },
    forgetAll() {
      for (const entry of entries.values()) entry.readAt = -Infinity
      underWay.clear()
    },
  }
}
