import { expect, it } from 'vitest'
import { isSharedWith, namesOf, policiesFor, readersOf, type AccessPolicy } from './readers'

const shared = { path: 'visibility', equals: 'public' }
const policies = { path: 'access.policies', actions: ['read'] }
const scope = (kind: string, project_id: string | null = null) => ({ kind, project_id, domain_id: 'd1' })
const row = (...given: AccessPolicy[]) => ({ visibility: 'private', access: { policies: given } })

it('readers of a row are those of its policies that may do this, each once and in one order', () => {
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

it('a row is read by everybody when a policy or its field says so', () => {
  const open = row({ target_project: '*', actions: ['read'] })
  expect(readersOf({ policies }, open)).toEqual(['*'])
  expect(readersOf({ shared, policies }, { ...open, visibility: 'public' })).toEqual(['*'])
  expect(readersOf({ shared }, { visibility: 'public' })).toEqual(['*'])
  expect(readersOf({ shared, policies }, { visibility: 'private' })).toEqual([])
})

it('whoever acts in a project reads by its name and that of its domain, and whoever acts nowhere by none', () => {
  expect(namesOf(scope('project', 'p1'))).toEqual(['*', 'project:p1', 'domain:d1'])
  expect(namesOf(scope('domain', 'p1'))).toEqual(['*', 'domain:d1'])
  expect(namesOf(scope('none', 'p1'))).toEqual(['*'])
  expect(isSharedWith(scope('project', 'p1'), ['domain:d1'])).toBe(true)
  expect(isSharedWith(scope('none'), ['domain:d1'])).toBe(false)
  expect(isSharedWith(scope('none'), ['project:p1', '*'])).toBe(true)
  expect(isSharedWith(scope('project', 'p1'), [])).toBe(false)
})

it('of policies one is told those about oneself', () => {
  const [mine, all, others] = [
    { target_project: 'p1', actions: ['read'] },
    { target_project: '*', actions: [] },
    { target_project: 'd1', actions: ['read'] },
  ]
  const unknown = { actions: ['read'] }
  expect(policiesFor(scope('project', 'p1'), [mine, all, others, unknown])).toEqual([mine, all])
})
