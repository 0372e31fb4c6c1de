import { systemRoles, type Role } from '@mainstay/contract/permissions'
import * as z from 'zod'
import type { UserRecord } from '../../ports/identity'

/*
 * The meaning of Keystone's roles, which depends on where they are assigned. Unknown names are ignored. `admin` on any
 * project makes a user an administrator of the whole cloud, because Nova, Cinder, Glance, Neutron and Keystone (Zed)
 * treat it that way: https://docs.openstack.org/keystone/zed/admin/service-api-protection.html#admin
 */
const onSystem: ReadonlyMap<string, Role> = new Map<string, Role>([
  ['admin', 'admin'],
  ['reader', 'viewer'],
  ['viewer', 'viewer'],
  ...systemRoles.map((role) => [role, role] as const),
])
const onHomeDomain: ReadonlyMap<string, Role> = new Map<string, Role>([
  ['admin', 'domain_admin'],
  ['domain_admin', 'domain_admin'],
  ['image_upload', 'image_upload'],
  ['quota_manager', 'quota_manager'],
])
const onProject: ReadonlyMap<string, Role> = new Map<string, Role>([
  ['admin', 'project_admin'],
  ['project_admin', 'project_admin'],
  ['member', 'project_member'],
  ['_member_', 'project_member'],
  ['service_account', 'service_account'],
  ['image_upload', 'image_upload'],
  ['quota_manager', 'quota_manager'],
])

/** Whether this is a known project role, so that users who have it count as members. */
export const isProjectRole = (name: string): boolean => onProject.has(name.toLowerCase())

/** An entry in Keystone's `effective` list: a role that a user has directly, through a group, or by inheritance. */
export const WireAssignment = z.object({
  role: z.object({ id: z.string(), name: z.string() }),
  scope: z.object({
    project: z.object({ id: z.string() }).optional(),
    domain: z.object({ id: z.string() }).optional(),
    system: z.looseObject({}).optional(),
  }),
})
export type WireAssignment = z.output<typeof WireAssignment>

/** Returns a user's roles in terms of the contract. Roles on domains other than the user's own are ignored. */
export function rolesOf(
  assignments: readonly WireAssignment[],
  homeDomainId: string,
): Pick<UserRecord, 'roles' | 'assigned_projects'> {
  const roles = new Set<Role>()
  const inProjects = new Map<string, UserRecord['assigned_projects'][number]>()
  for (const { role, scope } of assignments) {
    // policies compare role names case-insensitively
    const name = role.name.toLowerCase()
    const everywhere = scope.system
      ? onSystem.get(name)
      : scope.domain?.id === homeDomainId
        ? onHomeDomain.get(name)
        : scope.project && name === 'admin'
          ? 'admin'
          : undefined
    if (everywhere) roles.add(everywhere)
    const here = scope.project && onProject.get(name)
    if (scope.project && here)
      inProjects.set(`${scope.project.id} ${here}`, { project_id: scope.project.id, role: here })
  }
  // service accounts are also members in Keystone; only their own role is shown
  for (const { project_id, role } of inProjects.values())
    if (role === 'service_account') inProjects.delete(`${project_id} project_member`)
  const sorted = [...inProjects]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, assignment]) => assignment)
  return { roles: [...roles].toSorted(), assigned_projects: sorted }
}

/**
 * Returns the Keystone assignments that grant a contract role, the inverse of the maps above. Empty if the role cannot
 * be granted.
 */
export function assignmentsFor(role: Role): { on: 'system' | 'domain' | 'admin-project'; name: string }[] {
  if (role === 'superuser' || role === 'admin' || role === 'system_admin')
    // a system token cannot create objects, and a project role alone does not indicate that it covers the whole cloud
    return [
      { on: 'system', name: 'admin' },
      { on: 'admin-project', name: 'admin' },
    ]
  if (role === 'viewer') return [{ on: 'system', name: 'reader' }]
  if (role === 'domain_admin') return [{ on: 'domain', name: 'admin' }]
  if (onHomeDomain.has(role)) return [{ on: 'domain', name: role }]
  return onSystem.has(role) ? [{ on: 'system', name: role }] : []
}

/** Returns Keystone's name for a project role, or null for other roles. Never `admin`, which applies everywhere. */
export function projectRoleName(role: Role): string | null {
  if (role === 'project_member') return 'member'
  return onProject.has(role) && role !== 'admin' ? role : null
}
