import { expect, test } from 'vitest'
import { grantsAllow, methodsAllow, toMeta } from './core/abilities'
import { grantsOf, permissionTable, resourceNames, systemRoles, type Role, type ScopeKind } from './permissions'

const scopes: ScopeKind[] = ['system', 'domain', 'project', 'none']
/**
 * Returns the scopes in which a role gives access to more than the user's own account, to which every role gives
 * access.
 */
const opensIn = (role: string) =>
  (['system', 'domain', 'project'] as const).filter((scope) =>
    Object.keys(grantsOf([role as Role], scope)).some((resource) => resource !== 'account'),
  )

test('eight roles give access in their scopes, and unknown roles give no access [PE-008]', () => {
  const opened = {
    admin: ['system'],
    superuser: ['system'],
    viewer: ['system'],
    domain_admin: ['domain', 'project'],
    system_admin: ['system'],
    project_member: ['project'],
    service_account: ['project'],
    project_admin: ['project'],
  }
  for (const [role, where] of Object.entries(opened)) expect(opensIn(role), role).toEqual(where)
  for (const name of ['', 'Admin', 'administrator', 'member', 'reader']) expect(opensIn(name), name).toEqual([])
})

test('eleven system roles give access to their areas [PE-009]', () => {
  const areas = {
    abgw: { abgw: 'CRUD' },
    cluster: { nodes: 'CRUD' },
    compute: { compute_servers: 'CRUD' },
    debug: { features: 'RU' },
    iscsi: { iscsi_volumes: 'CRUD' },
    login: { tasks: 'R', about: 'R', overview: 'R' },
    network: { dns: 'CRUD' },
    nfs: { nfs_shares: 'CRUD' },
    s3: { s3_users: 'CRUD' },
    ssh: { ssh_keys: 'CRUD' },
    updates: { software_updates: 'CRUD' },
  }
  expect([...systemRoles].toSorted()).toEqual(Object.keys(areas))
  const { login, ...own } = areas
  expect(grantsOf(['login'], 'system')).toEqual({ ...login, account: 'RU' })
  for (const [role, rights] of Object.entries(own)) {
    expect(grantsOf([role as Role], 'system'), role).toMatchObject(rights)
    for (const other of systemRoles.filter((it) => it !== role))
      expect(grantsOf([other], 'system'), `${other} in the area of ${role}`).not.toMatchObject(rights)
  }
})

test('the flags image_upload and quota_manager add one permission each [PE-010]', () => {
  const member = grantsOf(['project_member'], 'project')
  expect(grantsAllow(member, 'compute_images', 'create')).toBe(false)
  expect(grantsAllow(grantsOf(['project_member', 'image_upload'], 'project'), 'compute_images', 'create')).toBe(true)
  expect(grantsAllow(member, 'compute_quotas', 'create')).toBe(false)
  expect(grantsAllow(grantsOf(['project_member', 'quota_manager'], 'project'), 'compute_quotas', 'create')).toBe(true)
})

test('admin, superuser and the derived system_admin have the same permissions', () => {
  expect(grantsOf(['superuser'], 'system')).toEqual(grantsOf(['admin'], 'system'))
  expect(grantsOf(['system_admin'], 'system')).toEqual(grantsOf(['admin'], 'system'))
})

test('a domain administrator manages the domain and has full access to its projects [PE-012]', () => {
  expect(grantsAllow(grantsOf(['domain_admin'], 'domain'), 'domain_users', 'create')).toBe(true)
  expect(grantsAllow(grantsOf(['domain_admin'], 'domain'), 'compute_servers', 'read')).toBe(false)
  expect(grantsAllow(grantsOf(['domain_admin'], 'project'), 'compute_servers', 'create')).toBe(true)
  expect(grantsAllow(grantsOf(['project_admin'], 'domain'), 'domain_users', 'read')).toBe(false)
})

test('users, groups and providers of a domain are managed in the domain scope, not in a project', () => {
  const inside = grantsOf(['domain_admin'], 'project')
  const outside = grantsOf(['domain_admin'], 'domain')
  for (const one of ['domain', 'domain_user', 'domain_group', 'domain_idps'] as const) {
    expect(inside[one], one).toBeUndefined()
    expect(grantsAllow(outside, one, 'read'), one).toBe(true)
  }
  // a project is visible in its own scope
  expect([inside.domain_project, outside.domain_project]).toEqual(['R', 'CRUD'])
})

test('GET reads, POST creates, DELETE deletes, PATCH and PUT update [PE-014]', () => {
  expect(toMeta({ compute_servers: 'R' })).toEqual({ compute_servers: { name: 'compute_servers', methods: ['GET'] } })
  expect(toMeta({ compute_servers: 'CRUD' })['compute_servers']!.methods).toEqual([
    'POST',
    'GET',
    'PUT',
    'PATCH',
    'DELETE',
  ])
  for (const [method, ability] of [
    ['GET', 'read'],
    ['POST', 'create'],
    ['DELETE', 'delete'],
    ['PATCH', 'update'],
    ['PUT', 'update'],
  ] as const) {
    for (const other of ['read', 'create', 'update', 'delete'] as const) {
      expect(methodsAllow([method], other)).toBe(other === ability)
    }
  }
})

test('change requires delete and update [PE-015]', () => {
  expect(grantsAllow({ domain_user: 'UD' }, 'domain_user', 'change')).toBe(true)
  for (const letters of ['U', 'D', 'CRU', 'CRD', 'CR', ''])
    expect(grantsAllow({ domain_user: letters }, 'domain_user', 'change'), letters).toBe(false)
  for (const update of ['PUT', 'PATCH']) {
    expect(methodsAllow(['DELETE', update], 'change')).toBe(true)
    expect(methodsAllow(['GET', 'POST', update], 'change')).toBe(false)
  }
  expect(methodsAllow(['GET', 'POST', 'DELETE'], 'change')).toBe(false)
  expect(methodsAllow(undefined, 'change')).toBe(false)
})

test('a resource that is not listed allows nothing', () => {
  expect(methodsAllow(undefined, 'read')).toBe(false)
  expect(methodsAllow([], 'read')).toBe(false)
})

test('each cell of the permission table is exactly what its role is granted [PE-017]', () => {
  for (const resource of resourceNames) {
    const row = permissionTable[resource]
    const letters = (role: Role, scope: ScopeKind) => grantsOf([role], scope)[resource] ?? ''
    const sorted = (text = '') => [...'CRUD'].filter((letter) => text.includes(letter)).join('')
    expect(letters('admin', 'system'), resource).toBe(sorted(row.admin))
    expect(letters('viewer', 'system'), resource).toBe(sorted(row.viewer))
    expect(letters('project_admin', 'project'), resource).toBe(sorted(row.projectAdmin))
    expect(letters('project_member', 'project'), resource).toBe(sorted(row.projectMember))
    expect(letters('service_account', 'project'), resource).toBe(sorted(row.service))
    // project roles have no effect outside a project, system roles none inside
    for (const role of ['project_admin', 'project_member', 'service_account'] as const) {
      expect(letters(role, 'system'), resource).toBe('')
    }
    for (const role of ['admin', 'superuser', 'viewer', ...systemRoles] as Role[]) {
      if (resource !== 'account') expect(letters(role, 'project'), resource).toBe('')
    }
  }
})

test('a viewer can change only their own account, in any scope', () => {
  for (const scope of scopes) {
    for (const [resource, letters] of Object.entries(grantsOf(['viewer'], scope))) {
      expect(letters, resource).toBe(resource === 'account' ? 'RU' : 'R')
    }
  }
})

test('several roles grant the union of their permissions', () => {
  const both = grantsOf(['viewer', 'compute'], 'system')
  expect(both.compute_servers).toBe('CRUD')
  expect(both.iscsi_volumes).toBe('R')
})
