import { isOfDirectory } from './directory-source'
import type { Role, ScopeKind } from '../permissions'
import { badField, Problem } from '../core/problems'
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
export function refuseAboveOneself(
  actor: Pick<Actor, 'kind' | 'roles'>,
  { roles, roles_of_groups = [] }: Pick<ActedUpon, 'roles' | 'roles_of_groups'>,
  what: 'user' | 'group' | 'provider' = 'user',
): void {
  if (splitRoles([...roles, ...roles_of_groups]).system_permissions.length > 0 && !isSystemAdministrator(actor))
    throw new Problem('forbidden', `Only a system administrator changes a ${what} with system permissions`)
}

/**
 * What nobody does to the first administrator, nor to themselves. `done`: `deleted`, `disabled`. Throws
 * `builtin_admin_protected`, `user_is_self`.
 */
export function refuseLockOut(
  actor: Pick<Actor, 'user_id'>,
  user: Pick<ActedUpon, 'id' | 'roles'>,
  done: string,
): void {
  if (isBuiltIn(splitRoles(user.roles)))
    throw new Problem('builtin_admin_protected', `The built-in administrator cannot be ${done}`)
  if (user.id === actor.user_id) throw new Problem('user_is_self', `You cannot be ${done} by yourself`)
}

/** What is kept elsewhere cannot be changed here. Throws `validation` with the field. */
export function refuseFederated({ identity_provider }: Pick<ActedUpon, 'identity_provider'>, change: object): void {
  if (identity_provider === null) return
  const isKept = isOfDirectory({ identity_provider })
  const keeper = isKept ? 'The directory' : 'The identity provider'
  for (const field of ['name', 'password', 'must_change_password', ...(isKept ? ['email'] : [])])
    if ((change as Record<string, unknown>)[field] !== undefined)
      throw badField(field, `${keeper} keeps this; change it there`)
}

/** What is said where a service account is to be a member of a group. */
export const serviceInGroup = (name: string): Problem =>
  badField('uuids', `${name} is a service account, and gets no rights by a group`)

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
  if (isService.includes(false))
    throw badField('assigned_projects', 'A service account is one in all its projects: it has no other role in any')
  if (system_permissions.length > 0)
    throw badField('system_permissions', 'A service account has no permission beside its projects')
  if (domain_permissions.length > 0)
    throw badField('domain_permissions', 'A service account has no permission beside its projects')
  if (groups.length > 0) throw badField('assigned_projects', 'A service account is in no group')
  if (identity_provider !== null)
    throw badField('assigned_projects', 'Whoever signs in elsewhere is a person, and no service account')
}
