import { describe, expect, it } from 'vitest'
import { rulesIn, type RuleText } from '../core/said'
import { whyMembershipIsFixed, whyNoMaintenance, whyNotDeleted, whyNotLeaving, whyNotReinstalled } from './node-actions'
import type { Node } from './nodes'

const link = { address: null, port: null, host_key: null, rights: null, problem: null }
const registered = {
  ...{ host: 'node-2', link: { ...link, by: 'ssh' }, tasks: [], activity: null, maintenance: null },
  ...{ is_assigned: true, is_online: true },
} satisfies Partial<Node>
type Given = Partial<Pick<Node, 'link' | 'tasks' | 'activity' | 'maintenance' | 'is_assigned' | 'is_online'>>

/** Returns the key of the message that refuses an action, without the area. */
const keyOf = (rule: RuleText | null) => (rule === null ? null : rulesIn(rule)[0]!.key.replace('infrastructure.', ''))
const local = { link: { ...link, by: 'local' } } as const
const ofCloud = { link: { ...link, by: 'engine' } } as const
const busy = { tasks: ['task-1'] }
const inMaintenance = (state: NonNullable<Node['maintenance']>['state']) => ({
  maintenance: { state, since: '2026-11-22T14:10:00.000Z', task_id: null },
})

describe('the deletion of a node', () => {
  it.each<[string | null, Given]>([
    ['node_is_here', { ...local, is_assigned: false }],
    ['node_of_engine', { ...ofCloud, is_online: false }],
    ['node_assigned', {}],
    [null, { is_online: false }],
    [null, { is_assigned: false }],
    ['node_busy', { ...busy, is_assigned: false }],
  ])('is refused with %s: %o', (key, given) => {
    expect(keyOf(whyNotDeleted({ ...registered, ...given }))).toBe(key)
  })
})

describe('a reinstallation', () => {
  it.each<[string | null, Given]>([
    ['node_is_here', { ...local, ...inMaintenance('suspended') }],
    ['node_of_engine', { ...ofCloud, is_online: false }],
    ['node_not_ready', {}],
    [null, { is_online: false }],
    [null, { is_assigned: false }],
    [null, inMaintenance('suspended')],
    // a new command can be created while the host is being installed
    [null, { is_assigned: false, activity: 'installing' }],
    ['node_busy', { ...busy, is_assigned: false }],
  ])('is refused with %s: %o', (key, given) => {
    expect(keyOf(whyNotReinstalled({ ...registered, ...given }))).toBe(key)
  })
})

describe('maintenance', () => {
  it.each<[string | null, Given]>([
    [null, {}],
    [null, local],
    ['node_offline', { is_online: false }],
    ['node_installing', { activity: 'installing' }],
    ['node_busy', { activity: 'in_progress' }],
    ['node_busy', busy],
    ['node_in_maintenance', inMaintenance('suspended')],
    // entering maintenance failed, so the node can enter it again
    [null, inMaintenance('suspend_incomplete')],
  ])('is refused with %s: %o', (key, given) => {
    expect(keyOf(whyNoMaintenance({ ...registered, ...given }))).toBe(key)
  })

  it.each<[string | null, Given]>([
    ['node_not_in_maintenance', {}],
    [null, inMaintenance('suspended')],
    [null, inMaintenance('suspend_incomplete')],
    [null, inMaintenance('resume_incomplete')],
    ['node_busy', { ...inMaintenance('suspending'), ...busy }],
    ['node_installing', { ...inMaintenance('suspended'), activity: 'installing' }],
  ])('does not end, with %s: %o', (key, given) => {
    expect(keyOf(whyNotLeaving({ ...registered, ...given }))).toBe(key)
  })
})

it.each([
  ['engine_one_node', false, false],
  ['node_not_of_cloud', false, true],
  ['node_of_engine', true, true],
] as const)('fixes the membership in the cluster with %s', (key, is_assigned, hasCloud) => {
  expect(keyOf(whyMembershipIsFixed({ host: 'node-2', is_assigned }, hasCloud))).toBe(key)
})
