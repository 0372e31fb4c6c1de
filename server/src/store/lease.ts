import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@mainstay/engines/ports/records'
import { sql, type Kysely } from 'kysely'
import type { Database } from './schema'

/** No lease is taken for longer, seconds. */
const LONGEST = 600
/** Milliseconds until a lease that could not be had, or renewed, is asked for again. */
const ASK_AGAIN_MS = 250

/** The right to be the only one who does something, kept alive until it is released or lost. */
export interface Lease {
  /** Fires when the lease was lost; what it guards must stop at once. */
  signal: AbortSignal
  release(): Promise<void>
}

/**
 * Takes a named lease for some seconds and renews it three times as often. Null when another server holds it. A
 * holder that died frees it after at most those seconds. It is lost when another server has it, and when it could not be
 * renewed in time: by the monotonic clock, whether the database refuses or does not answer at all.
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
      log.warn({ error, lease: name }, 'a lease could not be renewed')
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
  /** Who asks, for people. */
  holder?: string
  /** Where they are: an earlier process of the same place is known to be dead. */
  place?: string
}

/**
 * The database's clock decides, so that servers with wrong clocks agree. A lease that ends later than any is taken for
 * was taken before that clock was set back, and holds nobody up.
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

/** A lease for as long as the process lives. */
export interface StandingLease {
  /** Whether it was renewed lately enough to be ours alone; not so while the database is away for long. */
  isHeld(): boolean
  /** Fires when another one has it. */
  lost: AbortSignal
  release(): Promise<void>
}

/**
 * Takes a lease and keeps it, also beyond a time without the database, unless another one took it then. Answers who has
 * it where that one is alive: one that died is waited for, for at most those seconds.
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
    // one that is renewed is alive
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
      log.warn({ error, lease: name }, 'a lease could not be renewed')
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
