import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  accessModes,
  actionsOf,
  mayUseNetwork,
  modeOf,
  NetworkAccessPolicies,
  type NetworkAccessPolicy,
  type AccessAction,
} from './access'
import { NetworkChange, PrivateNetworkDraft } from './networks'

const project = (project_id: string, domain_id = 'd1') => ({ kind: 'project', project_id, domain_id })
const owned = { project_id: 'owner', shared: false }
const may = (policy: NetworkAccessPolicy, scope: ReturnType<typeof project>) =>
  (['direct', 'routed'] as const).filter((action) =>
    mayUseNetwork(scope, { ...owned, rbac_policies: [policy] }, action),
  )

test('a policy grants a project, a domain or everyone direct or routed access [VA-070]', () => {
  expect(may({ target_project: 'p1', actions: ['direct'] }, project('p1'))).toEqual(['direct'])
  expect(may({ target_project: 'p1', actions: ['routed'] }, project('p1'))).toEqual(['routed'])
  expect(may({ target_project: 'p1', actions: ['direct'] }, project('p2'))).toEqual([])
  expect(may({ target_project: '*', actions: ['routed'] }, project('p2'))).toEqual(['routed'])
  expect(may({ target_domain: 'd1', actions: ['direct'] }, project('p2'))).toEqual(['direct'])
  expect(may({ target_domain: 'd2', actions: ['direct'] }, project('p2'))).toEqual([])
  expect(mayUseNetwork(project('owner'), owned, 'direct')).toBe(true)
  expect(mayUseNetwork({ ...project('p9'), kind: 'system' }, owned, 'routed')).toBe(true)
  expect(mayUseNetwork(project('p9'), { ...owned, shared: true }, 'direct')).toBe(true)
  expect(mayUseNetwork(project('p9'), { ...owned, shared: true }, 'routed')).toBe(false)
  const parsed = NetworkAccessPolicies.safeParse([
    { target_project: 'p1', actions: ['direct'] },
    { target_project: 'p1', actions: ['routed'] },
  ])
  expect(parsed.error!.issues.map(({ path }) => path)).toEqual([[1]])
  for (const bad of [
    { target_project: 'p1', actions: [] },
    { target_project: 'p1', actions: ['both'] },
    { target_project: '', actions: ['direct'] },
    { actions: ['direct'] },
    { target_project: 'p1', target_domain: 'd1', actions: ['direct'] },
  ])
    expect(NetworkChange.safeParse({ rbac_policies: [bad] }).success, JSON.stringify(bad)).toBe(false)
  expect(PrivateNetworkDraft.safeParse({ name: 'net', rbac_policies: [] }).success).toBe(false)
})

test('full access is direct plus routed access [VA-071]', () => {
  expect(actionsOf('mixed')).toEqual(['direct', 'routed'])
  fc.assert(
    fc.property(fc.subarray<AccessAction>(['direct', 'routed']), (actions) => {
      expect(modeOf(actions) === 'mixed').toBe(actions.includes('direct') && actions.includes('routed'))
    }),
  )
  const full: NetworkAccessPolicy = { target_project: 'p1', actions: actionsOf('mixed') }
  expect(may(full, project('p1'))).toEqual(['direct', 'routed'])
})

test('a network has routed, direct or mixed access [CO-073]', () => {
  expect(accessModes).toEqual(['routed', 'direct', 'mixed'])
  for (const mode of accessModes) expect(modeOf(actionsOf(mode))).toBe(mode)
  expect(modeOf([])).toBeNull()
})
