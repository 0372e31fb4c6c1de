import { systemRoles, type PermissionFlag, type Role } from '../permissions'

/** Roles that a user has in one project. `none` takes the user out of it. */
export const projectRoles = ['project_admin', 'project_member'] as const
export type ProjectRole = (typeof projectRoles)[number]

/** The role of a program in a project: whoever has it has no other role anywhere, and signs in to no console. */
export const SERVICE_ACCOUNT = 'service_account'
/** Roles that a user is given in one project. Groups give only those of people. */
export const userProjectRoles = [...projectRoles, SERVICE_ACCOUNT] as const
export type UserProjectRole = (typeof userProjectRoles)[number]

/** What a user may do in all of their domain. */
export const domainPermissions = ['domain_admin', 'image_upload', 'quota_manager'] as const satisfies readonly (
  | 'domain_admin'
  | PermissionFlag
)[]
export type DomainPermission = (typeof domainPermissions)[number]

/** What a user may do in the whole installation. */
export const systemPermissions = ['superuser', 'admin', 'viewer', ...systemRoles] as const
export type SystemPermission = (typeof systemPermissions)[number]

/** Only the first administrator has it, who is known by it and keeps it. */
export const BUILT_IN: SystemPermission = 'superuser'
/** Those that are not shown to people: what they open is no area of its own. */
const hidden: ReadonlySet<SystemPermission> = new Set<SystemPermission>([BUILT_IN, 'login', 'debug'])
export const shownSystemPermissions = systemPermissions.filter((it) => !hidden.has(it)) as Exclude<
  SystemPermission,
  'superuser' | 'login' | 'debug'
>[]

/** What a user is in one word. */
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

/** Roles that hold everywhere, as the two lists by which clients know them. */
export const splitRoles = (roles: readonly Role[]) => ({
  system_permissions: roles.filter(isSystemPermission),
  domain_permissions: roles.filter(isDomainPermission),
})

/** Whether a user is the first administrator, who can be neither deleted nor disabled nor be taken a right. */
export const isBuiltIn = ({ system_permissions }: { system_permissions: readonly string[] }): boolean =>
  system_permissions.includes(BUILT_IN)

/** The one word for what a user may do: the widest of it. */
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
