import { isOfDirectory } from './directory-source'
import type { Role, ScopeKind } from '../permissions'
import { fieldProblem, problem, type Problem } from '../core/problems'
import type { Rights } from './rights'
import { isBuiltIn, SERVICE_ACCOUNT, splitRoles } from './user-roles'

/** The caller who changes a user or a group. */
export interface Actor {
  kind: ScopeKind
  user_id: string
  roles: readonly Role[]
}

/** The user who is being changed. */
export interface ActedUpon {
  id: string
  roles: readonly Role[]
  roles_of_groups?: readonly Role[]
  identity_provider: string | null
}

/** Whether the scope may change users and groups with system permissions. */
export const isSystemAdministrator = ({ kind, roles }: Pick<Actor, 'kind' | 'roles'>): boolean =>
  kind === 'system' && roles.some((role) => role === 'admin' || role === 'superuser')

/**
 * Refuses changes to users and groups with system permissions unless the caller is a system administrator. Throws a
 * `forbidden` error.
 */
export function requireSystemAdministrator(
  actor: Pick<Actor, 'kind' | 'roles'>,
  { roles, roles_of_groups = [] }: Pick<ActedUpon, 'roles' | 'roles_of_groups'>,
  what: 'user' | 'group' | 'provider' = 'user',
): void {
  if (splitRoles([...roles, ...roles_of_groups]).system_permissions.length > 0 && !isSystemAdministrator(actor))
    throw problem('identity.needs_system_administrator', { kind: what })
}

/**
 * Refuses to delete or disable the built-in administrator or the caller. Throws a `builtin_admin_protected` or
 * `user_is_self` error.
 */
export function refuseLockOut(
  actor: Pick<Actor, 'user_id'>,
  user: Pick<ActedUpon, 'id' | 'roles'>,
  done: 'deleted' | 'disabled',
): void {
  if (isBuiltIn(splitRoles(user.roles))) throw problem('identity.builtin_administrator', { done })
  if (user.id === actor.user_id) throw problem('identity.not_yourself', { done })
}

/**
 * Refuses to change fields that an identity provider or a directory manages. Throws a `validation` error on that field.
 */
export function refuseFederated({ identity_provider }: Pick<ActedUpon, 'identity_provider'>, change: object): void {
  if (identity_provider === null) return
  const isKept = isOfDirectory({ identity_provider })
  for (const field of ['name', 'password', 'must_change_password', ...(isKept ? ['email'] : [])])
    if ((change as Record<string, unknown>)[field] !== undefined)
      throw fieldProblem(field, 'identity.kept_elsewhere', { keeper: isKept ? 'directory' : 'provider' })
}

/** Returns the error for adding a service account to a group. */
export const serviceInGroup = (name: string): Problem =>
  fieldProblem('uuids', 'identity.service_account_in_group', { name })

/**
 * Refuses a service account that has different roles in its projects or other permissions, so that its password or
 * token gives access only to what the program needs. Throws a `validation` error on the offending field.
 */
export function refuseMixedService(
  user: Rights & { groups: readonly unknown[]; identity_provider: string | null },
): void {
  const { system_permissions, domain_permissions, assigned_projects, groups, identity_provider } = user
  const isService = assigned_projects.map(({ role }) => role === SERVICE_ACCOUNT)
  if (!isService.includes(true)) return
  if (isService.includes(false)) throw fieldProblem('assigned_projects', 'identity.service_account_role')
  if (system_permissions.length > 0) throw fieldProblem('system_permissions', 'identity.service_account_permission')
  if (domain_permissions.length > 0) throw fieldProblem('domain_permissions', 'identity.service_account_permission')
  if (groups.length > 0) throw fieldProblem('assigned_projects', 'identity.service_account_group')
  if (identity_provider !== null) throw fieldProblem('assigned_projects', 'identity.service_account_federated')
}
