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
 * Which role it is that lets a user in, or allows a call: found by asking the same functions that decide on calls about a
 * user who has that role alone, or all but that one, or one more.
 */

/** A role as it was given: in a project, or for all of a domain or of the installation. */
export interface GivenRole {
  role: Role
  project_id: string | null
  /** The group that gives it; null for one of the user's own. */
  group: { id: string; name: string } | null
}

/** All that was given to a user. `row`: as the index has it, with its groups; without one all roles are their own. */
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

/** Where it is asked: in a project, or without one. */
export interface Place {
  project: ProjectRecord | null
  adminProjectId: string
}

/** The user as if these roles were all. */
const withOnly = (user: UserRecord, given: readonly GivenRole[]): UserRecord => ({
  ...user,
  is_superuser: given.some(({ role }) => role === BUILT_IN),
  roles: given.flatMap(({ role, project_id }) => (project_id === null ? [role] : [])),
  assigned_projects: given.flatMap(({ role, project_id }) => (project_id === null ? [] : [{ role, project_id }])),
})

const effectiveOf = (user: UserRecord, { project, adminProjectId }: Place): EffectiveRoles | null =>
  project ? effectiveRolesInProject(user, project) : effectiveRolesWithoutProject(user, adminProjectId)

/** Whether a role is what allows the call, among all that the user was given. */
export function grantsCall(
  user: UserRecord,
  all: readonly GivenRole[],
  one: GivenRole,
  where: { place: Place; needs: Access },
): boolean {
  const { place, needs } = where
  const whole = effectiveOf(user, place)
  if (!whole) return false
  // the same role may be given twice, and each time it is what allows
  const others = all.filter(({ role, project_id }) => role !== one.role || project_id !== one.project_id)
  const rolesWith = (given: readonly GivenRole[]) => effectiveOf(withOnly(user, given), place)?.roles ?? []
  // what it does beside the others; that it lets them count at all is told by the check of the way in
  const elsewhere = [...rolesWith(others), ...others.map(({ role }) => role)]
  const adds = [...rolesWith([one]), ...rolesWith([...others, one]).filter((role) => !elsewhere.includes(role))]
  return mayCall(grantsFor({ kind: whole.kind, roles: adds }), needs)
}

/** Roles of which each would allow the call, if the user were given it where the call is made. */
export function rolesThatWouldAllow(user: UserRecord, place: Place, needs: Access): GrantingRole[] {
  const { project } = place
  const candidates: (GrantingRole & { role: Role })[] = [
    ...(project ? projectRoles.map((role) => ({ role, given_in: 'project' as const })) : []),
    ...domainPermissions.map((role) => ({ role, given_in: 'domain' as const })),
    // users of the default domain alone are given these
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
