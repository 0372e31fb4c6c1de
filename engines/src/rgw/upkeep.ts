import type { Sql } from '../ports/engines'
import type { Log } from '../ports/records'
import { RgwRefused } from './admin-client'
import type { Settle } from './settle'

/** So long until somebody who was disabled among all people is suspended at the gateway, where they are not too many. */
const EVERY_MS = 30_000
const MOST_AT_ONCE = 500

export interface Upkeep {
  /** One round: accounts that wait for the gateway, and the next ones in their order. */
  round(): Promise<void>
  close(): Promise<void>
}

/** Brings the gateway to what is said of accounts, again and again: people are disabled, and gateways are replaced. */
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
        // one whom the gateway refuses keeps nobody else waiting
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
        .catch((err: unknown) =>
          log.warn({ err }, 'the object gateway could not be brought up to date; it is tried again'),
        )
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
