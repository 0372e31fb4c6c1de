import { serverGroupKind, serverGroups } from '@mainstay/contract/compute/server-groups'
import { domainKind, domains } from '@mainstay/contract/identity/domains'
import { groupKind, groups } from '@mainstay/contract/identity/groups'
import { expect, test } from 'vitest'
import { resource } from './resource'

const settings = { kind: serverGroupKind, calls: serverGroups, area: 'compute', path: 'compute/server-groups' } as const

test('builds the paths of its pages and encodes IDs in them', () => {
  const { paths } = resource({ ...settings, words: 'serverGroups' })
  expect(paths.list()).toBe('/compute/server-groups')
  expect(paths.add()).toBe('/compute/server-groups/add')
  expect(paths.view('a/b')).toBe('/compute/server-groups/a%2Fb')
  expect(paths.edit('one')).toBe('/compute/server-groups/one/edit')
  expect(paths.below('one', 'assign', 'a b')).toBe('/compute/server-groups/one/assign/a%20b')
})

test('does not compile if strings for the resource are missing from the catalogue', () => {
  // @ts-expect-error the catalogue lacks `serverGroup.title` and others
  expect(resource({ ...settings, words: 'serverGroup' }).words).toBe('serverGroup')
})

test('includes the parent, or any parent, in the paths of a nested resource', () => {
  const parent = resource({ kind: domainKind, calls: domains, area: 'identity', words: 'domains', path: 'domains' })
  const nested = { kind: groupKind, calls: groups, area: 'identity', words: 'groups', path: 'groups', parent } as const
  const { path, paths } = resource(nested)
  expect(path).toBe('domains/$domain_id/groups')
  const parents = { domain_id: 'a/b' }
  expect(paths.list(parents)).toBe('/domains/a%2Fb/groups')
  expect(paths.add(parents)).toBe('/domains/a%2Fb/groups/add')
  expect(paths.view('one', parents)).toBe('/domains/a%2Fb/groups/one')
  expect(paths.edit('one', parents)).toBe('/domains/a%2Fb/groups/one/edit')
  expect([paths.list(), paths.view('one')]).toEqual(['/domains/-/groups', '/domains/-/groups/one'])
})
