import { systemRoles, type PermissionFlag, type Role } from '../permissions'

/** Roles of users in a project. In updates, `none` removes the user from the project. */
export const projectRoles = ['project_admin', 'project_member'] as const
export type ProjectRole = (typeof projectRoles)[number]

/** Role for a program in a project. It cannot be combined with other roles and gives no access to the console. */
export const SERVICE_ACCOUNT = 'service_account'
/** Project roles that can be assigned to users. Groups can only have `projectRoles`. */
export const userProjectRoles = [...projectRoles, SERVICE_ACCOUNT] as const
export type UserProjectRole = (typeof userProjectRoles)[number]

/** Permissions of a user in the whole domain. */
export const domainPermissions = ['domain_admin', 'image_upload', 'quota_manager'] as const satisfies readonly (
  | 'domain_admin'
  | PermissionFlag
)[]
export type DomainPermission = (typeof domainPermissions)[number]

/** Permissions of a user in the whole system. */
export const systemPermissions = ['superuser', 'admin', 'viewer', ...systemRoles] as const
export type SystemPermission = (typeof systemPermissions)[number]

/** Identifies the built-in administrator. It cannot be assigned or revoked. */
export const BUILT_IN: SystemPermission = 'superuser'
/** Not shown in the console, because they do not correspond to an area. */
const hidden: ReadonlySet<SystemPermission> = new Set<SystemPermission>([BUILT_IN, 'login', 'debug'])
export const shownSystemPermissions = systemPermissions.filter((it) => !hidden.has(it)) as Exclude<
  SystemPermission,
  'superuser' | 'login' | 'debug'
>[]

/** Single role that summarizes the permissions of a user. */
export const userRoles = [
  'system_admin',
  'viewer',
  'custom',
  'domain_admin',
  'project_member',
  'service_account',
  'none',
] as const
export type UserRole = (typeof userRoles)[number]

const isSystemPermission = (role: Role): role is SystemPermission =>
  (systemPermissions as readonly string[]).includes(role)
const isDomainPermission = (role: Role): role is DomainPermission =>
  (domainPermissions as readonly string[]).includes(role)

/** Splits roles into system and domain permissions, as in the API. */
export const splitRoles = (roles: readonly Role[]) => ({
  system_permissions: roles.filter(isSystemPermission),
  domain_permissions: roles.filter(isDomainPermission),
})

/** Whether a user is the built-in administrator, who cannot be deleted, disabled or deprived of permissions. */
export const isBuiltIn = ({ system_permissions }: { system_permissions: readonly string[] }): boolean =>
  system_permissions.includes(BUILT_IN)

/** Summarizes permissions as one role, the highest of them. */
export function roleOf(user: {
  system_permissions: readonly SystemPermission[]
  domain_permissions: readonly DomainPermission[]
  assigned_projects: readonly { role: string }[]
}): UserRole {
  const { system_permissions: system, domain_permissions: domain, assigned_projects: assigned } = user
  if (system.includes('admin') || system.includes(BUILT_IN)) return 'system_admin'
  if (system.length > 0) return system.every((it) => it === 'viewer') ? 'viewer' : 'custom'
  if (domain.includes('domain_admin')) return 'domain_admin'
  if (assigned.length === 0) return 'none'
  return assigned.every(({ role }) => role === SERVICE_ACCOUNT) ? SERVICE_ACCOUNT : 'project_member'
}
