import { badField, Problem } from '@mainstay/contract/core/problems'
import { DEFAULT_DOMAIN_ID } from '@mainstay/contract/identity/default-domain'
import { BUILT_IN, type SystemPermission } from '@mainstay/contract/identity/user-roles'
import { isSystemAdministrator } from '@mainstay/contract/identity/user-rules'
import type { Scope } from './scope'

/* Who may change whom, the same whichever engine keeps the directory. */

/** Whether these system permissions may be given to a user or a group of this domain, in the place of those before. */
export function checkSystemPermissions(
  scope: Scope,
  domainId: string,
  before: readonly SystemPermission[],
  wanted: readonly SystemPermission[],
): void {
  const field = 'system_permissions'
  const isChanged = before.length !== wanted.length || wanted.some((it) => !before.includes(it))
  if (!isChanged) return
  if (!isSystemAdministrator(scope))
    throw badField(field, 'Only a system administrator gives and takes system permissions', 'forbidden')
  if (before.includes(BUILT_IN))
    throw badField(field, 'The built-in administrator keeps its permissions', 'builtin_admin_protected')
  if (wanted.includes(BUILT_IN)) throw badField(field, 'There is one built-in administrator only')
  if (wanted.length > 0 && domainId !== DEFAULT_DOMAIN_ID)
    throw badField(field, 'Only users and groups of the default domain have system permissions')
}

/** Throws `default_domain_protected`. `done`: `deleted`, `disabled`. */
export function refuseDefaultDomain(id: string, done: string): void {
  if (id === DEFAULT_DOMAIN_ID)
    throw new Problem(
      'default_domain_protected',
      `The default domain cannot be ${done}: system administrators sign in to it`,
    )
}

const counted = (count: number, one: string) => `${count} ${one}${count === 1 ? '' : 's'}`

/** Throws for a domain that something is still in; its users may be meant to go with it. */
export function refuseFullDomain(projects: number, users: number, { withUsers }: { withUsers: boolean }): void {
  if (projects > 0)
    throw new Problem('domain_has_projects', `This domain still has ${counted(projects, 'project')}`, {
      data: { projects },
    })
  if (users > 0 && !withUsers)
    throw new Problem('domain_has_users', `This domain still has ${counted(users, 'user')}`, { data: { users } })
}
