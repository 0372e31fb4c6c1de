import type { Sql } from '../../ports/engines'
import { hashPassword, makePassword, passwordCost, type PasswordCost } from './passwords'

/**
 * The user whose password was reset. `password` is the generated password, or null if the caller supplied one. It is
 * not stored.
 */
export interface AdministratorReset {
  userId: string
  username: string
  password: string | null
}

/**
 * Resets the password of the administrator created on the first start, and enables that user and their domain again.
 * Returns null if the user does not exist.
 */
export function resetAdministrator(
  sql: Sql,
  given: string | null,
  cost: PasswordCost = passwordCost,
): Promise<AdministratorReset | null> {
  return sql.transaction(async (inside) => {
    const password = given ?? makePassword()
    const [user] = await inside.query<{ id: string; name: string }>(
      `update identity_user set password = $1, enabled = true, is_superuser = true, must_change_password = false
        where domain_id = 'default' and name = 'admin' and identity_provider is null returning id, name`,
      [await hashPassword(password, cost)],
    )
    if (!user) return null
    await inside.query("update identity_domain set enabled = true where id = 'default'")
    return { userId: user.id, username: user.name, password: given === null ? password : null }
  })
}
