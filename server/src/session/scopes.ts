import { grantsOf, systemRoles, type Grants, type Role, type ScopeKind } from '@mainstay/contract/permissions'
import type { ProjectRecord, UserRecord } from '@mainstay/engines/ports/identity'

/** The scope and roles of a token. Becomes a `Scope` when a request ID is added. */
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

/** Roles that apply everywhere, including `superuser` for superusers. */
const globalRoles = (user: UserRecord): Role[] =>
  unique([...user.roles, ...(user.is_superuser ? ['superuser' as const] : [])])

export const isSystemAdministrator = (user: UserRecord): boolean =>
  globalRoles(user).some((role) => administrators.includes(role))

/** The user without system permissions. Rights in their own domain and in projects are kept. */
export const withoutSystemRoles = (user: UserRecord): UserRecord => ({
  ...user,
  is_superuser: false,
  roles: user.roles.filter((role) => !actingEverywhere.includes(role)),
})

/** Whether only programs may use the account: it has a service role and no other role. */
export function isServiceAccount(user: UserRecord): boolean {
  const roles = [...globalRoles(user), ...user.assigned_projects.map((it) => it.role)]
  return roles.length > 0 && roles.every((role) => role === 'service_account')
}

/**
 * A user's roles in a project; empty if the user may not enter it. Includes inherited roles: domain administrators act
 * as administrators in every project of their domain; system administrators and compute operators do so in every
 * project (decision 0004).
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
    // feature flags extend rights only within the user's own domain
    ...flags.filter((flag) => atHome && everywhere.includes(flag)),
  ])
}

/**
 * The scope and roles of an unscoped token (decision 0003). `adminProjectId` is the project in which a system scope
 * creates resources.
 */
export function effectiveRolesWithoutProject(user: UserRecord, adminProjectId: string): EffectiveRoles {
  const roles = globalRoles(user)
  if (roles.some((role) => actingEverywhere.includes(role)))
    return { kind: 'system', domain_id: user.domain_id, project_id: adminProjectId, roles }
  if (roles.includes('domain_admin')) return { kind: 'domain', domain_id: user.domain_id, project_id: null, roles }
  // without a project, project roles only allow users to change their own account
  const all = unique([...roles, ...user.assigned_projects.map((it) => it.role)])
  return { kind: 'none', domain_id: user.domain_id, project_id: null, roles: all }
}

/** The scope and roles of a project token; null if the user may not, or may no longer, enter the project. */
export function effectiveRolesInProject(user: UserRecord, project: ProjectRecord): EffectiveRoles | null {
  const roles = rolesInProject(user, project)
  return roles.length === 0 ? null : { kind: 'project', domain_id: project.domain_id, project_id: project.id, roles }
}

const known = new Map<string, Grants>()

/** Grants for roles in a kind of scope. Cached, because every call needs them and there are few combinations. */
export function grantsFor({ roles, kind }: Pick<EffectiveRoles, 'roles' | 'kind'>): Grants {
  const key = `${kind}:${roles.toSorted().join(',')}`
  const grants = known.get(key) ?? grantsOf(roles, kind)
  known.set(key, grants)
  return grants
}
