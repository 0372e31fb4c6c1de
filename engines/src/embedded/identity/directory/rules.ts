import { notFound, fieldProblem } from '@mainstay/contract/core/problems'
import {
  BUILT_IN,
  splitRoles,
  type DomainPermission,
  type SystemPermission,
} from '@mainstay/contract/identity/user-roles'
import type { Role } from '@mainstay/contract/permissions'
import type { Sql } from '../../../ports/engines'
import type { Scope } from '../../../ports/scope'

export { checkSystemPermissions } from '../../../ports/directory-rules'

/** A user, locked until the transaction ends. */
export interface LockedUser {
  id: string
  name: string
  roles: Role[]
  /** Roles granted through the user's groups. */
  roles_of_groups: Role[]
  identity_provider: string | null
}

/** Locks a user. Throws `not_found` if the user is missing or in another domain. */
export async function lockUser(sql: Sql, domainId: string, id: string): Promise<LockedUser> {
  const [user] = await sql.query<LockedUser & { is_superuser: boolean }>(
    `select id, name, roles, is_superuser, identity_provider,
        array(select unnest(g.roles) from identity_group_member m join identity_group g on g.id = m.group_id
          where m.user_id = u.id) as roles_of_groups
      from identity_user u where id = $1 and domain_id = $2 for update`,
    [id, domainId],
  )
  if (!user) throw notFound()
  const { is_superuser, ...rest } = user
  return { ...rest, roles: is_superuser ? [...new Set<Role>([...user.roles, BUILT_IN])] : user.roles }
}

/** Deletes both kinds of password links for these users. */
export async function removeLinks(sql: Sql, userIds: readonly string[]): Promise<void> {
  for (const table of ['identity_password_link', 'identity_reset_link'])
    await sql.query(`delete from ${table} where user_id = any($1::text[])`, [userIds])
}

/** Returns the users who currently have no system permission, neither directly nor through a group. */
async function withoutSystemPermissions(sql: Sql, userIds: readonly string[]): Promise<string[]> {
  const rows = await sql.query<{ id: string; is_superuser: boolean; roles: Role[] }>(
    `select u.id, u.is_superuser, u.roles || array(select unnest(g.roles) from identity_group_member m
          join identity_group g on g.id = m.group_id where m.user_id = u.id) as roles
      from identity_user u where u.id = any($1::text[])`,
    [userIds],
  )
  return rows
    .filter(({ is_superuser, roles }) => !is_superuser && splitRoles(roles).system_permissions.length === 0)
    .map(({ id }) => id)
}

/**
 * Runs a change to permissions. If it gives a user their first system permission, also revokes that user's sessions,
 * tokens, passkeys and password links in the same transaction, because someone else may have obtained these while the
 * account had fewer permissions.
 */
export async function revokingEarlierAccess<Result>(
  sql: Sql,
  userIds: readonly string[],
  change: () => Promise<Result>,
): Promise<Result> {
  const before = await withoutSystemPermissions(sql, userIds)
  const result = await change()
  const after = await withoutSystemPermissions(sql, before)
  const promoted = before.filter((id) => !after.includes(id))
  await removeLinks(sql, promoted)
  await sql.query('select close_ways_in($1::text[])', [promoted])
  return result
}

/** Returns the roles after changing the two permission lists. Other roles are kept. */
export function rolesAfter(
  roles: readonly Role[],
  change: { system_permissions?: SystemPermission[] | undefined; domain_permissions?: DomainPermission[] | undefined },
): Role[] {
  const { system_permissions: system, domain_permissions: domain } = splitRoles(roles)
  const others = roles.filter((role) => ![...system, ...domain].some((it) => it === role))
  return [...(change.system_permissions ?? system), ...(change.domain_permissions ?? domain), ...others]
}

/**
 * Locks the projects, so that none is deleted concurrently. Throws a `validation` error on the field of the first
 * project that does not exist or is in a domain outside the scope.
 */
export async function checkProjects(
  sql: Sql,
  scope: Scope,
  assigned: readonly { project_id: string }[],
): Promise<void> {
  if (assigned.length === 0) return
  const found = await sql.query<{ id: string; domain_id: string }>(
    'select id, domain_id from identity_project where id = any($1::text[]) and reserved_for is null for share',
    [assigned.map((it) => it.project_id)],
  )
  const isKnown = (id: string) =>
    found.some((it) => it.id === id && (scope.kind === 'system' || it.domain_id === scope.domain_id))
  const at = assigned.findIndex((it) => !isKnown(it.project_id))
  if (at >= 0) throw fieldProblem(`assigned_projects.${at}.project_id`, 'identity.no_such_project')
}

/** Converts a unique violation in the database to a `duplicate_name` error on the `name` field. */
export const refuseDuplicate =
  (what: string) =>
  (error: unknown): never => {
    if ((error as { code?: string }).code !== '23505') throw error
    throw fieldProblem('name', 'identity.name_taken', { kind: what }, { cause: error })
  }
