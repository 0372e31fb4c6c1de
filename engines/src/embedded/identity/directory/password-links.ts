import { createHash, randomBytes } from 'node:crypto'
import { PASSWORD_LINK_HOURS } from '@mainstay/contract/identity/password-links'
import { Problem } from '@mainstay/contract/core/problems'
import { refuseAboveOneself } from '@mainstay/contract/identity/user-rules'
import type { PasswordLinksPort, PasswordLinkOwner } from '../../../ports/directory'
import type { RecordsAndTables } from '../../../ports/engine'
import type { Sql } from '../../../ports/engines'
import { hashPassword, type PasswordCost } from '../passwords'
import { lockUser } from './rules'

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest()
const over = () =>
  new Problem('not_found', 'This link was used, was replaced by another, or has ended: ask for a new one')

export const passwordLinks = (sql: Sql, records: RecordsAndTables, cost: PasswordCost): PasswordLinksPort => {
  async function ownerOf(inside: Sql, token: string): Promise<PasswordLinkOwner> {
    const [owner] = await inside.query<PasswordLinkOwner>(
      `select u.id as user_id, u.name as user_name, d.name as domain_name, l.expires_at
        from identity_password_link l join identity_user u on u.id = l.user_id join identity_domain d on d.id = u.domain_id
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
        refuseAboveOneself(scope, user)
        if (user.identity_provider !== null)
          throw new Problem('unsupported', 'The identity provider keeps the password of this user; change it there')
        if (id === scope.user_id)
          throw new Problem('user_is_self', 'Change your own password in your account, with the current one')
        const token = randomBytes(32).toString('base64url')
        const [row] = await inside.query<{ expires_at: Date }>(
          `insert into identity_password_link (user_id, hash, expires_at) values ($1, $2, now() + make_interval(hours => $3))
            on conflict (user_id) do update set hash = excluded.hash, expires_at = excluded.expires_at
            returning expires_at`,
          [id, hashOf(token), PASSWORD_LINK_HOURS],
        )
        return { token, expires_at: row!.expires_at }
      }),

    open: (token) => ownerOf(sql, token),

    async use(token, password) {
      const { user_id } = await ownerOf(sql, token)
      const hash = await hashPassword(password, cost)
      // whose act it is, the sign-in that follows says
      return records.transaction(async (_, inside) => {
        const taken = await inside.query(
          'delete from identity_password_link where hash = $1 and expires_at > now() returning user_id',
          [hashOf(token)],
        )
        if (taken.length === 0) throw over()
        await inside.query('update identity_user set password = $2 where id = $1', [user_id, hash])
        return user_id
      })
    },
  }
}
