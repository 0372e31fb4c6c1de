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

test('disables an action exactly when the contract forbids it, and always gives a reason', () => {
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

test('prefers a specific reason to a description of the required state', () => {
  const t = textsNow('instances')
  const why = (action: InstanceAction, part: Partial<Instance>) => whyNot(action, instance(part), t)
  expect(why('setPassword', {})).toBe('The image has no guest agent that can set the password')
  expect(why('setPassword', { status: 'SHUTOFF' })).toBe(
    'The virtual machine must be active. Current status: Shut down',
  )
  expect(why('migrate', { has_pci_devices: true })).toContain('PCI devices on its node')
  expect(why('migrate', { flavor: { extra_specs: { 'resources:VGPU': '1' } } as never })).toContain('uses a vGPU')
  expect(why('start', { status: 'ERROR' })).toBe('Use a hard reboot to start a virtual machine in the error state')
  expect(why('evacuate', {})).toBe('Available only when the node is not responding. Current status: Active')
})

test('offers a resize of a running instance if it allows live resize or the engine can restart it', () => {
  const t = textsNow('instances')
  expect(whyNoFlavor(instance({}), false, t)).toBe('Shut down the virtual machine before you resize it')
  expect(whyNoFlavor(instance({}), true, t)).toBeUndefined()
  expect(whyNoFlavor(instance({ allow_live_resize: true }), false, t)).toBeUndefined()
  expect(whyNoFlavor(instance({ status: 'SHUTOFF' }), false, t)).toBeUndefined()
  expect(whyNoFlavor(instance({ status: 'LIVE_RESIZE' }), true, t)).toContain('Resizing')
  expect(whyNoFlavor(instance({ status: 'PAUSED' }), true, t)).toBeDefined()
})

test('shows a running task instead of the status', () => {
  const t = textsNow('instances')
  const text = (part: Partial<Instance>) => t(shownStatus(instance(part)).text)
  expect(text({})).toBe('Active')
  expect(text({ task_state: 'powering-off' })).toBe('Shutting down')
  expect(text({ task_state: 'resize_migrating' })).toBe('Resizing')
  expect(text({ task_state: 'block_device_mapping', status: 'BUILD' })).toBe('Building')
  expect(text({ status: 'SHUTOFF' })).toBe('Shut down')
  expect(text({ host_status: 'DOWN' })).toBe('Node not responding')
  expect(text({ host_status: 'DOWN', status: 'ERROR' })).toBe('Error')
})

test('has a label for every status and every task state', () => {
  for (const status of instanceStatuses) expect(shownStatus(instance({ status })).text).toBeTruthy()
  for (const task_state of instanceTaskStates)
    expect(shownStatus(instance({ task_state })).text, task_state).not.toBe('instances.doing.working')
})

test('distinguishes deleting no volumes from deleting those marked with `delete_on_termination`', () => {
  expect(deletedVolumesQuery([])).toBe(',')
  expect(deletedVolumesQuery(['a', 'b'])).toBe('a,b')
})
