import type { Sql } from '@mainstay/engines/ports/engines'
import { createHash } from 'node:crypto'
import { Problem } from '@mainstay/contract/core/problems'

/** Failed attempts before the next one has to wait. */
export const FREE_ATTEMPTS = 5
const LONGEST_WAIT_SECONDS = 60
/** A guesser who stays away this long starts anew. */
const FORGOTTEN_AFTER_SECONDS = 15 * 60

/** How long the next attempt has to wait after so many failures, seconds. */
export const waitAfter = (failures: number): number =>
  failures < FREE_ATTEMPTS ? 0 : Math.min(LONGEST_WAIT_SECONDS, 2 ** Math.min(failures - FREE_ATTEMPTS, 10))

// Names of users are no business of whoever reads the table, and hashes are of one length.
const keyOf = (kind: string, text: string): string => createHash('sha256').update(`${kind}\n${text}`).digest('hex')

export interface Attempts {
  /**
   * Counts an attempt before its password is looked at, so that guesses made at once count as well.
   * Throws `too_many_attempts` while the user or the address has to wait; nothing is counted then. `user`: null where
   * nobody says who they are.
   */
  begin(who: { user: string | null; address: string }): Promise<Attempt>
}
export interface Attempt {
  /** The password was right: the user's failures are forgotten, and this attempt at the address. */
  succeeded(): Promise<void>
  /** The password could not be looked at: this attempt does not count. */
  undone(): Promise<void>
}

export function createAttempts(sql: Sql, now: () => Date = () => new Date()): Attempts {
  const failures = async (inside: Sql, key: string, at: Date): Promise<number> => {
    await inside.query(
      'insert into sign_in_failure (key, failures, last_at) values ($1, 0, $2) on conflict do nothing',
      [key, at],
    )
    const [row] = await inside.query<{ failures: number; last_at: Date }>(
      'select failures, last_at from sign_in_failure where key = $1 for update',
      [key],
    )
    const awaySeconds = (at.getTime() - row!.last_at.getTime()) / 1000
    if (awaySeconds > FORGOTTEN_AFTER_SECONDS) return 0
    const waitSeconds = Math.ceil(waitAfter(row!.failures) - awaySeconds)
    if (waitSeconds > 0)
      throw new Problem('too_many_attempts', 'Too many failed attempts. Try again later.', {
        data: { retry_after: waitSeconds },
      })
    return row!.failures
  }

  return {
    async begin({ user, address }) {
      const userKey = user === null ? null : keyOf('user', user)
      const addressKey = keyOf('address', address)
      // always in the same order, or two sign-ins would wait for each other
      const keys = [...(userKey === null ? [] : [userKey]), addressKey].toSorted()
      const at = now()
      await sql.transaction(async (inside) => {
        for (const key of keys) {
          const before = await failures(inside, key, at)
          await inside.query('update sign_in_failure set failures = $2, last_at = $3 where key = $1', [
            key,
            before + 1,
            at,
          ])
        }
      })
      const forget = 'delete from sign_in_failure where key = $1'
      const takeBack = 'update sign_in_failure set failures = greatest(failures - 1, 0) where key = $1'
      /** Puts the failures of user and address right. */
      const settle = (ofUser: string) => async (inside: Sql) => {
        for (const key of keys) await inside.query(key === userKey ? ofUser : takeBack, [key])
      }
      return {
        succeeded: () =>
          sql.transaction(async (inside) => {
            await settle(forget)(inside)
            await inside.query('delete from sign_in_failure where last_at < $1', [
              new Date(at.getTime() - 4 * FORGOTTEN_AFTER_SECONDS * 1000),
            ])
          }),
        undone: () => sql.transaction(settle(takeBack)),
      }
    },
  }
}

/** An attempt at which nobody could say whether the proof is right is no guess. */
export async function orUndone<Answer>(attempt: Attempt, asked: Promise<Answer>): Promise<Answer> {
  try {
    return await asked
  } catch (error) {
    await attempt.undone()
    throw error
  }
}
