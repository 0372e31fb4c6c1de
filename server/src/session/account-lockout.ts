import type { Sql } from '@mainstay/engines/ports/engines'

/**
 * Removes credentials that would let someone else into an account: its creator, or anyone who knew an earlier password.
 * Done when the owner chooses a password and when the user receives their first system permission, because either makes
 * the account more valuable.
 */
export interface AccountLockout {
  /**
   * Ends all sessions and tokens of a user who has chosen their own password, and removes their passkeys, second
   * factors and S3 keys. `change` sets the password. S3 keys are removed both before and after it: if object storage is
   * unreachable, nothing is changed.
   */
  closeForOwner<Result>(user: Owner, change: () => Promise<Result>): Promise<Result>
  /** Ends sessions and tokens of users who received their first system permission, and removes their passkeys. */
  closeForRights(userIds: readonly string[]): Promise<void>
}

interface Owner {
  id: string
  domain_id: string
}

export function createWaysIn(options: {
  sql: Sql
  /** Ends all sessions of these users. */
  endOf: (...userIds: string[]) => Promise<void>
  removeKeys: (user: Owner) => Promise<void>
}): AccountLockout {
  const { sql, endOf, removeKeys } = options
  // the audit entry for the change covers this
  const remove = (tables: readonly string[], userIds: readonly string[]) =>
    sql.transaction(async (inside) => {
      for (const table of tables) await inside.query(`delete from ${table} where user_id = any($1::text[])`, [userIds])
    })

  return {
    async closeForOwner(user, change) {
      await removeKeys(user)
      const result = await change()
      await endOf(user.id)
      await remove(['passkey', 'passkey_challenge', 'second_factor'], [user.id])
      await removeKeys(user)
      return result
    },
    async closeForRights(userIds) {
      if (userIds.length === 0) return
      await endOf(...userIds)
      await remove(['passkey', 'passkey_challenge'], userIds)
    },
  }
}
