import { expect, test } from 'vitest'
import { interfaceStatus } from './interfaces'
import { NodeStatus, nodeStatus, type NodeCondition } from './node-rules'

const node = (more: Partial<NodeCondition> = {}): NodeCondition => ({
  ...{ is_online: true, is_assigned: true, recovery: null, maintenance: null, activity: null },
  services: [{ status: 'running' }],
  ...more,
})
const failed = { services: [{ status: 'running' }, { status: 'failed' }] }

/** In order of precedence: each condition overrides all conditions below it. */
const conditions: readonly [NodeStatus, Partial<NodeCondition>][] = [
  ['offline', { is_online: false }],
  ['recovery_failed', { recovery: { state: 'failed' } }],
  ['recovering', { recovery: { state: 'running' } }],
  ['installing', { activity: 'installing' }],
  ['suspending', { maintenance: { state: 'suspending' } }],
  ['maintenance', { maintenance: { state: 'suspended' } }],
  ['resuming', { maintenance: { state: 'resuming' } }],
  ['suspend_incomplete', { maintenance: { state: 'suspend_incomplete' } }],
  ['resume_incomplete', { maintenance: { state: 'resume_incomplete' } }],
  ['releasing', { activity: 'releasing' }],
  ['in_progress', { activity: 'in_progress' }],
  ['unassigned', { is_assigned: false }],
  ['failed', failed],
  ['healthy', {}],
]

test('derives each status of a node from the first condition that applies [ST-044]', () => {
  expect(conditions.map(([status]) => status).toSorted()).toEqual(NodeStatus.options.toSorted())
  for (const [at, [status, condition]] of conditions.entries())
    for (const [, lower] of conditions.slice(at)) expect(nodeStatus(node({ ...lower, ...condition }))).toBe(status)
})

test('a node has failed if any of its services has failed [ST-045]', () => {
  expect(nodeStatus(node(failed))).toBe('failed')
  expect(nodeStatus(node({ services: [{ status: 'stopped' }, { status: 'starting' }] }))).toBe('healthy')
})

test('an interface is disabled, unplugged, or has a warning if it is slow or half duplex', () => {
  const status = (more: object) => interfaceStatus({ state: 'up', speed: 1000, duplex: 'full', ...more })
  expect(status({})).toBe('ok')
  expect(status({ speed: null, duplex: null })).toBe('ok')
  expect([status({ state: 'down' }), status({ state: 'no_carrier' })]).toEqual(['disabled', 'unplugged'])
  expect([status({ speed: 100 }), status({ duplex: 'half' })]).toEqual(['warning', 'warning'])
})
