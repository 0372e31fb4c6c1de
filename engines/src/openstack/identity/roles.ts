import { systemRoles, type Role } from '@mainstay/contract/permissions'
import * as z from 'zod'
import type { UserRecord } from '../../ports/identity'

/*
 * What Keystone's roles are here, by what they are given on; names that are not in the table say nothing. `admin` on
 * any project is the whole cloud's administrator, because Nova, Cinder, Glance, Neutron and Keystone (Zed) treat it so:
 * https://docs.openstack.org/keystone/zed/admin/service-api-protection.html#admin
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

/** Whether a role on a project has a word here: who has one is a member. */
export const isProjectRole = (name: string): boolean => onProject.has(name.toLowerCase())

/** One role that somebody has, by a group or by inheritance as well, as Keystone's `effective` list tells it. */
export const WireAssignment = z.object({
  role: z.object({ id: z.string(), name: z.string() }),
  scope: z.object({
    project: z.object({ id: z.string() }).optional(),
    domain: z.object({ id: z.string() }).optional(),
    system: z.looseObject({}).optional(),
  }),
})
export type WireAssignment = z.output<typeof WireAssignment>

/** Roles of a user in the contract's words. What is given on a domain other than the user's own has no word there. */
export function rolesOf(
  assignments: readonly WireAssignment[],
  homeDomainId: string,
): Pick<UserRecord, 'roles' | 'assigned_projects'> {
  const roles = new Set<Role>()
  const inProjects = new Map<string, UserRecord['assigned_projects'][number]>()
  for (const { role, scope } of assignments) {
    // policies compare names of roles without regard to case
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
  // a program is a member for the cloud's policies as well, and is told from people by its own role
  for (const { project_id, role } of inProjects.values())
    if (role === 'service_account') inProjects.delete(`${project_id} project_member`)
  const sorted = [...inProjects]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, assignment]) => assignment)
  return { roles: [...roles].toSorted(), assigned_projects: sorted }
}

/** By what assignments a role of the contract is given; the reverse of the tables above. Empty where there is no way. */
export function assignmentsFor(role: Role): { on: 'system' | 'domain' | 'admin-project'; name: string }[] {
  if (role === 'superuser' || role === 'admin' || role === 'system_admin')
    // a token of the system alone makes nothing, one of the project alone does not say that it is meant for all
    return [
      { on: 'system', name: 'admin' },
      { on: 'admin-project', name: 'admin' },
    ]
  if (role === 'viewer') return [{ on: 'system', name: 'reader' }]
  if (role === 'domain_admin') return [{ on: 'domain', name: 'admin' }]
  if (onHomeDomain.has(role)) return [{ on: 'domain', name: role }]
  return onSystem.has(role) ? [{ on: 'system', name: role }] : []
}

/** The name of a role of a project; null for what is no such role. `admin` is never given: it reaches everywhere. */
export function projectRoleName(role: Role): string | null {
  if (role === 'project_member') return 'member'
  return onProject.has(role) && role !== 'admin' ? role : null
}
