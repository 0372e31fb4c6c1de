import { problemOf } from '../core/problems'
import type { RuleText } from '../core/said'
import { MAX_NODE_ID } from '../core/names'
import { describe, expect, it } from 'vitest'
import { clusterStatus, computeNodeInProgress, computeNodeStates, computeNodeStatus } from './node-rules'
import { whyNodeCannotJoin, whyNodeStays } from './node-membership'
import { ComputeNodesJoin } from './nodes'

const node = { host: 'node-1', state: 'up' as const, fenced_reason: null, in_maintenance: false }

describe('the status of a compute node', () => {
  it('is offline before recovery, maintenance and the reported state [ST-034]', () => {
    expect(computeNodeStatus(node)).toBe('up')
    expect(computeNodeStatus({ ...node, in_maintenance: true })).toBe('maintenance')
    for (const state of ['recovering', 'recovery_failed'] as const)
      expect(computeNodeStatus({ ...node, state, in_maintenance: true })).toBe(state)
    expect(computeNodeStatus({ ...node, state: 'down', in_maintenance: true })).toBe('offline')
    for (const state of ['joining', 'releasing', 'released'] as const)
      expect(computeNodeStatus({ ...node, state })).toBe(state)
  })

  it('is fenced only if the node is up', () => {
    expect(computeNodeStatus({ ...node, fenced_reason: 'Broken fan' })).toBe('fenced')
    expect(computeNodeStatus({ ...node, fenced_reason: 'Broken fan', state: 'down' })).toBe('offline')
  })

  it('is in progress while the node is joining or releasing', () => {
    expect(computeNodeStates.filter((state) => computeNodeInProgress({ state }))).toEqual(['joining', 'releasing'])
  })
})

const refusal = (rule: RuleText | null) => rule && problemOf(rule)

describe('the release of a compute node', () => {
  it('is refused with the name of the node and the reason', () => {
    expect(whyNodeStays(node, 0)).toBeNull()
    expect(refusal(whyNodeStays(node, 2))).toMatchObject({
      code: 'in_use',
      message: expect.stringMatching(/“node-1”.*2 virtual/),
    })
    for (const state of ['joining', 'releasing', 'recovering', 'recovery_failed', 'released'] as const)
      expect(refusal(whyNodeStays({ ...node, state }, 0))).toMatchObject({
        ...{ code: 'invalid_state', message: expect.stringContaining('“node-1”') },
      })
  })

  it('is required before the node can be added again', () => {
    expect(whyNodeCannotJoin({ ...node, state: 'released' })).toBeNull()
    for (const state of ['up', 'joining', 'releasing'] as const)
      expect(refusal(whyNodeCannotJoin({ ...node, state }))).toMatchObject({ code: 'invalid_state' })
  })
})

it('derives the status of the cluster from its nodes', () => {
  const of = (...states: (typeof computeNodeStates)[number][]) => clusterStatus(states.map((state) => ({ state })))
  expect([of('up', 'released'), of('down'), of('released'), of('joining', 'released'), of('releasing')]).toEqual([
    ...['active', 'active', 'absent', 'deploying', 'deleting'],
  ])
})

it('accepts numeric node IDs up to 2147483647 [CO-061]', () => {
  const join = (node_id: string) => ComputeNodesJoin.safeParse({ nodes: [{ node_id }] })
  expect(MAX_NODE_ID).toBe(2_147_483_647)
  expect(join('2147483647').success).toBe(true)
  expect(join('2147483648').error?.issues[0]?.path).toEqual(['nodes', 0, 'node_id'])
  expect(join('6f1d3c52-7f0a-5d7b-9a55-0c6f2f7d1a10').success).toBe(true)
})
