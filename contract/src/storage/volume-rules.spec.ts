import { expect, test } from 'vitest'
import { GiB, TiB } from '../core/bytes'
import type { InstanceFacts } from '../compute/instance-rules'
import {
  attachedVolumeCanBeImage,
  attachedVolumeCanClone,
  attachedVolumeCanExtend,
  volumeCan,
  volumeInProgress,
  volumeIsErrored,
  volumeStatuses,
  type VolumeAction,
} from './volume-rules'
import { MAX_VOLUME_BYTES, MIN_VOLUME_BYTES, StorageSize } from './volumes'

const allowedFor = (action: VolumeAction) => volumeStatuses.filter((status) => volumeCan(action, { status }))

test('a volume has at least 1 GiB [CO-050]', () => {
  expect(MIN_VOLUME_BYTES).toBe(1_073_741_824)
  expect(StorageSize.safeParse(GiB).success).toBe(true)
  expect(StorageSize.safeParse(GiB - 1).success).toBe(false)
  expect(StorageSize.safeParse(0).success).toBe(false)
})

test('a volume has at most 512 TiB [CO-051]', () => {
  expect(MAX_VOLUME_BYTES).toBe(562_949_953_421_312)
  expect(StorageSize.safeParse(512 * TiB).success).toBe(true)
  expect(StorageSize.safeParse(512 * TiB + GiB).success).toBe(false)
})

test('a volume size is in bytes and a multiple of 1 GiB', () => {
  for (const size of [1.5 * GiB, GiB + 1, Number.NaN, Infinity, '1'])
    expect(StorageSize.safeParse(size).success).toBe(false)
})

test('each action requires certain statuses, and none is allowed while an operation is in progress', () => {
  expect(allowedFor('attach')).toEqual(['available'])
  expect(allowedFor('detach')).toEqual(['in-use'])
  for (const action of ['extend', 'clone', 'uploadToImage'] as const)
    expect(allowedFor(action)).toEqual(['available', 'in-use'])
  expect(allowedFor('delete')).toEqual(['available', ...volumeStatuses.filter((status) => volumeIsErrored({ status }))])
  for (const status of volumeStatuses.filter((it) => volumeInProgress({ status: it }))) {
    for (const action of ['attach', 'detach', 'extend', 'rename', 'delete', 'clone', 'uploadToImage'] as const)
      expect(volumeCan(action, { status })).toBe(false)
  }
})

test('attached volumes can be extended and cloned in ACTIVE, PAUSED and SHUTOFF, but imaged only in SHUTOFF', () => {
  const instance = (
    status: InstanceFacts['status'],
    task_state: InstanceFacts['task_state'] = null,
  ): InstanceFacts => ({
    status,
    task_state,
    host_status: 'UP',
    allow_live_resize: false,
    allow_set_password: false,
    has_pci_devices: false,
    flavor: { extra_specs: {} },
  })
  for (const status of ['ACTIVE', 'PAUSED', 'SHUTOFF'] as const) {
    expect(attachedVolumeCanExtend(instance(status))).toBe(true)
    expect(attachedVolumeCanClone(instance(status))).toBe(true)
    expect(attachedVolumeCanBeImage(instance(status))).toBe(status === 'SHUTOFF')
  }
  expect(attachedVolumeCanBeImage(instance('SHUTOFF', 'powering-on'))).toBe(false)
  for (const status of ['SUSPENDED', 'RESCUE', 'ERROR', 'BUILD'] as const)
    expect(attachedVolumeCanExtend(instance(status))).toBe(false)
  expect(attachedVolumeCanExtend(instance('ACTIVE', 'rebooting'))).toBe(false)
})
