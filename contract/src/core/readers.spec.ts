import { expect, it } from 'vitest'
import { isSharedWith, namesOf, policiesFor, readersOf, type AccessPolicy } from './readers'

const shared = { path: 'visibility', equals: 'public' }
const policies = { path: 'access.policies', actions: ['read'] }
const scope = (kind: string, project_id: string | null = null) => ({ kind, project_id, domain_id: 'd1' })
const row = (...given: AccessPolicy[]) => ({ visibility: 'private', access: { policies: given } })

it('returns the targets of policies that grant the action, sorted and without duplicates', () => {
  const some = row(
    { target_project: 'p2', actions: ['read'] },
    { target_domain: 'd1', actions: ['write', 'read'] },
    { target_project: 'p1', actions: ['read'] },
    { target_project: 'p2', actions: ['read', 'write'] },
    { target_project: 'p3', actions: ['write'] },
  )
  expect(readersOf({ policies }, some)).toEqual(['domain:d1', 'project:p1', 'project:p2'])
  expect(readersOf({}, some)).toEqual([])
})

it('returns `*` if a policy or the shared field makes the row public', () => {
  const open = row({ target_project: '*', actions: ['read'] })
  expect(readersOf({ policies }, open)).toEqual(['*'])
  expect(readersOf({ shared, policies }, { ...open, visibility: 'public' })).toEqual(['*'])
  expect(readersOf({ shared }, { visibility: 'public' })).toEqual(['*'])
  expect(readersOf({ shared, policies }, { visibility: 'private' })).toEqual([])
})

it('a scope counts as its project, its domain and everyone, depending on its kind', () => {
  expect(namesOf(scope('project', 'p1'))).toEqual(['*', 'project:p1', 'domain:d1'])
  expect(namesOf(scope('domain', 'p1'))).toEqual(['*', 'domain:d1'])
  expect(namesOf(scope('none', 'p1'))).toEqual(['*'])
  expect(isSharedWith(scope('project', 'p1'), ['domain:d1'])).toBe(true)
  expect(isSharedWith(scope('none'), ['domain:d1'])).toBe(false)
  expect(isSharedWith(scope('none'), ['project:p1', '*'])).toBe(true)
  expect(isSharedWith(scope('project', 'p1'), [])).toBe(false)
})

it('returns only the policies that apply to the scope', () => {
  const [mine, all, others] = [
    { target_project: 'p1', actions: ['read'] },
    { target_project: '*', actions: [] },
    { target_project: 'd1', actions: ['read'] },
  ]
  const unknown = { actions: ['read'] }
  expect(policiesFor(scope('project', 'p1'), [mine, all, others, unknown])).toEqual([mine, all])
})
