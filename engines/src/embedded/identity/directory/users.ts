import { randomUUID } from 'node:crypto'
import { fieldProblem } from '@mainstay/contract/core/problems'
import { BUILT_IN, splitRoles } from '@mainstay/contract/identity/user-roles'
import {
  requireSystemAdministrator,
  refuseFederated,
  refuseLockOut,
  refuseMixedService,
} from '@mainstay/contract/identity/user-rules'
import type { User, UserChange } from '@mainstay/contract/identity/users'
import type { UsersPort } from '../../../ports/directory'
import type { RecordsAndTables } from '../../../ports/engine'
import type { Sql } from '../../../ports/engines'
import { hashPassword, type PasswordCost } from '../passwords'
import { lockDomain } from './domains'
import { membershipsOf, readRow, refreshRows } from './rows'
import {
  checkProjects,
  checkSystemPermissions,
  lockUser,
  refuseDuplicate,
  rolesAfter,
  revokingEarlierAccess,
} from './rules'

/** Sets the user's roles in these projects. Returns the project IDs. */
async function assign(sql: Sql, userId: string, assigned: NonNullable<UserChange['assigned_projects']>) {
  for (const { project_id, role } of assigned) {
    await sql.query('delete from identity_assignment where user_id = $1 and project_id = $2', [userId, project_id])
    if (role !== 'none')
      await sql.query('insert into identity_assignment (user_id, project_id, role) values ($1, $2, $3)', [
        ...[userId, project_id, role],
      ])
  }
  return assigned.map((it) => it.project_id)
}

/**
 * Reads the user from the tables at the end of a command that changed permissions. Throws a `validation` error if a
 * service account is also in a group or has other permissions.
 */
async function changed(sql: Sql, id: string): Promise<User> {
  const user = await readRow<User>(sql, 'user', id)
  refuseMixedService(user)
  return user
}

export const userCommands = ({ transaction }: RecordsAndTables, cost: PasswordCost): UsersPort => ({
  async create(scope, domainId, draft) {
    const { name, email, description, enabled, system_permissions, domain_permissions, assigned_projects } = draft
    // no password matches the empty hash
    const password = draft.password === undefined ? '' : await hashPassword(draft.password, cost)
    const mustChange = draft.must_change_password && draft.password !== undefined
    return transaction(async (tx, sql) => {
      await lockDomain(sql, domainId, 'share')
      checkSystemPermissions(scope, domainId, [], system_permissions)
      await checkProjects(sql, scope, assigned_projects)
      const id = randomUUID()
      await sql
        .query(
          `insert into identity_user (id, domain_id, name, email, description, enabled, roles, password, must_change_password)
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
          [
            ...[id, domainId, name, email, description, enabled],
            ...[[...system_permissions, ...domain_permissions], password, mustChange],
          ],
        )
        .catch(refuseDuplicate('user'))
      const projects = await assign(sql, id, assigned_projects)
      await refreshRows(tx, sql, { user: [id], domain: [domainId], project: projects })
      return changed(sql, id)
    })
  },

  async update(scope, domainId, id, change) {
    const { name, email, description, enabled, system_permissions, assigned_projects = [] } = change
    const password = change.password === undefined ? null : await hashPassword(change.password, cost)
    return transaction(async (tx, sql) => {
      const user = await lockUser(sql, domainId, id)
      requireSystemAdministrator(scope, user)
      refuseFederated(user, change)
      if (enabled === false) refuseLockOut(scope, user, 'disabled')
      for (const field of ['password', 'must_change_password'] as const)
        if (change[field] !== undefined && id === scope.user_id) throw fieldProblem(field, 'identity.own_password')
      const before = splitRoles(user.roles).system_permissions
      if (system_permissions) checkSystemPermissions(scope, domainId, before, system_permissions)
      await checkProjects(sql, scope, assigned_projects)
      const roles = rolesAfter(user.roles, change)
      await revokingEarlierAccess(sql, [id], () =>
        sql
          .query(
            `update identity_user set name = coalesce($2, name), email = case when $3 then $4 else email end,
              description = coalesce($5, description), enabled = coalesce($6, enabled),
              roles = $7, is_superuser = $8, password = coalesce($9, password),
              must_change_password = case when $10::boolean is not null then $10 when $9::text is not null then false
                else must_change_password end
            where id = $1`,
            [
              ...[id, name ?? null, email !== undefined, email ?? null, description ?? null, enabled ?? null],
              ...[roles, roles.includes(BUILT_IN), password, change.must_change_password ?? null],
            ],
          )
          .catch(refuseDuplicate('user')),
      )
      const projects = await assign(sql, id, assigned_projects)
      await refreshRows(tx, sql, { user: [id], project: projects })
      return changed(sql, id)
    })
  },

  delete: (scope, domainId, id) =>
    transaction(async (tx, sql) => {
      const user = await lockUser(sql, domainId, id)
      refuseLockOut(scope, user, 'deleted')
      requireSystemAdministrator(scope, user)
      const left = await membershipsOf(sql, [id])
      await sql.query('delete from identity_user where id = $1', [id])
      await refreshRows(tx, sql, { user: [id], domain: [domainId], ...left })
    }),
})
