import { isOfDirectory } from './directory-source'
import type { Role, ScopeKind } from '../permissions'
import { fieldProblem, problem, type Problem } from '../core/problems'
import type { Rights } from './rights'
import { isBuiltIn, SERVICE_ACCOUNT, splitRoles } from './user-roles'

/** Who does something to a user or a group. */
export interface Actor {
  kind: ScopeKind
  user_id: string
  roles: readonly Role[]
}

/** A user to whom something is done. */
export interface ActedUpon {
  id: string
  roles: readonly Role[]
  roles_of_groups?: readonly Role[]
  identity_provider: string | null
}

/** Whether the scope may change who administers the installation. */
export const isSystemAdministrator = ({ kind, roles }: Pick<Actor, 'kind' | 'roles'>): boolean =>
  kind === 'system' && roles.some((role) => role === 'admin' || role === 'superuser')

/** Only a system administrator changes or deletes who may act in the whole installation. Throws `forbidden`. */
export function requireSystemAdministrator(
  actor: Pick<Actor, 'kind' | 'roles'>,
  { roles, roles_of_groups = [] }: Pick<ActedUpon, 'roles' | 'roles_of_groups'>,
  what: 'user' | 'group' | 'provider' = 'user',
): void {
  if (splitRoles([...roles, ...roles_of_groups]).system_permissions.length > 0 && !isSystemAdministrator(actor))
    throw problem('identity.needs_system_administrator', { kind: what })
}

/**
 * What nobody does to the first administrator, nor to themselves. Throws
 * `builtin_admin_protected`, `user_is_self`.
 */
export function refuseLockOut(
  actor: Pick<Actor, 'user_id'>,
  user: Pick<ActedUpon, 'id' | 'roles'>,
  done: 'deleted' | 'disabled',
): void {
  if (isBuiltIn(splitRoles(user.roles))) throw problem('identity.builtin_administrator', { done })
  if (user.id === actor.user_id) throw problem('identity.not_yourself', { done })
}

/** What is kept elsewhere cannot be changed here. Throws `validation` with the field. */
export function refuseFederated({ identity_provider }: Pick<ActedUpon, 'identity_provider'>, change: object): void {
  if (identity_provider === null) return
  const isKept = isOfDirectory({ identity_provider })
  for (const field of ['name', 'password', 'must_change_password', ...(isKept ? ['email'] : [])])
    if ((change as Record<string, unknown>)[field] !== undefined)
      throw fieldProblem(field, 'identity.kept_elsewhere', { keeper: isKept ? 'directory' : 'provider' })
}

/** What is said where a service account is to be a member of a group. */
export const serviceInGroup = (name: string): Problem =>
  fieldProblem('uuids', 'identity.service_account_in_group', { name })

/**
 * A service account is one in each of its projects and has nothing beside it, so that its password or token opens what was meant for
 * the program alone. Throws `validation` with the field that says otherwise.
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
