import { sql, type Kysely } from 'kysely'
import type { Database } from './schema'

const ASK_AGAIN_MS = 60_000

/** Milliseconds by which the database's clock is ahead of this server's. */
export type ClockAhead = () => Promise<number>

/**
 * The database's clock decides, so that servers with wrong clocks agree. It is asked once a minute; in between the
 * monotonic clock goes on, so that a clock of this server that is set is noticed at once.
 */
export function databaseClock(db: Kysely<Database>): ClockAhead {
  let asking: Promise<Measured> | null = null
  let askedAt = 0

  async function ask(): Promise<Measured> {
    const before = performance.now()
    const { rows } = await sql<{
      now: number
    }>`select extract(epoch from clock_timestamp())::float8 * 1000 as now`.execute(db)
    const after = performance.now()
    return { offset: rows[0]!.now - (before + after) / 2, within: Math.max(2, after - before) }
  }

  return async () => {
    if (!asking || performance.now() - askedAt >= ASK_AGAIN_MS) {
      askedAt = performance.now()
      const asked = ask()
      asked.catch(() => {
        if (asking === asked) asking = null
      })
      asking = asked
    }
    const { offset, within } = await asking
    const difference = offset + performance.now() - Date.now()
    // less than what asking took is no difference
    return Math.abs(difference) <= within ? 0 : difference
  }
}

/** The database's clock against the monotonic one, milliseconds, and how sure that is. */
interface Measured {
  offset: number
  within: number
}
