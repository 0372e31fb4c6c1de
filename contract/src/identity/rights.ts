import { says } from '../core/said'
import * as z from 'zod'
import { Id } from '../core/names'
import { domainPermissions, projectRoles, systemPermissions, userProjectRoles } from './user-roles'

/** Permissions and roles of users and groups in the system, in their domain and in projects. */
export const OwnRights = {
  system_permissions: z.array(z.enum(systemPermissions)),
  domain_permissions: z.array(z.enum(domainPermissions)),
  assigned_projects: z.array(z.object({ project_id: z.string(), role: z.string() })),
}
const Rights = z.object(OwnRights)
export type Rights = z.infer<typeof Rights>

/** A group of a user, with the permissions that it grants. */
export const GroupOfUser = z.object({ id: z.string(), name: z.string(), ...OwnRights })
export type GroupOfUser = z.infer<typeof GroupOfUser>

const Assigned = <Role extends string>(roles: readonly [Role, ...Role[]]) =>
  z
    .array(z.strictObject({ project_id: Id, role: z.enum(roles, says('identity.unknown_project_role')) }))
    .max(100, says('identity.too_many_assignments', { most: 100 }))

const Permissions = {
  system_permissions: z.array(z.enum(systemPermissions, says('identity.unknown_permission'))),
  domain_permissions: z.array(z.enum(domainPermissions, says('identity.unknown_permission'))),
}
/** Permissions of a new group. */
export const RightsOfDraft = {
  system_permissions: Permissions.system_permissions.default([]),
  domain_permissions: Permissions.domain_permissions.default([]),
  assigned_projects: Assigned(projectRoles).default([]),
}
/** Changed permissions. Omitted projects stay assigned; the role `none` removes an assignment. */
export const RightsOfChange = { ...Permissions, assigned_projects: Assigned([...projectRoles, 'none']) }
/** For users, who may also be service accounts. */
export const UserRightsOfDraft = { ...RightsOfDraft, assigned_projects: Assigned(userProjectRoles).default([]) }
export const UserRightsOfChange = { ...RightsOfChange, assigned_projects: Assigned([...userProjectRoles, 'none']) }

const unique = <Item>(items: readonly Item[]): Item[] => [...new Set(items)]

/** Returns the effective permissions of a user: their own and those of their groups. */
export function rightsOf({ groups, ...own }: Rights & { groups: readonly Rights[] }): Rights {
  const all = [own, ...groups]
  const assigned_projects = new Map(
    all.flatMap((it) => it.assigned_projects).map((it) => [`${it.project_id} ${it.role}`, it]),
  )
  return {
    system_permissions: unique(all.flatMap((it) => it.system_permissions)),
    domain_permissions: unique(all.flatMap((it) => it.domain_permissions)),
    assigned_projects: [...assigned_projects.values()],
  }
}

/** Returns the permissions of a user or group after a change. */
export function rightsAfter(before: Rights, change: { [Right in keyof Rights]?: Rights[Right] | undefined }): Rights {
  const { assigned_projects: assigned = [] } = change
  const isNamed = (id: string) => assigned.some(({ project_id }) => project_id === id)
  return {
    system_permissions: change.system_permissions ?? before.system_permissions,
    domain_permissions: change.domain_permissions ?? before.domain_permissions,
    assigned_projects: [
      ...before.assigned_projects.filter(({ project_id }) => !isNamed(project_id)),
      ...assigned.filter(({ role }) => role !== 'none'),
    ],
  }
}

/** Returns a user's highest role in a project, direct or through a group, or undefined if there is none. */
export function roleInProject(user: Parameters<typeof rightsOf>[0], projectId: string): string | undefined {
  const roles = rightsOf(user).assigned_projects.flatMap((it) => (it.project_id === projectId ? [it.role] : []))
  return projectRoles.find((role) => roles.includes(role)) ?? roles[0]
}
