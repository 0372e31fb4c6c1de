import { isOfDirectory } from './directory-source'
import type { Role, ScopeKind } from '../permissions'
import { badField, Problem } from '../core/problems'
import { isBuiltIn, splitRoles } from './user-roles'

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
