import type { Sql } from '@mainstay/engines/ports/engines'

/**
 * What somebody else can have left in an account to enter it later: whoever created it, or had its password before. A password that its
 * owner chooses, and a first system permission, make an account worth more than it was when these were made.
 */
export interface AccountLockout {
  /**
   * Ends all sessions and tokens of a user whose owner has chosen a password, and removes passkeys, second factors and S3 keys. `change`
   * gives the password. S3 keys are removed before it as well: if the object storage cannot be reached, nothing is changed.
   */
  closeForOwner<Result>(user: Owner, change: () => Promise<Result>): Promise<Result>
  /** Ends sessions and tokens of users who have got their first system permission, and removes their passkeys. */
  closeForRights(userIds: readonly string[]): Promise<void>
}

interface Owner {
  id: string
  domain_id: string
}

export function createWaysIn(options: {
  sql: Sql
  /** Ends every session of users. */
  endOf: (...userIds: string[]) => Promise<void>
  removeKeys: (user: Owner) => Promise<void>
}): AccountLockout {
  const { sql, endOf, removeKeys } = options
  // the line of these acts is that of the change
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
