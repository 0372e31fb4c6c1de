import { grantsOf, systemRoles, type Grants, type Role, type ScopeKind } from '@mainstay/contract/permissions'
import type { ProjectRecord, UserRecord } from '@mainstay/engines/ports/identity'

/** Where a token acts and with which roles; the request's id makes it a `Scope`. */
export interface EffectiveRoles {
  kind: ScopeKind
  domain_id: string
  project_id: string | null
  roles: readonly Role[]
}

const administrators: readonly Role[] = ['admin', 'superuser', 'system_admin']
const actingEverywhere: readonly string[] = [...administrators, 'viewer', ...systemRoles]
const flags: readonly Role[] = ['image_upload', 'quota_manager']

const unique = (roles: readonly Role[]): Role[] => [...new Set(roles)]

/** Roles that hold everywhere, `superuser` among them where the user is one. */
const globalRoles = (user: UserRecord): Role[] =>
  unique([...user.roles, ...(user.is_superuser ? ['superuser' as const] : [])])

export const isSystemAdministrator = (user: UserRecord): boolean =>
  globalRoles(user).some((role) => administrators.includes(role))

/** The user without system permissions, where these do not count. Rights in the own domain and in projects stay. */
export const withoutSystemRoles = (user: UserRecord): UserRecord => ({
  ...user,
  is_superuser: false,
  roles: user.roles.filter((role) => !actingEverywhere.includes(role)),
})

/** An account for programs only: it has a service role somewhere and no other role anywhere. */
export function isServiceAccount(user: UserRecord): boolean {
  const roles = [...globalRoles(user), ...user.assigned_projects.map((it) => it.role)]
  return roles.length > 0 && roles.every((role) => role === 'service_account')
}

/**
 * Roles of a user inside one project; none when the user may not enter it. What follows from roles outside of it:
 * a domain's administrator acts in every project of the domain; a system administrator in every project, and the
 * operator of compute in every project, as if administrators of it (decision 0004).
 */
export function rolesInProject(user: UserRecord, project: ProjectRecord): Role[] {
  const everywhere = globalRoles(user)
  const assigned = user.assigned_projects.filter((it) => it.project_id === project.id).map((it) => it.role)
  const atHome = project.domain_id === user.domain_id
  const domainAdmin = atHome && !project.is_reserved && everywhere.includes('domain_admin')
  const operates = isSystemAdministrator(user) || everywhere.includes('compute')
  if (assigned.length === 0 && !domainAdmin && !operates) return []
  return unique([
    ...assigned,
    ...(domainAdmin ? (['domain_admin'] as const) : []),
    ...(operates ? (['project_admin', 'image_upload', 'quota_manager'] as const) : []),
    // a flag widens what its holder does at home, it opens no other domain
    ...flags.filter((flag) => atHome && everywhere.includes(flag)),
  ])
}

/** What the unscoped token stands for (decision 0003). `adminProjectId`: where a system scope makes things. */
export function effectiveRolesWithoutProject(user: UserRecord, adminProjectId: string): EffectiveRoles {
  const roles = globalRoles(user)
  if (roles.some((role) => actingEverywhere.includes(role)))
    return { kind: 'system', domain_id: user.domain_id, project_id: adminProjectId, roles }
  if (roles.includes('domain_admin')) return { kind: 'domain', domain_id: user.domain_id, project_id: null, roles }
  // roles in projects say nothing here but that the own account may be changed
  const all = unique([...roles, ...user.assigned_projects.map((it) => it.role)])
  return { kind: 'none', domain_id: user.domain_id, project_id: null, roles: all }
}

/** What a project's token stands for; null when the user may not enter the project, or no longer. */
export function effectiveRolesInProject(user: UserRecord, project: ProjectRecord): EffectiveRoles | null {
  const roles = rolesInProject(user, project)
  return roles.length === 0 ? null : { kind: 'project', domain_id: project.domain_id, project_id: project.id, roles }
}

const known = new Map<string, Grants>()

/** Grants by roles and kind of scope. There are few combinations, and each call asks. */
export function grantsFor({ roles, kind }: Pick<EffectiveRoles, 'roles' | 'kind'>): Grants {
  const key = `${kind}:${roles.toSorted().join(',')}`
  const grants = known.get(key) ?? grantsOf(roles, kind)
  known.set(key, grants)
  return grants
}
