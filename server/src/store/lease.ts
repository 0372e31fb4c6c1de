import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@mainstay/engines/ports/records'
import { sql, type Kysely } from 'kysely'
import type { Database } from './schema'

/** Maximum duration of a lease, in seconds. */
const LONGEST = 600
/** Milliseconds between attempts to take or renew a lease. */
const ASK_AGAIN_MS = 250

/** The exclusive right to do something, renewed until it is released or lost. */
export interface Lease {
  /** Aborted when the lease is lost. Work that it protects must stop immediately. */
  signal: AbortSignal
  release(): Promise<void>
}

/**
 * Takes a named lease for some seconds and renews it whenever a third of that time has passed. Returns null if another
 * server holds it. The lease of a dead holder expires after at most that time. The lease is lost if another server
 * takes it, or if it is not renewed in time as measured by the monotonic clock, even if the database does not respond.
 */
export async function takeLease(db: Kysely<Database>, log: Log, name: string, seconds: number): Promise<Lease | null> {
  const owner = randomUUID()
  const wanted = { name, owner, seconds }
  const asked = performance.now()
  if (!(await claim(db, wanted))) return null
  const lost = new AbortController()
  let isRenewing = false
  let ending = endAt(asked + seconds * 1000)

  function endAt(until: number): NodeJS.Timeout {
    return setTimeout(giveUp, Math.max(0, until - performance.now())).unref()
  }
  function giveUp(): void {
    clearInterval(timer)
    clearTimeout(ending)
    lost.abort(new Error(`the lease "${name}" was lost`))
  }
  async function renew(): Promise<void> {
    if (isRenewing) return
    isRenewing = true
    const sentAt = performance.now()
    try {
      const kept = await claim(db, wanted)
      if (lost.signal.aborted) return
      if (!kept) return giveUp()
      clearTimeout(ending)
      ending = endAt(sentAt + seconds * 1000)
    } catch (error) {
      log.warn({ error, lease: name }, 'failed to renew a lease')
    } finally {
      isRenewing = false
    }
  }
  const timer = setInterval(() => void renew(), (seconds * 1000) / 3).unref()

  return {
    signal: lost.signal,
    async release() {
      clearInterval(timer)
      clearTimeout(ending)
      await db.deleteFrom('lease').where('name', '=', name).where('owner', '=', owner).execute()
    },
  }
}

interface Asked {
  name: string
  owner: string
  seconds: number
  /** Name of the holder, for operators. */
  holder?: string
  /**
   * Identifies the place where the process runs. A process that previously ran at the same place must be dead, so its
   * lease is taken over.
   */
  place?: string
}

/**
 * Uses the database's clock, so that servers with wrong clocks agree. A lease that ends later than the maximum allows
 * was taken before that clock was set back, and is ignored.
 */
async function claim(db: Kysely<Database>, { name, owner, seconds, holder, place }: Asked): Promise<boolean> {
  const { rows } = await sql<{ owner: string }>`
    insert into lease (name, owner, until, holder, place)
      values (${name}, ${owner}, now() + make_interval(secs => ${seconds}), ${holder ?? null}, ${place ?? null})
    on conflict (name) do update set owner = excluded.owner, until = excluded.until, holder = excluded.holder,
        place = excluded.place
      where lease.owner = excluded.owner or lease.until < now() or lease.place = excluded.place
        or lease.until > now() + make_interval(secs => ${LONGEST})
    returning owner`.execute(db)
  return rows.length > 0
}

/** A lease held for the lifetime of the process. */
export interface StandingLease {
  /** Whether it was renewed recently enough to be exclusive. False after a long database outage. */
  isHeld(): boolean
  /** Aborted when another server takes it. */
  lost: AbortSignal
  release(): Promise<void>
}

/**
 * Takes a lease and keeps it even through a database outage, unless another server takes it. If the current holder is
 * alive, returns its name. Waits at most `seconds` for the lease of a dead holder.
 */
export async function takeStandingLease(
  db: Kysely<Database>,
  log: Log,
  given: { name: string; holder: string; place: string; seconds: number },
): Promise<StandingLease | { heldBy: string }> {
  const { name, seconds } = given
  const asked = { ...given, owner: randomUUID() }
  const milliseconds = seconds * 1000
  let heldUntil = performance.now() + milliseconds
  let first: string | null = null
  while (!(await claim(db, asked))) {
    const { rows } = await sql<{ until: string; holder: string | null }>`
      select until::text, holder from lease where name = ${name}`.execute(db)
    const [row] = rows
    first ??= row?.until ?? null
    // if the lease has been renewed, its holder is alive
    if (row && row.until !== first) return { heldBy: row.holder ?? 'another server' }
    await sleep(ASK_AGAIN_MS)
    heldUntil = performance.now() + milliseconds
  }

  const lost = new AbortController()
  let released = false
  let timer: NodeJS.Timeout
  async function renew(): Promise<void> {
    const at = performance.now()
    let wait = milliseconds / 3
    try {
      if (await claim(db, asked)) heldUntil = at + milliseconds
      else lost.abort(new Error(`the lease "${name}" was lost`))
    } catch (error) {
      log.warn({ error, lease: name }, 'failed to renew a lease')
      wait = ASK_AGAIN_MS
    }
    if (!released && !lost.signal.aborted) goOn(wait)
  }
  function goOn(wait: number): void {
    timer = setTimeout(() => void renew(), wait)
    timer.unref()
  }
  goOn(milliseconds / 3)

  return {
    isHeld: () => !lost.signal.aborted && performance.now() < heldUntil,
    lost: lost.signal,
    async release() {
      released = true
      clearTimeout(timer)
      await db.deleteFrom('lease').where('name', '=', name).where('owner', '=', asked.owner).execute()
    },
  }
}
