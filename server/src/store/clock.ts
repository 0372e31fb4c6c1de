import { sql, type Kysely } from 'kysely'
import type { Database } from './schema'

const ASK_AGAIN_MS = 60_000

/** Milliseconds by which the database's clock is ahead of this server's. */
export type ClockAhead = () => Promise<number>

/** The database's clock decides, so that servers with wrong clocks agree. It is asked once a minute. */
export function databaseClock(db: Kysely<Database>): ClockAhead {
  let ahead: Promise<number> | null = null
  let askedAt = 0

  async function ask(): Promise<number> {
    const before = Date.now()
    const { rows } = await sql<{
      now: number
    }>`select extract(epoch from clock_timestamp())::float8 * 1000 as now`.execute(db)
    const after = Date.now()
    const difference = rows[0]!.now - (before + after) / 2
    // less than what asking took is no difference
    return Math.abs(difference) <= Math.max(2, after - before) ? 0 : difference
  }

  return () => {
    if (ahead && Date.now() - askedAt < ASK_AGAIN_MS) return ahead
    askedAt = Date.now()
    const asked = ask()
    asked.catch(() => {
      if (ahead === asked) ahead = null
    })
    return (ahead = asked)
  }
}
