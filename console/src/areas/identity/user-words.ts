import { isOfDirectory } from '@mainstay/contract/identity/directory-source'
import { rightsOf } from '@mainstay/contract/identity/rights'
import type { User } from '@mainstay/contract/identity/users'
import { shownSystemPermissions, type ProjectRole } from '@mainstay/contract/identity/user-roles'
import type { Translate } from '../../i18n/use-t'

/** Display name of a user's role, or of a project member's role in the project. */
export const roleName = (role: User['role'], t: Translate<'identity'>): string => t(`users.role.${role}`)

/**
 * Display names of the permissions that a user has in addition to the role. System permissions without a console area
 * are omitted.
 */
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

/** Display name of the source that authenticates a user. */
export function sourceName({ identity_provider }: Pick<User, 'identity_provider'>, t: Translate<'identity'>): string {
  if (isOfDirectory({ identity_provider })) return t('users.directory')
  return t(identity_provider === null ? 'users.local' : 'users.federated')
}

/** Number of projects that a user is assigned to, directly or through groups. */
export const projectCountOf = (user: User): number =>
  new Set(rightsOf(user).assigned_projects.map((it) => it.project_id)).size

/** Text such as "via Developers" if groups assign the user to the project, otherwise undefined. */
export function viaGroups(user: User, projectId: string, t: Translate<'identity'>): string | undefined {
  const names = user.groups.flatMap(({ name, assigned_projects }) =>
    assigned_projects.some((it) => it.project_id === projectId) ? [name] : [],
  )
  return names.length === 0 ? undefined : t('assignments.via', { groups: names.join(', ') })
}

/** Options for a project role selection. */
export const projectRoleItems = (t: Translate<'identity'>): { id: ProjectRole; label: string }[] => [
  { id: 'project_member', label: t('users.role.project_member') },
  { id: 'project_admin', label: t('users.role.project_admin') },
]
