import type { Sql } from '@mainstay/engines/ports/engines'
import { createHash } from 'node:crypto'
import { problem } from '@mainstay/contract/core/problems'
import { networkOf } from './known-sources'

/*
 * Failures are counted for three: the pair of a user and where they come from; the user, for all who come from where the
 * user has never signed in; and the address, for all users who have never signed in there. Whoever comes from where they
 * have signed in before waits for their own failures alone, whatever is guessed elsewhere (decision 0019).
 */

/** Failures before the next attempt has to wait. */
export const freeFailures = { pair: 5, user: 20, address: 20 } as const
type Counter = keyof typeof freeFailures

const LONGEST_WAIT_SECONDS = 60
/** After the longest wait is reached, more failures do not count: what has been forgotten can be told. */
const COUNTED_BEYOND_FREE = 7
/** Each failure is forgotten after so long, one after the other. */
const FORGET_ONE_AFTER_SECONDS = 180

/** How long the next attempt has to wait after so many failures, seconds: 1, 2, 4 ... 60. */
export const waitAfter = (failures: number, free: number): number =>
  failures < free ? 0 : Math.min(LONGEST_WAIT_SECONDS, 2 ** Math.min(failures - free, 10))

/** Who tries to sign in, and from where. */
export interface SignInAttempt {
  /** Null where nobody says who they are. */
  user: string | null
  /** What tells this place from others: a device, an address, a session. */
  source: string
  address: string
  /** Whether the user has signed in from this source before. */
  isKnown: boolean
  /** Whose failures they are, where `user` says more than that. */
  owner?: string
}

export interface Attempts {
  /** Throws `too_many_attempts` while the guesser has to wait. */
  check(who: SignInAttempt): Promise<void>
  /** Answers whether from this failure on somebody has to wait for this user: it is told once, until failures are forgotten. */
  failed(who: SignInAttempt): Promise<boolean>
  /** Forgets the failures of this user from this source. */
  succeeded(who: SignInAttempt): Promise<void>
  /** What is counted of a user now. */
  lockOf(user: string): Promise<{ failures: number; lockedUntil: Date | null }>
  /** Forgets the failures of a user, from wherever. */
  forgive(user: string, inside: Sql): Promise<void>
  /** Forgets every failure. */
  forgetAll(): Promise<void>
  /** Removes what is forgotten. */
  prune(): Promise<void>
}

// Names of users are no business of whoever reads the table, and hashes are of one length.
const keyOf = (counter: Counter, ...texts: string[]): string =>
  createHash('sha256')
    .update([counter, ...texts].join('\n'))
    .digest('hex')

/** Names in other letters may be the same user's. */
const plain = (user: string): string => user.normalize('NFC').toLowerCase()

/** What an attempt counts for. */
function countersOf({ user, source, address, isKnown }: SignInAttempt): { key: string; counter: Counter }[] {
  const name = user === null ? undefined : plain(user)
  const pair = name === undefined ? [] : [{ counter: 'pair' as const, key: keyOf('pair', name, source) }]
  if (isKnown) return pair
  const ofUser = name === undefined ? [] : [{ counter: 'user' as const, key: keyOf('user', name) }]
  return [...pair, ...ofUser, { counter: 'address', key: keyOf('address', networkOf(address)) }]
}

/** What is left of failures, and how long the next attempt has to wait, seconds. */
function stateOf({ failures, last_at }: { failures: number; last_at: Date }, free: number, at: Date) {
  const passed = (at.getTime() - last_at.getTime()) / 1000
  const left = Math.max(0, failures - Math.max(0, Math.floor(passed / FORGET_ONE_AFTER_SECONDS)))
  // a clock that was put back: nobody waits for a time that has been already
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
      // always in the same order, or two attempts would wait for each other
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
