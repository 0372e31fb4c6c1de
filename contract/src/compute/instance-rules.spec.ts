import { englishText } from '../core/english'
import { expect, test } from 'vitest'
import {
  canLiveResize,
  instanceActions,
  instanceCan,
  instanceInProgress,
  instanceIsErrored,
  instanceIsRunning,
  instanceIsStopped,
  instanceStatuses,
  instanceTakesRoom,
  instanceTaskStates,
  whyNotNow,
  type InstanceAction,
  type InstanceFacts,
  type InstanceStatus,
} from './instance-rules'

const instance = (status: InstanceStatus, change: Partial<InstanceFacts> = {}): InstanceFacts => ({
  status,
  task_state: null,
  host_status: 'UP',
  allow_live_resize: false,
  allow_set_password: false,
  has_pci_devices: false,
  flavor: { extra_specs: {} },
  ...change,
})
const statusesWhere = (holds: (status: InstanceStatus) => boolean) => instanceStatuses.filter(holds)
const allowedFor = (action: InstanceAction) => statusesWhere((status) => instanceCan(action, instance(status)))

test('the 22 instance statuses match the specification [ST-063]', () => {
  const all =
    'ACTIVE, BUILD, HARD_REBOOT, MIGRATING, PASSWORD, REBOOT, REBUILD, RESIZE, REVERT_RESIZE, VERIFY_RESIZE, PAUSED, ' +
    'SHELVED, SHELVED_OFFLOADED, SHUTOFF, SUSPENDED, RESCUE, DELETED, ERROR, SOFT_DELETED, UNKNOWN, LIVE_RESIZE, ' +
    'VERIFY_LIVE_RESIZE'
  expect([...instanceStatuses].toSorted()).toEqual(all.split(', ').toSorted())
})

test('task states include deleting, rebooting, the resize states, shelving and spawning [ST-064]', () => {
  for (const state of ['deleting', 'rebooting', 'shelving', 'spawning']) expect(instanceTaskStates).toContain(state)
  expect(instanceTaskStates.filter((state) => state.startsWith('resize_'))).toHaveLength(6)
})

test('an operation is in progress if the task state or the status of the instance indicates so [ST-065]', () => {
  expect(statusesWhere((status) => instanceInProgress({ status, task_state: null }))).toEqual([
    'BUILD',
    'HARD_REBOOT',
    'MIGRATING',
    'PASSWORD',
    'REBOOT',
    'REBUILD',
    'RESIZE',
    'REVERT_RESIZE',
    'VERIFY_RESIZE',
    'LIVE_RESIZE',
    'VERIFY_LIVE_RESIZE',
  ])
  for (const task_state of instanceTaskStates) expect(instanceInProgress({ status: 'ACTIVE', task_state })).toBe(true)
})

test('ACTIVE, both live resize statuses and RESCUE count as running [ST-066]', () => {
  expect(statusesWhere((status) => instanceIsRunning({ status }))).toEqual([
    'ACTIVE',
    'RESCUE',
    'LIVE_RESIZE',
    'VERIFY_LIVE_RESIZE',
  ])
})
test('SUSPENDED, PAUSED, SHUTOFF and the shelved statuses count as stopped [ST-067]', () => {
  expect(statusesWhere((status) => instanceIsStopped({ status }))).toEqual([
    'PAUSED',
    'SHELVED',
    'SHELVED_OFFLOADED',
    'SHUTOFF',
    'SUSPENDED',
  ])
})
test('ERROR and UNKNOWN count as errored [ST-068]', () => {
  expect(statusesWhere((status) => instanceIsErrored({ status }))).toEqual(['ERROR', 'UNKNOWN'])
})

test('a disk can be resized only in ACTIVE, PAUSED and SHUTOFF [ST-069]', () => {
  expect(allowedFor('resizeDisk')).toEqual(['ACTIVE', 'PAUSED', 'SHUTOFF'])
})

test('refuses to delete an instance while an operation is in progress [ST-070]', () => {
  for (const status of instanceStatuses) {
    if (instanceInProgress({ status, task_state: null })) expect(instanceCan('delete', instance(status))).toBe(false)
    for (const task_state of instanceTaskStates)
      expect(instanceCan('delete', instance(status, { task_state }))).toBe(false)
  }
  expect(instanceCan('delete', instance('ACTIVE'))).toBe(true)
})

test('a live resize requires allow_live_resize and the status ACTIVE [ST-071]', () => {
  for (const status of instanceStatuses) {
    expect(canLiveResize(instance(status))).toBe(false)
    expect(canLiveResize(instance(status, { allow_live_resize: true }))).toBe(status === 'ACTIVE')
  }
  expect(instanceCan('resize', instance('ACTIVE'))).toBe(false)
  expect(instanceCan('resize', instance('ACTIVE', { allow_live_resize: true }))).toBe(true)
})

test('the guest password can be set only in ACTIVE, and only if the image supports it', () => {
  expect(allowedFor('setPassword')).toEqual([])
  expect(statusesWhere((status) => instanceCan('setPassword', instance(status, { allow_set_password: true })))).toEqual(
    ['ACTIVE'],
  )
})

test('an instance with PCI devices can migrate only when shut down [ST-072]', () => {
  expect(allowedFor('migrate')).toEqual(['ACTIVE', 'SHUTOFF'])
  const withCard = (status: InstanceStatus) => instance(status, { has_pci_devices: true })
  expect(statusesWhere((status) => instanceCan('migrate', withCard(status)))).toEqual(['SHUTOFF'])
})

test('an instance with a vGPU flavor can migrate only when shut down [ST-073]', () => {
  const movesIn = (extra_specs: Record<string, string>) =>
    statusesWhere((status) => instanceCan('migrate', instance(status, { flavor: { extra_specs } })))
  expect(movesIn({ 'resources:VGPU': '1' })).toEqual(['SHUTOFF'])
  expect(movesIn({ pci_alias: 'nvidia-vgpu:1' })).toEqual(['SHUTOFF'])
  expect(movesIn({ 'hw:cpu_policy': 'shared' })).toEqual(['ACTIVE', 'SHUTOFF'])
})

test('refuses to migrate an instance on a node that does not respond', () => {
  expect(instanceCan('migrate', instance('ACTIVE', { host_status: 'DOWN' }))).toBe(false)
  expect(instanceCan('migrate', instance('SHUTOFF', { host_status: 'UNKNOWN' }))).toBe(false)
})

test('allows evacuation only from a node that does not respond', () => {
  expect(allowedFor('evacuate')).toEqual([])
  for (const host_status of ['DOWN', 'UNKNOWN'] as const)
    expect(statusesWhere((status) => instanceCan('evacuate', instance(status, { host_status })))).toEqual([
      'ACTIVE',
      'SHUTOFF',
      'ERROR',
    ])
  expect(instanceCan('evacuate', instance('ACTIVE', { host_status: 'MAINTENANCE' }))).toBe(false)
})

test('a migration can be stopped only while it runs', () => {
  for (const task_state of [null, 'migrating'] as const)
    expect(statusesWhere((status) => instanceCan('stopMigration', instance(status, { task_state })))).toEqual([
      'MIGRATING',
    ])
})

test('during a shutdown, only power off, cancel, console and reset are allowed', () => {
  const stopping = instance('ACTIVE', { task_state: 'powering-off' })
  expect(instanceActions.filter((action) => instanceCan(action, stopping))).toEqual([
    'powerOff',
    'cancelShutdown',
    'console',
    'resetState',
  ])
})

test('an instance in the error state can be hard-rebooted, rescued, renamed, reset or deleted, not started', () => {
  expect(instanceActions.filter((action) => instanceCan(action, instance('ERROR')))).toEqual([
    'hardReboot',
    'rescue',
    'rename',
    'resetState',
    'delete',
  ])
})

test('refuses to start or reboot an instance in the error state, and suggests a hard reboot', () => {
  const inError = { status: 'ERROR', task_state: null } as const
  for (const action of ['start', 'reboot'] as const)
    expect(englishText(whyNotNow(action, inError))).toBe(
      'The virtual machine is in the error state. Start it with a hard reboot.',
    )
  expect(englishText(whyNotNow('pause', inError))).toBe(
    'This action is not available while the virtual machine status is ERROR',
  )
  expect(englishText(whyNotNow('start', { status: 'ERROR', task_state: 'rebooting_hard' }))).toMatch(
    /busy \(status ERROR, task rebooting_hard\)/,
  )
})

test('a shelved instance can only be unshelved, renamed, reset or deleted', () => {
  expect(allowedFor('shelve')).toEqual(['ACTIVE', 'PAUSED', 'SHUTOFF', 'SUSPENDED'])
  for (const status of ['SHELVED', 'SHELVED_OFFLOADED'] as const)
    expect(instanceActions.filter((action) => instanceCan(action, instance(status)))).toEqual([
      'unshelve',
      'rename',
      'resetState',
      'delete',
    ])
})

test('an offloaded instance uses no vCPUs or memory until it is unshelved', () => {
  expect(statusesWhere((status) => !instanceTakesRoom({ status, task_state: null }))).toEqual(['SHELVED_OFFLOADED'])
  expect(instanceTakesRoom({ status: 'SHELVED_OFFLOADED', task_state: 'unshelving' })).toBe(true)
  expect(instanceTakesRoom({ status: 'SHELVED_OFFLOADED', task_state: 'deleting' })).toBe(false)
})

test('a rescued instance can be unrescued, stopped, viewed on the console, renamed, reset and deleted', () => {
  expect(instanceActions.filter((action) => instanceCan(action, instance('RESCUE')))).toEqual([
    'shutDown',
    'powerOff',
    'unrescue',
    'console',
    'rename',
    'resetState',
    'delete',
  ])
})
