import { expect, it } from 'vitest'
import { flavors } from './compute/flavors'
import { instances } from './compute/instances'
import { grantsAt, isServedAt } from './panels'
import { grantsOf, resourceNames, systemRoles, tenantRoles, type Role } from './permissions'
import { resourceList } from './resources'
import { adminEndpoints, endpoints, read } from './core/endpoint'
import { serviceTokens } from './identity/service-tokens'
import { systemAccounts } from './identity/system-accounts'
import { ldap } from './settings/ldap'
import * as z from 'zod'

const calls = resourceList.flatMap(([name, table]) =>
  Object.entries(table.calls).map(([called, endpoint]) => ({ name: `${name}.${called}`, endpoint })),
)

it('the admin port serves all calls, the self-service port only those that a tenant role permits', () => {
  const scopes = ['project', 'domain', 'none'] as const
  const allowed = (resource: string, letters: string) =>
    [...letters].every((letter) =>
      tenantRoles.some((role) =>
        scopes.some((scope) => grantsOf([role], scope)[resource as 'nodes']?.includes(letter)),
      ),
    )
  const letters = { read: 'R', create: 'C', update: 'U', delete: 'D', change: 'UD' }
  for (const { name, endpoint } of calls) {
    const { needs } = endpoint
    expect(isServedAt('admin', endpoint), name).toBe(true)
    expect(isServedAt('self-service', endpoint), name).toBe(
      endpoint.panel !== 'admin' && (typeof needs !== 'object' || allowed(needs.resource, letters[needs.ability])),
    )
  }
})

it('operator calls are served only on the admin port, tenant calls on both ports', () => {
  const ofOperators = [flavors.create, instances.migrate, ldap.view, systemAccounts.list]
  const ofAll = [flavors.list, instances.create, serviceTokens.replace]
  expect(ofOperators.filter((call) => isServedAt('self-service', call))).toEqual([])
  expect(ofAll.filter((call) => isServedAt('self-service', call))).toEqual(ofAll)
})

it('a resource can be hidden from the self-service port even if tenants have the permission', () => {
  const view = { verb: 'GET', path: '/x', needs: read('compute_servers'), summary: 'x', reply: z.void() } as const
  expect(isServedAt('self-service', endpoints({ view }).view)).toBe(true)
  expect(isServedAt('self-service', adminEndpoints({ view }).view)).toBe(false)
})

it('tenant grants are the same on both ports, but operator grants are reduced on the self-service port', () => {
  for (const role of tenantRoles)
    for (const scope of ['project', 'domain', 'none'] as const)
      expect(grantsAt('self-service', grantsOf([role], scope)), role).toEqual(grantsOf([role], scope))
  for (const role of ['admin', 'viewer', ...systemRoles] as Role[]) {
    const all = grantsOf([role], 'system')
    expect(grantsAt('admin', all)).toEqual(all)
    const left = grantsAt('self-service', all)
    for (const resource of resourceNames)
      for (const letter of left[resource] ?? '') expect(all[resource]).toContain(letter)
    for (const resource of ['nodes', 'settings_ldap', 's3_users', 'compute_nodes'] as const)
      expect(left[resource], resource).toBeUndefined()
  }
  const ofAdmin = grantsAt('self-service', grantsOf(['admin'], 'system'))
  expect(ofAdmin).toMatchObject({ compute_servers: 'CRUD', compute_flavors: 'R' })
})
