import { isOfDirectory } from '@mainstay/contract/identity/directory-source'
import { rightsOf } from '@mainstay/contract/identity/rights'
import type { User } from '@mainstay/contract/identity/users'
import { shownSystemPermissions, type ProjectRole } from '@mainstay/contract/identity/user-roles'
import type { Translate } from '../../i18n/use-t'

/** Name of a user's role; for a project member, of the role in the project. */
export const roleName = (role: User['role'], t: Translate<'identity'>): string => t(`users.role.${role}`)

/** Names of permissions besides the role. System permissions that are not an area of their own are omitted. */
export function permissionNames(
  user: Pick<User, 'system_permissions' | 'domain_permissions'>,
  t: Translate<'identity'>,
): string[] {
  const system = shownSystemPermissions.filter((it) => user.system_permissions.includes(it))
  return [
    ...system.map((it) => t(`users.system.${it}`)),
    ...(user.domain_permissions.includes('image_upload') ? [t('users.imageUpload')] : []),
    ...(user.domain_permissions.includes('quota_manager') ? [t('users.quotaManager')] : []),
  ]
}

/** Name of the source that authenticates a user. */
export function sourceName({ identity_provider }: Pick<User, 'identity_provider'>, t: Translate<'identity'>): string {
  if (isOfDirectory({ identity_provider })) return t('users.directory')
  return t(identity_provider === null ? 'users.local' : 'users.federated')
}

/** Number of projects that a user is assigned to, directly or through a group. */
export const projectCountOf = (user: User): number =>
  new Set(rightsOf(user).assigned_projects.map((it) => it.project_id)).size

/** "via Developers" if groups assign a user to a project; otherwise undefined. */
export function viaGroups(user: User, projectId: string, t: Translate<'identity'>): string | undefined {
  const names = user.groups.flatMap(({ name, assigned_projects }) =>
    assigned_projects.some((it) => it.project_id === projectId) ? [name] : [],
  )
  return names.length === 0 ? undefined : t('assignments.via', { groups: names.join(', ') })
}

/** Options for choosing a project role. */
export const projectRoleItems = (t: Translate<'identity'>): { id: ProjectRole; label: string }[] => [
  { id: 'project_member', label: t('users.role.project_member') },
  { id: 'project_admin', label: t('users.role.project_admin') },
]
