import type { GrantingRole } from '@mainstay/contract/identity/explanations'
import {
  BUILT_IN,
  domainPermissions,
  projectRoles,
  shownSystemPermissions,
} from '@mainstay/contract/identity/user-roles'
import type { User } from '@mainstay/contract/identity/users'
import type { Access } from '@mainstay/contract/core/endpoint'
import type { Role } from '@mainstay/contract/permissions'
import type { ProjectRecord, UserRecord } from '@mainstay/engines/ports/identity'
import { effectiveRolesInProject, effectiveRolesWithoutProject, grantsFor, type EffectiveRoles } from './scopes'
import { mayCall } from './signed-in'

/*
 * Determines which role lets a user in or allows a call. To do so, it evaluates the functions that decide on calls for
 * the user with only that role, without it, and with an additional role.
 */

/** A role as assigned: in a project, or for a whole domain or installation. */
export interface GivenRole {
  role: Role
  project_id: string | null
  /** The group that grants the role; null if it is assigned directly. */
  group: { id: string; name: string } | null
}

/**
 * All roles of a user. `row` is the user's row in the index, which includes groups. Without it, all roles are treated
 * as assigned directly.
 */
export function givenRoles(user: UserRecord, row: User | undefined): GivenRole[] {
  if (!row) return of({ roles: rolesOf(user), assigned_projects: user.assigned_projects }, null)
  const ofRights = ({
    system_permissions,
    domain_permissions,
    assigned_projects,
  }: Omit<User['groups'][number], 'id' | 'name'>) => ({
    roles: [...system_permissions, ...domain_permissions] as Role[],
    assigned_projects: assigned_projects as { project_id: string; role: Role }[],
  })
  return [
    ...of(ofRights(row), null),
    ...row.groups.flatMap((group) => of(ofRights(group), { id: group.id, name: group.name })),
  ]
}

const rolesOf = ({ roles, is_superuser }: UserRecord): Role[] => [
  ...new Set([...roles, ...(is_superuser ? [BUILT_IN] : [])]),
]
const of = (
  { roles, assigned_projects }: { roles: readonly Role[]; assigned_projects: UserRecord['assigned_projects'] },
  group: GivenRole['group'],
): GivenRole[] => [
  ...roles.map((role) => ({ role, project_id: null, group })),
  ...assigned_projects.map(({ role, project_id }) => ({ role, project_id, group })),
]

/** Where the call is made: in a project, or without one. */
export interface Place {
  project: ProjectRecord | null
  adminProjectId: string
}

/** The user with no roles other than these. */
const withOnly = (user: UserRecord, given: readonly GivenRole[]): UserRecord => ({
  ...user,
  is_superuser: given.some(({ role }) => role === BUILT_IN),
  roles: given.flatMap(({ role, project_id }) => (project_id === null ? [role] : [])),
  assigned_projects: given.flatMap(({ role, project_id }) => (project_id === null ? [] : [{ role, project_id }])),
})

const effectiveOf = (user: UserRecord, { project, adminProjectId }: Place): EffectiveRoles | null =>
  project ? effectiveRolesInProject(user, project) : effectiveRolesWithoutProject(user, adminProjectId)

/** Whether the call is allowed because of this role, given all the user's roles. */
export function grantsCall(
  user: UserRecord,
  all: readonly GivenRole[],
  one: GivenRole,
  where: { place: Place; needs: Access },
): boolean {
  const { place, needs } = where
  const whole = effectiveOf(user, place)
  if (!whole) return false
  // the same role may be assigned more than once, and each assignment counts
  const others = all.filter(({ role, project_id }) => role !== one.role || project_id !== one.project_id)
  const rolesWith = (given: readonly GivenRole[]) => effectiveOf(withOnly(user, given), place)?.roles ?? []
  // roles gained by adding this role to the user's other roles; whether it is the role that lets the user in is checked
  // separately
  const elsewhere = [...rolesWith(others), ...others.map(({ role }) => role)]
  const adds = [...rolesWith([one]), ...rolesWith([...others, one]).filter((role) => !elsewhere.includes(role))]
  return mayCall(grantsFor({ kind: whole.kind, roles: adds }), needs)
}

/** Roles that would each allow the call if the user had them here. */
export function rolesThatWouldAllow(user: UserRecord, place: Place, needs: Access): GrantingRole[] {
  const { project } = place
  const candidates: (GrantingRole & { role: Role })[] = [
    ...(project ? projectRoles.map((role) => ({ role, given_in: 'project' as const })) : []),
    ...domainPermissions.map((role) => ({ role, given_in: 'domain' as const })),
    // only users in the default domain can have these roles
    ...(user.domain_id === 'default'
      ? shownSystemPermissions.map((role) => ({ role, given_in: 'system' as const }))
      : []),
  ]
  return candidates.filter(({ role, given_in }) => {
    const given =
      given_in === 'project'
        ? { ...user, assigned_projects: [...user.assigned_projects, { project_id: project!.id, role }] }
        : { ...user, roles: [...user.roles, role] }
    const effective = effectiveOf(given, place)
    return effective !== null && mayCall(grantsFor(effective), needs)
  })
}
