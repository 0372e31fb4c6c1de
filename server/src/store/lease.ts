import { randomUUID } from 'node:crypto'
import type { Log } from '@mainstay/engines/ports/records'
import { sql, type Kysely } from 'kysely'
import type { Database } from './schema'

/** No lease is taken for longer, seconds. */
const LONGEST = 600

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
  const asked = performance.now()
  if (!(await claim(db, name, owner, seconds))) return null
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
      const kept = await claim(db, name, owner, seconds)
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

/**
 * The database's clock decides, so that servers with wrong clocks agree. A lease that ends later than any is taken for
 * was taken before that clock was set back, and holds nobody up.
 */
async function claim(db: Kysely<Database>, name: string, owner: string, seconds: number): Promise<boolean> {
  const { rows } = await sql<{ owner: string }>`
    insert into lease (name, owner, until) values (${name}, ${owner}, now() + make_interval(secs => ${seconds}))
    on conflict (name) do update set owner = excluded.owner, until = excluded.until
      where lease.owner = excluded.owner or lease.until < now()
        or lease.until > now() + make_interval(secs => ${LONGEST})
    returning owner`.execute(db)
  return rows.length > 0
}
