import {
  instanceActions,
  instanceCan,
  instanceStatuses,
  instanceTaskStates,
  type InstanceAction,
} from '@mainstay/contract/compute/instance-rules'
import type { Instance } from '@mainstay/contract/compute/instances'
import { beforeAll, expect, test } from 'vitest'
import { loadTexts, textsNow } from '../../../i18n/use-t'
import { whyNoFlavor, whyNot } from './instance-reasons'
import { shownStatus } from './instance-status'
import { deletedVolumesQuery } from './use-instance-calls'

beforeAll(() => loadTexts('instances'))

const instance = (part: Partial<Instance>): Instance =>
  ({
    status: 'ACTIVE',
    task_state: null,
    host_status: 'UP',
    allow_live_resize: false,
    allow_set_password: false,
    has_pci_devices: false,
    flavor: { extra_specs: {} },
    ...part,
  }) as Instance

test('an action is barred exactly when the rule says so, and always with a reason', () => {
  const t = textsNow('instances')
  for (const status of instanceStatuses)
    for (const task_state of [null, ...instanceTaskStates])
      for (const action of instanceActions) {
        const it = instance({ status, task_state })
        expect(whyNot(action, it, t) === undefined, `${action} in ${status}/${task_state}`).toBe(
          instanceCan(action, it),
        )
      }
})

test('what bars an action in spite of the state is said instead of the state', () => {
  const t = textsNow('instances')
  const why = (action: InstanceAction, part: Partial<Instance>) => whyNot(action, instance(part), t)
  expect(why('setPassword', {})).toBe('Its image has no guest agent that could set it')
  expect(why('setPassword', { status: 'SHUTOFF' })).toBe('Only while it is active. Now: Shut down')
  expect(why('migrate', { has_pci_devices: true })).toContain('devices of its node')
  expect(why('migrate', { flavor: { extra_specs: { 'resources:VGPU': '1' } } as never })).toContain('graphics card')
  expect(why('start', { status: 'ERROR' })).toBe('It is in error. Start it by a hard reboot')
  expect(why('evacuate', {})).toBe('Only when its node does not answer. Now: Active')
})

test('one that runs can have another flavor where it allows that, or where the engine restarts it', () => {
  const t = textsNow('instances')
  expect(whyNoFlavor(instance({}), false, t)).toBe('Shut it down first: it cannot be resized while it runs')
  expect(whyNoFlavor(instance({}), true, t)).toBeUndefined()
  expect(whyNoFlavor(instance({ allow_live_resize: true }), false, t)).toBeUndefined()
  expect(whyNoFlavor(instance({ status: 'SHUTOFF' }), false, t)).toBeUndefined()
  expect(whyNoFlavor(instance({ status: 'LIVE_RESIZE' }), true, t)).toContain('Resizing')
  expect(whyNoFlavor(instance({ status: 'PAUSED' }), true, t)).toBeDefined()
})

test('what it is doing stands before what it is', () => {
  const t = textsNow('instances')
  const text = (part: Partial<Instance>) => t(shownStatus(instance(part)).text)
  expect(text({})).toBe('Active')
  expect(text({ task_state: 'powering-off' })).toBe('Shutting down')
  expect(text({ task_state: 'resize_migrating' })).toBe('Resizing')
  expect(text({ task_state: 'block_device_mapping', status: 'BUILD' })).toBe('Building')
  expect(text({ status: 'SHUTOFF' })).toBe('Shut down')
  expect(text({ host_status: 'DOWN' })).toBe('Node does not answer')
  expect(text({ host_status: 'DOWN', status: 'ERROR' })).toBe('Error')
})

test('every status and every task has a word of its own', () => {
  for (const status of instanceStatuses) expect(shownStatus(instance({ status })).text).toBeTruthy()
  for (const task_state of instanceTaskStates)
    expect(shownStatus(instance({ task_state })).text, task_state).not.toBe('instances.doing.working')
})

test('no volume ticked is not the same as leaving the choice to the flags', () => {
  expect(deletedVolumesQuery([])).toBe(',')
  expect(deletedVolumesQuery(['a', 'b'])).toBe('a,b')
})
