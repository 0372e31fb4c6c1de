import { randomUUID } from 'node:crypto'
import {
  mostGroups,
  mostGroupsOfUser,
  mostMembers,
  mostProjectsOfGroup,
  type Group,
  type GroupChange,
} from '@mainstay/contract/identity/groups'
import { notFound, fieldProblem, problem } from '@mainstay/contract/core/problems'
import { SERVICE_ACCOUNT, splitRoles } from '@mainstay/contract/identity/user-roles'
import type { Role } from '@mainstay/contract/permissions'
import { requireSystemAdministrator, serviceInGroup } from '@mainstay/contract/identity/user-rules'
import type { GroupsPort } from '../../../ports/directory'
import type { RecordsAndTables } from '../../../ports/engine'
import type { Sql } from '../../../ports/engines'
import type { Scope } from '../../../ports/scope'
import { folded } from './names'
import { lockDomain } from './domains'
import { refuseUnconfirmed } from './providers'
import { readRow, refreshRows } from './rows'
import { checkProjects, checkSystemPermissions, refuseDuplicate, rolesAfter, revokingEarlierAccess } from './rules'

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)

interface LockedGroup {
  roles: Role[]
  identity_provider: string | null
}

/**
 * Locks a group. Throws `not_found` if it is missing or in another domain, and refuses a group with more permissions
 * than the scope has.
 */
async function lockGroup(sql: Sql, scope: Scope, domainId: string, id: string): Promise<LockedGroup> {
  const [group] = await sql.query<LockedGroup>(
    'select roles, identity_provider from identity_group where id = $1 and domain_id = $2 for update',
    [id, domainId],
  )
  if (!group) throw notFound()
  requireSystemAdministrator(scope, group, 'group')
  return group
}

/** Throws if the group comes from an external directory, which manages its name and members. */
function refuseOfDirectory({ identity_provider }: LockedGroup, field: string): void {
  if (identity_provider !== null) throw fieldProblem(field, 'identity.group_of_directory')
}

const membersOf = async (sql: Sql, id: string): Promise<string[]> =>
  idsOf(await sql.query('select user_id as id from identity_group_member where group_id = $1', [id]))
const projectsOf = async (sql: Sql, id: string): Promise<string[]> =>
  idsOf(await sql.query('select project_id as id from identity_group_assignment where group_id = $1', [id]))

/** Locks users in the domain. Throws `not_found` if one is missing or in another domain. */
async function lockUsers(sql: Sql, domainId: string, userIds: readonly string[]): Promise<void> {
  const found = await sql.query(
    'select id from identity_user where id = any($1::text[]) and domain_id = $2 order by id for share',
    [userIds, domainId],
  )
  if (found.length < userIds.length) throw notFound()
}

/** Sets the group's roles in these projects. Returns the project IDs. */
async function assign(sql: Sql, id: string, assigned: NonNullable<GroupChange['assigned_projects']>) {
  for (const { project_id, role } of assigned)
    await (role === 'none'
      ? sql.query('delete from identity_group_assignment where group_id = $1 and project_id = $2', [id, project_id])
      : sql.query(
          `insert into identity_group_assignment (group_id, project_id, role) values ($1, $2, $3)
            on conflict (group_id, project_id) do update set role = $3`,
          [id, project_id, role],
        ))
  if ((await projectsOf(sql, id)).length > mostProjectsOfGroup)
    throw fieldProblem('assigned_projects', 'identity.too_many_projects_of_group', { most: mostProjectsOfGroup })
  return assigned.map((it) => it.project_id)
}

/** Throws a `validation` error if one of the users is a service account, which cannot be in groups. */
async function refuseServices(sql: Sql, userIds: readonly string[]): Promise<void> {
  const [service] = await sql.query<{ name: string }>(
    `select u.name from identity_assignment a join identity_user u on u.id = a.user_id
      where a.user_id = any($1::text[]) and a.role = $2 order by u.name limit 1`,
    [userIds, SERVICE_ACCOUNT],
  )
  if (service) throw serviceInGroup(service.name)
}

/** Throws a `validation` error if the group has too many members or one of the users is in too many groups. */
async function refuseTooMany(sql: Sql, id: string, userIds: readonly string[]): Promise<void> {
  if ((await membersOf(sql, id)).length > mostMembers)
    throw fieldProblem('uuids', 'identity.too_many_members', { most: mostMembers })
  const [above] = await sql.query<{ name: string }>(
    `select u.name from identity_user u where u.id = any($1::text[])
        and (select count(*) from identity_group_member m where m.user_id = u.id) > $2 order by u.name limit 1`,
    [userIds, mostGroupsOfUser],
  )
  if (above)
    throw fieldProblem('uuids', 'identity.too_many_groups_of_user', { most: mostGroupsOfUser, name: above.name })
}

export const groupCommands = ({ transaction }: RecordsAndTables): GroupsPort => ({
  create: (scope, domainId, { name, description, assigned_projects, ...permissions }) =>
    transaction(async (tx, sql) => {
      await lockDomain(sql, domainId, 'update')
      checkSystemPermissions(scope, domainId, [], permissions.system_permissions)
      await checkProjects(sql, scope, assigned_projects)
      const groups = await sql.query('select id from identity_group where domain_id = $1', [domainId])
      if (groups.length >= mostGroups) throw problem('identity.too_many_groups', { most: mostGroups })
      const id = randomUUID()
      await sql
        .query(
          `insert into identity_group (id, domain_id, name, folded_name, description, roles)
            values ($1, $2, $3, $4, $5, $6)`,
          [id, domainId, name, folded(name), description, rolesAfter([], permissions)],
        )
        .catch(refuseDuplicate('group'))
      await assign(sql, id, assigned_projects)
      await refreshRows(tx, sql, { group: [id] })
      return readRow<Group>(sql, 'group', id)
    }),

  update: (scope, domainId, id, { name, description, assigned_projects = [], ...permissions }) =>
    transaction(async (tx, sql) => {
      const group = await lockGroup(sql, scope, domainId, id)
      if (name !== undefined) refuseOfDirectory(group, 'name')
      const { system_permissions } = permissions
      if (system_permissions) {
        const before = splitRoles(group.roles).system_permissions
        checkSystemPermissions(scope, domainId, before, system_permissions)
        if (system_permissions.some((it) => !before.includes(it))) await refuseUnconfirmed(sql, id)
      }
      await checkProjects(sql, scope, assigned_projects)
      const members = await membersOf(sql, id)
      await revokingEarlierAccess(sql, members, () =>
        sql
          .query(
            `update identity_group set name = coalesce($2, name), folded_name = coalesce($3, folded_name),
              description = coalesce($4, description), roles = $5 where id = $1`,
            [
              ...[id, name ?? null, name === undefined ? null : folded(name), description ?? null],
              rolesAfter(group.roles, permissions),
            ],
          )
          .catch(refuseDuplicate('group')),
      )
      const project = await assign(sql, id, assigned_projects)
      await refreshRows(tx, sql, { group: [id], project, user: members })
      return readRow<Group>(sql, 'group', id)
    }),

  delete: (scope, domainId, id) =>
    transaction(async (tx, sql) => {
      await lockGroup(sql, scope, domainId, id)
      const [user, project] = [await membersOf(sql, id), await projectsOf(sql, id)]
      await sql.query('delete from identity_group where id = $1', [id])
      await refreshRows(tx, sql, { group: [id], project, user })
    }),

  addMembers: (scope, domainId, id, userIds) =>
    transaction(async (tx, sql) => {
      refuseOfDirectory(await lockGroup(sql, scope, domainId, id), 'uuids')
      const wanted = [...new Set(userIds)]
      await lockUsers(sql, domainId, wanted)
      await refuseServices(sql, wanted)
      await revokingEarlierAccess(sql, wanted, () =>
        sql.query(
          `insert into identity_group_member (group_id, user_id) select $1, unnest($2::text[]) on conflict do nothing`,
          [id, wanted],
        ),
      )
      await refuseTooMany(sql, id, wanted)
      await refreshRows(tx, sql, { group: [id], project: await projectsOf(sql, id), user: wanted })
      return readRow<Group>(sql, 'group', id)
    }),

  removeMembers: (scope, domainId, id, userIds) =>
    transaction(async (tx, sql) => {
      refuseOfDirectory(await lockGroup(sql, scope, domainId, id), 'uuids')
      const wanted = [...new Set(userIds)]
      await lockUsers(sql, domainId, wanted)
      await sql.query('delete from identity_group_member where group_id = $1 and user_id = any($2::text[])', [
        ...[id, wanted],
      ])
      await refreshRows(tx, sql, { group: [id], project: await projectsOf(sql, id), user: wanted })
    }),
})
