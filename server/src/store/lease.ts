import { randomUUID } from 'node:crypto'
import type { Log } from '@mainstay/engines/ports/records'
import { sql, type Kysely } from 'kysely'
import type { Database } from './schema'

/** The right to be the only one who does something, kept alive until it is released or lost. */
export interface Lease {
  /** Fires when the lease was lost; what it guards must stop at once. */
  signal: AbortSignal
  release(): Promise<void>
}

/**
 * Takes a named lease for some seconds and renews it three times as often. Null when another server holds it. A
 * holder that died frees it after at most those seconds.
 */
export async function takeLease(db: Kysely<Database>, log: Log, name: string, seconds: number): Promise<Lease | null> {
  const owner = randomUUID()
  if (!(await claim(db, name, owner, seconds))) return null
  const lost = new AbortController()
  let until = Date.now() + seconds * 1000

  const timer = setInterval(
    () => {
      const asked = Date.now()
      claim(db, name, owner, seconds)
        .then((kept) => {
          if (kept) until = asked + seconds * 1000
          else giveUp()
        })
        .catch((error: unknown) => {
          log.warn({ error, lease: name }, 'a lease could not be renewed')
          if (Date.now() >= until) giveUp()
        })
    },
    (seconds * 1000) / 3,
  )
  timer.unref()
  function giveUp(): void {
    clearInterval(timer)
    lost.abort(new Error(`the lease "${name}" was lost`))
  }

  return {
    signal: lost.signal,
    async release() {
      clearInterval(timer)
      await db.deleteFrom('lease').where('name', '=', name).where('owner', '=', owner).execute()
    },
  }
}

/** The database's clock decides, so that servers with wrong clocks agree. */
async function claim(db: Kysely<Database>, name: string, owner: string, seconds: number): Promise<boolean> {
  const { rows } = await sql<{ owner: string }>`
    insert into lease (name, owner, until) values (${name}, ${owner}, now() + make_interval(secs => ${seconds}))
    on conflict (name) do update set owner = excluded.owner, until = excluded.until
      where lease.owner = excluded.owner or lease.until < now()
    returning owner`.execute(db)
  return rows.length > 0
}
