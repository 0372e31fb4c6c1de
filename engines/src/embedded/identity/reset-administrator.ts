import type { Sql } from '../../ports/engines'
import { hashPassword, makePassword, passwordCost, type PasswordCost } from './passwords'

/** Who was given a new password. `password` is the generated one, null when it was given; it is kept nowhere. */
export interface AdministratorReset {
  userId: string
  username: string
  password: string | null
}

/**
 * Gives the administrator of the first start a new password, and lets them in again where they or their domain were
 * disabled. Null where there is none yet.
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
