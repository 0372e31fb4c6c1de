import type { Outage } from '@mainstay/contract/core/outage'
import type { EngineState } from '@mainstay/contract/infrastructure/engines'
import type { FeedHealth } from '@mainstay/engines/ports/feed'
import type { Log } from '@mainstay/engines/ports/records'
import { sql } from 'kysely'
import type { Store } from '../store/store'

const CHANNEL = 'mainstay_engines'
const LOOK_MS = 5_000
/** Who follows says so every few seconds. Nobody does when nothing was said for so long. */
const SILENT_MS = 20_000
/** What does not answer for less is not worth a word. */
const BRIEF_MS = 4_000

/** What the server that follows an engine reports of it. */
export interface EngineReport {
  holder: string
  health: FeedHealth
  /** When everything was read last; null while the first time is going on. */
  readAt: Date | null
}

/** How each engine is followed: reported by the server that follows it, known to all servers. */
export interface EngineStates {
  report(name: string, report: EngineReport): Promise<void>
  all(): Promise<EngineState[]>
  /** As it was a moment ago. */
  outage(): Outage | null
  /** Calls back when `outage` has changed. */
  onOutage(listener: (outage: Outage | null) => void): void
  close(): void
}

interface Row extends EngineReport {
  toldAt: Date
}

interface Known extends Pick<EngineState, 'name' | 'engine' | 'view'> {
  /** Parts that lists are read from; sign-in and the bus say for themselves when they are away. */
  listed: ReadonlySet<string>
  problems?: () => string[]
}

export async function createEngineStates(tools: {
  store: Store
  log: Log
  engines: readonly Known[]
  /** How many times as quick as usual, for tests. */
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
    void look().catch((error: unknown) => log.warn({ error }, 'how the engines are followed could not be read'))

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
    // an earlier version told none
    unreadable: health.unreadable ?? [],
    // until everything is read again, lists are as they were left
    lag_ms:
      health.behind_ms !== null
        ? health.behind_ms + (isSilent ? silentMs : 0)
        : readAt && Date.now() - readAt.getTime(),
    read_at: readAt?.toISOString() ?? null,
  }
}

/** All of them: since the first of them, and everything if it is not known of one what is away. */
function asOne(outages: readonly Outage[]): Outage | null {
  const [first] = outages.toSorted((one, other) => (one.since < other.since ? -1 : 1))
  if (!first) return null
  const isUnknown = outages.some(({ parts }) => parts.length === 0)
  return { since: first.since, parts: isUnknown ? [] : [...new Set(outages.flatMap(({ parts }) => parts))] }
}

function outageOf(row: Row | undefined, listed: ReadonlySet<string>, briefMs: number): Outage | null {
  // never followed: there is nothing yet that could be older than it should be
  if (!row) return null
  if (Date.now() - row.toldAt.getTime() > SILENT_MS) return { since: row.toldAt.toISOString(), parts: [] }
  const away = row.health.parts.filter(
    ({ name, reachable, since }) =>
      !reachable && listed.has(name) && row.toldAt.getTime() - Date.parse(since) >= briefMs,
  )
  if (away.length === 0) return null
  return { since: away.map(({ since }) => since).toSorted()[0]!, parts: away.map(({ name }) => name) }
}
