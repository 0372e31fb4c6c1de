import pLimit from 'p-limit'
import type { S3Owner } from '../ports/object-storage'
import type { Sql } from '../ports/engines'
import type { IdentityPort } from '../ports/identity'
import { isOwnAccessKey } from '../s3/names'
import type { IsActive } from '../s3/people'
import { RgwRefused, type RgwAdmin } from './admin-client'
import type { RgwUser } from './admin-shapes'

/*
 * Rows store the data that the gateway cannot store: a user's domain, whether an account is disabled and why, and the
 * names of keys. The gateway only knows whether a user is suspended. Rows are written first. The code here then
 * synchronizes them to the gateway.
 */

export interface AccountRow {
  user_id: string
  domain_id: string
  enabled: boolean
  created_at: Date
}

/** A locked account. Other changes to the account or its keys must wait. */
export interface SettledAccount {
  row: AccountRow
  user: RgwUser
  /** The transaction that holds the lock. */
  tx: Sql
}

export interface Settle {
  /**
   * Locks an account, synchronizes its gateway user (existence and suspension), and runs `work`. Without `work`, an
   * account that is already locked is skipped. Returns null if there is no account.
   */
  one<Result>(userId: string, work?: (account: SettledAccount) => Promise<Result>): Promise<Result | null>
  /** Settles many accounts. Throws the first error after all of them have been tried. */
  all(userIds: readonly string[]): Promise<void>
}

/**
 * Number of accounts that are settled concurrently. Limited, because each of them holds a database connection during
 * the gateway call.
 */
const AT_ONCE = 3

export function createSettle(tools: {
  sql: Sql
  admin: RgwAdmin
  isActive: IsActive
  identity: () => Pick<IdentityPort, 'user'>
}): Settle {
  const { sql, admin, isActive, identity } = tools
  const limit = pLimit(AT_ONCE)

  /**
   * Whether a user may use object storage now: the service, the domain, the account and the user must all be enabled.
   */
  async function mayUse(tx: Sql, { user_id, domain_id, enabled }: AccountRow): Promise<boolean> {
    const [said] = await tx.query<{ available: boolean; domain: boolean }>(
      `select coalesce((select available from s3_state), true) as available,
         coalesce((select enabled from s3_domain where domain_id = $1), true) as domain`,
      [domain_id],
    )
    return enabled && said!.available && said!.domain && (await isActive(user_id))
  }

  async function made({ user_id }: S3Owner, suspended: boolean): Promise<RgwUser> {
    await admin.createUser(user_id, (await identity().user(user_id))?.name ?? user_id, suspended)
    const user = await admin.user(user_id)
    if (!user) throw new RgwRefused(404, 'NoSuchUser')
    return user
  }

  /**
   * Removes keys that exist only on the gateway or only in the database, because a server crashed between the two
   * changes.
   */
  async function tidyKeys(tx: Sql, { user_id, keys }: RgwUser): Promise<void> {
    const there = keys.map((key) => key.access_key)
    await tx.query('delete from rgw_key where user_id = $1 and access_key <> all ($2)', [user_id, there])
    const rows = await tx.query<{ access_key: string }>('select access_key from rgw_key where user_id = $1', [user_id])
    const known = new Set(rows.map((row) => row.access_key))
    for (const key of there) if (isOwnAccessKey(key) && !known.has(key)) await admin.removeKey(user_id, key)
  }

  async function settle<Result>(userId: string, work?: (account: SettledAccount) => Promise<Result>) {
    return sql.transaction(async (tx) => {
      const [row] = await tx.query<AccountRow>(
        `select user_id, domain_id, enabled, created_at from rgw_account where user_id = $1
         for update ${work ? '' : 'skip locked'}`,
        [userId],
      )
      if (!row) return null
      const suspended = !(await mayUse(tx, row))
      const user = (await admin.user(userId)) ?? (await made(row, suspended))
      if (user.suspended !== suspended) await admin.setSuspended(userId, suspended)
      await tidyKeys(tx, user)
      await tx.query('update rgw_account set pending = false where user_id = $1 and pending', [userId])
      return work ? work({ row, user: { ...user, suspended }, tx }) : null
    })
  }

  const one: Settle['one'] = (userId, work) => limit(() => settle(userId, work))
  return {
    one,
    async all(userIds) {
      const outcomes = await Promise.allSettled(userIds.map((userId) => one(userId, () => Promise.resolve())))
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
    },
  }
}
