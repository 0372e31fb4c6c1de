import { expect, it } from 'vitest'
import { assignmentsFor, projectRoleName, rolesOf, type WireAssignment } from './roles'

const on = (scope: 'system' | `domain:${string}` | `project:${string}`, name: string): WireAssignment => {
  const [kind, id = ''] = scope.split(':')
  return { role: { id: `r-${name}`, name }, scope: kind === 'system' ? { system: {} } : { [kind as 'domain']: { id } } }
}
const roles = (...assignments: WireAssignment[]) => rolesOf(assignments, 'home')

it('treats an administrator of any project, or of the system, as an administrator of the whole cloud', () => {
  expect(roles(on('project:p', 'admin'))).toEqual({
    roles: ['admin'],
    assigned_projects: [{ project_id: 'p', role: 'project_admin' }],
  })
  expect(roles(on('system', 'Admin')).roles).toEqual(['admin'])
})

it("maps admin on the user's own domain to domain administrator, and ignores other domains", () => {
  expect(roles(on('domain:home', 'admin'), on('domain:home', 'quota_manager')).roles).toEqual([
    'domain_admin',
    'quota_manager',
  ])
  expect(roles(on('domain:elsewhere', 'admin'), on('domain:elsewhere', 'image_upload'))).toEqual({
    roles: [],
    assigned_projects: [],
  })
})

it('maps project membership and additional project roles, each only once', () => {
  expect(
    roles(
      on('project:p', 'member'),
      on('project:p', '_member_'),
      on('project:p', 'image_upload'),
      on('project:o', 'project_admin'),
    ),
  ).toEqual({
    roles: [],
    assigned_projects: [
      { project_id: 'o', role: 'project_admin' },
      { project_id: 'p', role: 'image_upload' },
      { project_id: 'p', role: 'project_member' },
    ],
  })
})

it('accepts roles for the whole cloud only if they are assigned on the system', () => {
  expect(roles(on('system', 'reader'), on('system', 'compute')).roles).toEqual(['compute', 'viewer'])
  expect(roles(on('project:p', 'compute'), on('project:p', 'viewer'), on('domain:home', 'compute'))).toEqual({
    roles: [],
    assigned_projects: [],
  })
})

it('ignores unknown role names', () => {
  const names = ['reader', 'creator', 'load-balancer_member', 'constructor', '__proto__', 'superuser', 'system_admin']
  const assignments = names.flatMap((name) => [on('project:p', name), on('domain:home', name)])
  expect(roles(...assignments)).toEqual({ roles: [], assigned_projects: [] })
})

it('never assigns a global role as a project role', () => {
  expect(projectRoleName('project_member')).toBe('member')
  expect(projectRoleName('project_admin')).toBe('project_admin')
  expect(projectRoleName('admin')).toBeNull()
  expect(projectRoleName('viewer')).toBeNull()
  expect(assignmentsFor('project_member')).toEqual([])
})
