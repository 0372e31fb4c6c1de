import type { Outage } from '@mainstay/contract/core/outage'
import type { EngineState } from '@mainstay/contract/infrastructure/engines'
import type { FeedHealth } from '@mainstay/engines/ports/feed'
import type { Log } from '@mainstay/engines/ports/records'
import { sql } from 'kysely'
import type { Store } from '../store/store'

const CHANNEL = 'mainstay_engines'
const LOOK_MS = 5_000
/**
 * The server that follows an engine reports every few seconds. If there is no report for this long, no server is
 * assumed to follow the engine.
 */
const SILENT_MS = 20_000
/** Outages shorter than this are not reported. */
const BRIEF_MS = 4_000

/** Report from the server that follows an engine. */
export interface EngineReport {
  holder: string
  health: FeedHealth
  /** Time of the last full read; null until the first one has completed. */
  readAt: Date | null
}

/** State of each followed engine, reported by the server that follows it and shared with all servers. */
export interface EngineStates {
  report(name: string, report: EngineReport): Promise<void>
  all(): Promise<EngineState[]>
  /** The outage found by the last check, at most a few seconds ago; null if there is none. */
  outage(): Outage | null
  /** Calls the listener whenever `outage` changes. */
  onOutage(listener: (outage: Outage | null) => void): void
  close(): void
}

interface Row extends EngineReport {
  toldAt: Date
}

interface Known extends Pick<EngineState, 'name' | 'engine' | 'view'> {
  /** Parts that provide the data for lists. Sign-in and the message bus report their own outages. */
  listed: ReadonlySet<string>
  problems?: () => string[]
}

export async function createEngineStates(tools: {
  store: Store
  log: Log
  engines: readonly Known[]
  /** Speed-up factor for tests. */
  pace?: number
}): Promise<EngineStates> {
  const { store, log, engines, pace = 1 } = tools
  const listeners = new Set<(outage: Outage | null) => void>()
  let outage: Outage | null = null

  async function read(): Promise<Map<string, Row>> {
    const { rows } = await sql<{
      name: string
      holder: string
      told_at: Date
      read_at: Date | null
      health: FeedHealth
    }>`
      select name, holder, told_at, read_at, health from engine_state`.execute(store.db)
    return new Map(
      rows.map(({ name, holder, told_at, read_at, health }) => [
        name,
        { holder, health, readAt: read_at, toldAt: told_at },
      ]),
    )
  }

  async function look(): Promise<void> {
    const rows = await read()
    const next = asOne(
      engines.flatMap((it) =>
        it.view === 'feed' ? (outageOf(rows.get(it.name), it.listed, BRIEF_MS / pace) ?? []) : [],
      ),
    )
    if (JSON.stringify(next) === JSON.stringify(outage)) return
    outage = next
    for (const listener of listeners) listener(next)
  }
  const lookSafely = (): void =>
    void look().catch((error: unknown) => log.warn({ error }, 'failed to read the states of the engines'))

  const isFollowing = engines.some(({ view }) => view === 'feed')
  const stopListening = isFollowing ? await store.listen(CHANNEL, lookSafely) : () => undefined
  const timer = isFollowing ? setInterval(lookSafely, LOOK_MS / pace) : undefined
  timer?.unref()
  if (isFollowing) await look()

  return {
    async report(name, { holder, health, readAt }) {
      await sql`
        insert into engine_state (name, holder, told_at, read_at, health)
        values (${name}, ${holder}, now(), ${readAt}, ${JSON.stringify(health)}::jsonb)
        on conflict (name) do update set holder = excluded.holder, told_at = excluded.told_at,
          read_at = coalesce(excluded.read_at, engine_state.read_at), health = excluded.health`.execute(store.db)
      await sql`select pg_notify(${CHANNEL}, '')`.execute(store.db)
    },
    async all() {
      const rows = await read()
      return engines.map(({ name, engine, view, problems }) => ({
        ...(view === 'feed' ? stateOf(rows.get(name)) : recorded),
        ...{ name, engine, view, problems: problems?.() ?? [] },
      }))
    },
    outage: () => outage,
    onOutage: (listener) => void listeners.add(listener),
    close() {
      clearInterval(timer)
      stopListening()
    },
  }
}

type State = Omit<EngineState, 'name' | 'engine' | 'view' | 'problems'>
const recorded: State = { holder: null, by: null, parts: [], unreadable: [], lag_ms: 0, read_at: null }

function stateOf(row: Row | undefined): State {
  if (!row) return { ...recorded, lag_ms: null }
  const { health, readAt, toldAt, holder } = row
  const silentMs = Date.now() - toldAt.getTime()
  const isSilent = silentMs > SILENT_MS
  return {
    holder: isSilent ? null : holder,
    by: health.by,
    parts: health.parts,
    // earlier versions do not report this
    unreadable: health.unreadable ?? [],
    // until the next full read, lists are as old as the last one
    lag_ms:
      health.behind_ms !== null
        ? health.behind_ms + (isSilent ? silentMs : 0)
        : readAt && Date.now() - readAt.getTime(),
    read_at: readAt?.toISOString() ?? null,
  }
}

/**
 * Merges outages: the earliest `since` and the union of `parts`. If any outage names no parts, the result names none
 * either, which means that all parts are affected.
 */
function asOne(outages: readonly Outage[]): Outage | null {
  const [first] = outages.toSorted((one, other) => (one.since < other.since ? -1 : 1))
  if (!first) return null
  const isUnknown = outages.some(({ parts }) => parts.length === 0)
  return { since: first.since, parts: isUnknown ? [] : [...new Set(outages.flatMap(({ parts }) => parts))] }
}

function outageOf(row: Row | undefined, listed: ReadonlySet<string>, briefMs: number): Outage | null {
  // no server has followed the engine yet, so no rows can be outdated
  if (!row) return null
  if (Date.now() - row.toldAt.getTime() > SILENT_MS) return { since: row.toldAt.toISOString(), parts: [] }
  const away = row.health.parts.filter(
    ({ name, reachable, since }) =>
      !reachable && listed.has(name) && row.toldAt.getTime() - Date.parse(since) >= briefMs,
  )
  if (away.length === 0) return null
  return { since: away.map(({ since }) => since).toSorted()[0]!, parts: away.map(({ name }) => name) }
}
