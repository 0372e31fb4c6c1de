import type { Sql } from '@mainstay/engines/ports/engines'
import { createHash } from 'node:crypto'
import { problem } from '@mainstay/contract/core/problems'
import { networkOf } from './known-sources'

/*
 * Failures are counted per pair of user and source, per user for sources from which the user has never signed in, and
 * per address for users who have never signed in there. At a known source, users therefore wait only for their own
 * failures, regardless of guesses elsewhere (decision 0019).
 */

/** Number of failures allowed before further attempts have to wait. */
export const freeFailures = { pair: 5, user: 20, address: 20 } as const
type Counter = keyof typeof freeFailures

const LONGEST_WAIT_SECONDS = 60
/** Failures counted beyond the free ones. More would not extend the wait but would take longer to forget. */
const COUNTED_BEYOND_FREE = 7
/** Failures are forgotten one by one, at intervals of this many seconds. */
const FORGET_ONE_AFTER_SECONDS = 180

/** Seconds to wait before the next attempt after this many failures: 1, 2, 4 ... 60. */
export const waitAfter = (failures: number, free: number): number =>
  failures < free ? 0 : Math.min(LONGEST_WAIT_SECONDS, 2 ** Math.min(failures - free, 10))

/** An attempt to sign in. */
export interface SignInAttempt {
  /** Name of the user; null if the sign-in does not name one. */
  user: string | null
  /** Identifies the source: a device, an address or a session. */
  source: string
  address: string
  /** Whether the user has signed in from this source before. */
  isKnown: boolean
  /** The user for whom the failures count, if `user` is not just the username. */
  owner?: string
}

export interface Attempts {
  /** Checks whether an attempt may be made now. Throws `too_many_attempts` if it has to wait. */
  check(who: SignInAttempt): Promise<void>
  /**
   * Returns true if this failure locks the user, which means that further attempts have to wait. It is reported only
   * once until failures are forgotten.
   */
  failed(who: SignInAttempt): Promise<boolean>
  /** Forgets the failures of this user at this source. */
  succeeded(who: SignInAttempt): Promise<void>
  /** Failures counted for a user from all sources. */
  lockOf(user: string): Promise<{ failures: number; lockedUntil: Date | null }>
  /** Forgets all of a user's failures, from any source. */
  forgive(user: string, inside: Sql): Promise<void>
  /** Forgets all failures. */
  forgetAll(): Promise<void>
  /** Deletes expired failures. */
  prune(): Promise<void>
}

// keys are hashed, so that the table contains no usernames and all keys have the same length
const keyOf = (counter: Counter, ...texts: string[]): string =>
  createHash('sha256')
    .update([counter, ...texts].join('\n'))
    .digest('hex')

/** Usernames are case-insensitive. */
const plain = (user: string): string => user.normalize('NFC').toLowerCase()

/** The counters that an attempt affects. */
function countersOf({ user, source, address, isKnown }: SignInAttempt): { key: string; counter: Counter }[] {
  const name = user === null ? undefined : plain(user)
  const pair = name === undefined ? [] : [{ counter: 'pair' as const, key: keyOf('pair', name, source) }]
  if (isKnown) return pair
  const ofUser = name === undefined ? [] : [{ counter: 'user' as const, key: keyOf('user', name) }]
  return [...pair, ...ofUser, { counter: 'address', key: keyOf('address', networkOf(address)) }]
}

/** The failures that still count, and the seconds until the next attempt is allowed. */
function stateOf({ failures, last_at }: { failures: number; last_at: Date }, free: number, at: Date) {
  const passed = (at.getTime() - last_at.getTime()) / 1000
  const left = Math.max(0, failures - Math.max(0, Math.floor(passed / FORGET_ONE_AFTER_SECONDS)))
  // no wait if the clock was set back
  const wait = passed < -LONGEST_WAIT_SECONDS ? 0 : Math.ceil(waitAfter(left, free) - Math.max(0, passed))
  return { left, wait: Math.max(0, wait) }
}

export function createAttempts(sql: Sql, now: () => Date = () => new Date()): Attempts {
  return {
    async check(who) {
      const counters = countersOf(who)
      const rows = await sql.query<{ key: string; failures: number; last_at: Date }>(
        'select key, failures, last_at from sign_in_failure where key = any($1::text[])',
        [counters.map(({ key }) => key)],
      )
      const waits = rows.map(
        (row) => stateOf(row, freeFailures[counters.find(({ key }) => key === row.key)!.counter], now()).wait,
      )
      const wait = Math.max(0, ...waits)
      if (wait > 0) throw problem('identity.too_many_attempts', {}, { data: { retry_after: wait } })
    },

    async failed(who) {
      const owner = who.owner ?? who.user
      // always in the same order, to avoid deadlocks
      const counters = countersOf(who).toSorted((one, two) => (one.key < two.key ? -1 : 1))
      const rows = await sql.query<{ key: string; failures: number }>(
        `insert into sign_in_failure as known (key, failures, last_at, owner)
          select key, 1, $3, owner from unnest($1::text[], $2::int[], $5::text[]) as counted (key, most, owner) order by key
          on conflict (key) do update set last_at = excluded.last_at, owner = excluded.owner, failures = 1 + least(
            (select most - 1 from unnest($1::text[], $2::int[]) as counted (key, most) where counted.key = known.key),
            greatest(0, known.failures - floor(greatest(0, extract(epoch from excluded.last_at - known.last_at)) / $4)::int))
          returning key, failures`,
        [
          counters.map(({ key }) => key),
          counters.map(({ counter }) => freeFailures[counter] + COUNTED_BEYOND_FREE),
          now(),
          FORGET_ONE_AFTER_SECONDS,
          counters.map(({ counter }) => (counter === 'address' || owner === null ? null : keyOf('user', plain(owner)))),
        ],
      )
      return rows.some(({ key, failures }) => {
        const { counter } = counters.find((it) => it.key === key)!
        return counter !== 'address' && failures === freeFailures[counter]
      })
    },

    async succeeded(who) {
      const own = countersOf(who).filter(({ counter }) => counter === 'pair')
      await sql.query('delete from sign_in_failure where key = any($1::text[])', [own.map(({ key }) => key)])
    },

    async lockOf(user) {
      const key = keyOf('user', plain(user))
      const rows = await sql.query<{ key: string; failures: number; last_at: Date }>(
        'select key, failures, last_at from sign_in_failure where key = $1 or owner = $1',
        [key],
      )
      const at = now()
      const states = rows.map((row) => stateOf(row, freeFailures[row.key === key ? 'user' : 'pair'], at))
      const wait = Math.max(0, ...states.map((it) => it.wait))
      return {
        failures: Math.max(0, ...states.map((it) => it.left)),
        lockedUntil: wait > 0 ? new Date(at.getTime() + wait * 1000) : null,
      }
    },

    async forgive(user, inside) {
      await inside.query('delete from sign_in_failure where key = $1 or owner = $1', [keyOf('user', plain(user))])
    },

    async forgetAll() {
      await sql.query('delete from sign_in_failure')
    },

    async prune() {
      const most = Math.max(...Object.values(freeFailures)) + COUNTED_BEYOND_FREE
      await sql.query('delete from sign_in_failure where last_at < $1', [
        new Date(now().getTime() - most * FORGET_ONE_AFTER_SECONDS * 1000),
      ])
    },
  }
}
