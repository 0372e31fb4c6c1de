import { setTimeout as pause } from 'node:timers/promises'
import type { Log, Records } from '../../ports/records'

/** How long look-ups are good and waited for, milliseconds. */
export interface KnownTimes {
  /** What was read is taken as it is for so long. */
  fresh: number
  /** So long a caller waits for a new reading where an older one is known. */
  patience: number
  /** While the cloud is away it is asked again after so long, and nobody waits for that. */
  rest: number
}
export const knownTimes: KnownTimes = { fresh: 30_000, patience: 1_500, rest: 5_000 }

/** Most rows of a kind that are kept in memory. */
const MOST = 20_000

/** Look-ups that go on from what was known last while the cloud is away, also after a restart. */
export interface LastKnown<Value> {
  /** Null for what is not there. Throws where the cloud is away and nothing is known. */
  get(id: string): Promise<Value | null>
  /** As `get`, asking the cloud now. */
  renew(id: string): Promise<Value | null>
  /** What changed is asked for anew. */
  forget(id: string): void
  forgetAll(): void
}

/** Whether the cloud answers; one for all kinds, so that an outage is met once and not by each of them. */
export interface Reachable {
  away: boolean
  askAgainAt: number
}
export const reachable = (): Reachable => ({ away: false, askAgainAt: 0 })

interface Entry<Value> {
  value: Value | null
  readAt: number
}

/** `read` answers null for what is not there; what was read is also kept as a private record `kind`. */
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
  /** What the private record holds, as text: it is written only when it differs. */
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
      log.warn({ err, kind }, 'what the cloud said could not be kept for its next outage')
    }
  }

  function isAway(error: unknown): void {
    if (!cloud.away) log.warn({ err: error }, 'the cloud cannot be asked who is who; what was known last is taken')
    cloud.away = true
    cloud.askAgainAt = performance.now() + times.rest
  }
  function isBack(): void {
    if (cloud.away) log.info({}, 'the cloud can be asked who is who again')
    cloud.away = false
  }

  /** Many who ask at once share one reading. */
  function load(id: string): Promise<Value | null> {
    const shared = underWay.get(id)
    if (shared) return shared
    const loading = read(id).then(
      async (value) => {
        isBack()
        // another reading may have been begun since, because something changed
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
    // nobody may be waiting for it by the time it fails
    loading.then(over, over)
    return loading
  }

  /** Null where nothing was ever known. */
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
      // who is there all the time never waits for the cloud
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
