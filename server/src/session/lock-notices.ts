import type { Sql } from '@mainstay/engines/ports/engines'

/** Users are notified of failed sign-ins at most once in this time, so that guessing cannot flood their mailbox. */
export const NOTICE_EVERY_HOURS = 24

export interface LockNotices {
  /** Whether the user may be notified again. */
  isDue(userId: string): Promise<boolean>
  told(userId: string): Promise<void>
  /** Deletes expired entries. */
  prune(): Promise<void>
}

const isRecent = 'told_at > $1::timestamptz - make_interval(hours => $2)'

/** Records when each user was notified of failed sign-ins. */
export function createLockNotices(sql: Sql, now: () => Date = () => new Date()): LockNotices {
  return {
    async isDue(userId) {
      const known = await sql.query(`select from sign_in_notice where ${isRecent} and user_id = $3`, [
        now(),
        NOTICE_EVERY_HOURS,
        userId,
      ])
      return known.length === 0
    },
    async told(userId) {
      await sql.query(
        `insert into sign_in_notice (user_id, told_at) values ($1, $2)
          on conflict (user_id) do update set told_at = excluded.told_at`,
        [userId, now()],
      )
    },
    async prune() {
      await sql.query(`delete from sign_in_notice where not (${isRecent})`, [now(), NOTICE_EVERY_HOURS])
    },
  }
}
