import { says, type RuleText } from '@mainstay/contract/core/said'
import { CHALLENGE_MINUTES } from '@mainstay/contract/identity/sign-in-steps'
import type { Problem } from '@mainstay/contract/core/problems'
import { problem, problemOf } from '@mainstay/contract/core/problems'
import type { Sql } from '@mainstay/engines/ports/engines'
import { addSeconds } from './alive'
import { hashToken, looksLikeToken, makeToken } from './tokens'

/** A step that a sign-in still requires. */
export type SignInStep = 'second_factor' | 'password' | 'new_factor'

/**
 * Sign-ins that are not complete. Each is stored under the hash of its challenge, for one step and one user, and
 * expires after a few minutes. The call that completes it may reach another server.
 */
export interface SignInSteps {
  /** The problem that asks for the step and contains the challenge. */
  ask(step: SignInStep, userId: string): Promise<Problem>
  /** The user of a challenge. Throws `sign_in_expired` if it is used, expired, unknown or for another step. */
  userOf(step: SignInStep, challenge: string): Promise<string>
  /** Uses up a challenge. Throws `sign_in_expired` if another call has already used it. */
  spend(step: SignInStep, challenge: string): Promise<void>
  prune(): Promise<void>
}

const refusals: Record<SignInStep, RuleText> = {
  second_factor: says('identity.enter_second_factor'),
  password: says('identity.change_password_first'),
  new_factor: says('identity.set_up_second_factor'),
}
const expired = () => problem('identity.sign_in_expired')

export function createSignInSteps(sql: Sql, now: () => Date = () => new Date()): SignInSteps {
  return {
    async ask(step, userId) {
      const challenge = makeToken()
      await sql.query('insert into sign_in_step (hash, user_id, step, expires_at) values ($1, $2, $3, $4)', [
        ...[hashToken(challenge), userId, step, addSeconds(now(), CHALLENGE_MINUTES * 60)],
      ])
      return problemOf(refusals[step], { data: { challenge } })
    },

    async userOf(step, challenge) {
      if (!looksLikeToken(challenge)) throw expired()
      const [row] = await sql.query<{ user_id: string }>(
        'select user_id from sign_in_step where hash = $1 and step = $2 and expires_at > $3',
        [hashToken(challenge), step, now()],
      )
      if (!row) throw expired()
      return row.user_id
    },

    async spend(step, challenge) {
      const spent = await sql.query(
        'delete from sign_in_step where hash = $1 and step = $2 and expires_at > $3 returning user_id',
        [hashToken(challenge), step, now()],
      )
      if (spent.length === 0) throw expired()
    },

    async prune() {
      await sql.query('delete from sign_in_step where expires_at < $1', [now()])
    },
  }
}
