import { fieldProblem, problem } from '@mainstay/contract/core/problems'
import { DEFAULT_DOMAIN_ID } from '@mainstay/contract/identity/default-domain'
import { BUILT_IN, type SystemPermission } from '@mainstay/contract/identity/user-roles'
import { isSystemAdministrator } from '@mainstay/contract/identity/user-rules'
import type { Scope } from './scope'

/* Rules about which users can change other users. They apply to every engine that manages a directory. */

/**
 * Throws unless the caller is allowed to change the system permissions of a user or group in this domain as requested.
 */
export function checkSystemPermissions(
  scope: Scope,
  domainId: string,
  before: readonly SystemPermission[],
  wanted: readonly SystemPermission[],
): void {
  const field = 'system_permissions'
  const isChanged = before.length !== wanted.length || wanted.some((it) => !before.includes(it))
  if (!isChanged) return
  if (!isSystemAdministrator(scope)) throw fieldProblem(field, 'identity.system_permissions_of_administrator')
  if (before.includes(BUILT_IN)) throw fieldProblem(field, 'identity.builtin_permissions')
  if (wanted.includes(BUILT_IN)) throw fieldProblem(field, 'identity.one_builtin')
  if (wanted.length > 0 && domainId !== DEFAULT_DOMAIN_ID) throw fieldProblem(field, 'identity.default_domain_only')
}

/**
 * Throws a `default_domain_protected` error for the default domain. `done` is the refused action: `deleted` or
 * `disabled`.
 */
export function refuseDefaultDomain(id: string, done: string): void {
  if (id === DEFAULT_DOMAIN_ID) throw problem('identity.default_domain', { done })
}

/** Throws if the domain still has projects, or if it still has users and they are not to be deleted with it. */
export function refuseFullDomain(projects: number, users: number, { withUsers }: { withUsers: boolean }): void {
  if (projects > 0) throw problem('identity.domain_has_projects', { count: projects }, { data: { projects } })
  if (users > 0 && !withUsers) throw problem('identity.domain_has_users', { count: users }, { data: { users } })
}
