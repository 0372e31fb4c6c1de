import { createHash, randomBytes } from 'node:crypto'
import { PASSWORD_LINK_HOURS, RESET_LINK_MINUTES } from '@mainstay/contract/identity/password-links'
import { problem } from '@mainstay/contract/core/problems'
import { SERVICE_ACCOUNT } from '@mainstay/contract/identity/user-roles'
import { requireSystemAdministrator } from '@mainstay/contract/identity/user-rules'
import type { User } from '@mainstay/contract/identity/users'
import type { PasswordLinksPort, PasswordLinkOwner } from '../../../ports/directory'
import type { RecordsAndTables } from '../../../ports/engine'
import type { Sql } from '../../../ports/engines'
import { hashPassword, type PasswordCost } from '../passwords'
import { readRow, refreshRows } from './rows'
import { lockUser, removeLinks } from './rules'

/** Minimum interval between two reset emails to the same user, in minutes. Prevents flooding a mailbox. */
const FORGOTTEN_EVERY_MINUTES = 10

/** Both kinds of links as one relation. */
const links = `(select user_id, hash, expires_at, false as is_mailed_reset from identity_password_link
  union all select user_id, hash, expires_at, true from identity_reset_link)`

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest()
const over = () => problem('identity.link_used')

export const passwordLinks = (sql: Sql, records: RecordsAndTables, cost: PasswordCost): PasswordLinksPort => {
  async function ownerOf(inside: Sql, token: string): Promise<PasswordLinkOwner> {
    const [owner] = await inside.query<PasswordLinkOwner>(
      `select u.id as user_id, u.name as user_name, d.name as domain_name, l.expires_at, l.is_mailed_reset
        from ${links} l join identity_user u on u.id = l.user_id join identity_domain d on d.id = u.domain_id
        where l.hash = $1 and l.expires_at > now() and u.identity_provider is null`,
      [hashOf(token)],
    )
    if (!owner) throw over()
    return owner
  }

  return {
    create: (scope, domainId, id) =>
      records.transaction(async (_, inside) => {
        const user = await lockUser(inside, domainId, id)
        requireSystemAdministrator(scope, user)
        if (user.identity_provider !== null) throw problem('identity.password_of_users_provider')
        const { role } = await readRow<User>(inside, 'user', id)
        if (role === SERVICE_ACCOUNT) throw problem('identity.link_for_service_account')
        if (id === scope.user_id) throw problem('identity.own_password_in_account')
        const token = randomBytes(32).toString('base64url')
        const [row] = await inside.query<{ expires_at: Date }>(
          `insert into identity_password_link (user_id, hash, expires_at) values ($1, $2, now() + make_interval(hours => $3))
            on conflict (user_id) do update set hash = excluded.hash, expires_at = excluded.expires_at
            returning expires_at`,
          [id, hashOf(token), PASSWORD_LINK_HOURS],
        )
        return { token, expires_at: row!.expires_at }
      }),

    forgotten: (username, domainName) =>
      sql.transaction(async (inside) => {
        const [user] = await inside.query<{ id: string; email: string }>(
          `select u.id, u.email from identity_user u join identity_domain d on d.id = u.domain_id
            where u.name = $1 and d.name = $2 and u.enabled and d.enabled and u.identity_provider is null and u.email <> ''
              and not exists (select from identity_assignment a where a.user_id = u.id and a.role = $3)`,
          [username, domainName, SERVICE_ACCOUNT],
        )
        if (!user) return null
        const token = randomBytes(32).toString('base64url')
        const made = await inside.query(
          `insert into identity_reset_link as known (user_id, hash, made_at, expires_at)
            values ($1, $2, now(), now() + make_interval(mins => $3))
            on conflict (user_id) do update set hash = excluded.hash, made_at = excluded.made_at, expires_at = excluded.expires_at
              where known.made_at < now() - make_interval(mins => $4)
            returning user_id`,
          [user.id, hashOf(token), RESET_LINK_MINUTES, FORGOTTEN_EVERY_MINUTES],
        )
        return made.length === 0 ? null : { token, email: user.email }
      }),

    open: (token) => ownerOf(sql, token),

    async use(token, password) {
      const { user_id } = await ownerOf(sql, token)
      const hash = await hashPassword(password, cost)
      // no user is signed in at this point; the sign-in that follows identifies the user
      return records.transaction(async (tx, inside) => {
        // lock the user, so that only one of two concurrent calls finds the link
        await inside.query('select from identity_user where id = $1 for update', [user_id])
        const found = await inside.query(`select from ${links} l where l.hash = $1 and l.expires_at > now()`, [
          hashOf(token),
        ])
        if (found.length === 0) throw over()
        // this also invalidates the user's other link
        await removeLinks(inside, [user_id])
        await inside.query('update identity_user set password = $2, must_change_password = false where id = $1', [
          user_id,
          hash,
        ])
        await refreshRows(tx, inside, { user: [user_id] })
        return user_id
      })
    },
  }
}
