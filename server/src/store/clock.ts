import { sql, type Kysely } from 'kysely'
import type { Database } from './schema'

const ASK_AGAIN_MS = 60_000

/** Milliseconds by which the database's clock is ahead of this server's. */
export type ClockAhead = () => Promise<number>

/**
 * Uses the database's clock as a reference, so that servers with wrong clocks agree. It is read once a minute. In
 * between, the time is derived from the monotonic clock, so that changes to this server's clock are noticed
 * immediately.
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
    // the difference is within the margin of error
    return Math.abs(difference) <= within ? 0 : difference
  }
}

/** Offset between the database's clock and the monotonic clock, and its margin of error, in milliseconds. */
interface Measured {
  offset: number
  within: number
}
