import type { Sql } from '../ports/engines'
import type { Log } from '../ports/records'
import { RgwRefused } from './admin-client'
import type { Settle } from './settle'

/**
 * Interval between rounds. A user who was disabled elsewhere is suspended on the gateway within this time, unless there
 * are very many accounts.
 */
const EVERY_MS = 30_000
const MOST_AT_ONCE = 500

export interface Upkeep {
  /** Synchronizes pending accounts, and the next batch of all others. */
  round(): Promise<void>
  close(): Promise<void>
}

/**
 * Periodically synchronizes accounts to the gateway, because users may be disabled elsewhere and gateways may be
 * replaced.
 */
export function startUpkeep(sql: Sql, settle: Settle, log: Log, look: () => Promise<unknown>): Upkeep {
  let ended = false
  let running: Promise<unknown> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let after = ''

  async function round(): Promise<void> {
    await look()
    const due = await sql.query<{ user_id: string; next: boolean }>(
      `(select user_id, false as next from rgw_account where pending order by user_id limit $2)
       union all (select user_id, true from rgw_account where user_id > $1 and not pending order by user_id limit $2)`,
      [after, MOST_AT_ONCE],
    )
    let refusal: RgwRefused | null = null
    for (const { user_id, next } of due) {
      if (ended) return
      try {
        await settle.one(user_id)
      } catch (error) {
        // a refused account must not block the others
        if (!(error instanceof RgwRefused)) throw error
        refusal ??= error
      }
      if (next) after = user_id
    }
    if (due.filter(({ next }) => next).length < MOST_AT_ONCE) after = ''
    if (refusal !== null) throw refusal
  }

  function plan(): void {
    if (ended) return
    timer = setTimeout(() => {
      running = round()
        .catch((err: unknown) => log.warn({ err }, 'failed to update the object gateway; retrying'))
        .then(plan)
    }, EVERY_MS)
    timer.unref()
  }
  plan()

  return {
    round,
    async close() {
      ended = true
      clearTimeout(timer)
      await running
    },
  }
}
