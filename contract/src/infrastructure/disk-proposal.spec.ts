import { expect, test } from 'vitest'
import { GiB, TiB } from '../core/bytes'
import { availableRoles, proposeDisks } from './disk-proposal'
import type { Disk } from './disks'

const disk = (id: string, more: Partial<Disk> = {}): Disk => ({
  ...{ id, node_id: 'n', device: id, role: 'none', type: 'hdd', space: { used: null, size: 4 * TiB } },
  ...{ physical_size: 4 * TiB, model: null, serial_number: null, lun_id: null, service_id: null, service_status: null },
  service_params: { tier: null, journal_type: null, journal_disk_id: null, journal_tier: null },
  ...{ smart_status: 'passed', disk_status: 'ok', temperature: null, zoned: false, nvme: false, friezed: false },
  ...{ holders: [], issues: [], ...more },
})
const node = { id: 'n', host: 'node-1' }
const rolesOf = (disks: Disk[], isNew = true) =>
  Object.fromEntries(proposeDisks(node, disks, { isNew }).disks.map(({ id, role }) => [id, role]))
const system = disk('sys', { role: 'system', type: 'ssd', holders: ['/'] })
const flash = (id: string, size: number) => disk(id, { type: 'nvme', space: { used: null, size } })

test('the smallest flash disk caches rotating disks and holds metadata; other disks store data', () => {
  const disks = [system, flash('big', 2 * TiB), flash('small', 400 * GiB), disk('a'), disk('b')]
  expect(rolesOf(disks)).toEqual({ sys: 'system', big: 'cs', small: 'mds-journal', a: 'cs', b: 'cs' })
  const params = proposeDisks(node, disks, { isNew: true }).disks.map(({ id, service_params }) => [id, service_params])
  expect(Object.fromEntries(params)).toMatchObject({
    big: { tier: 0, journal_type: 'no_cache', journal_disk_id: null },
    small: { tier: null, journal_type: null },
    a: { tier: 2, journal_type: 'external_cache', journal_disk_id: 'small' },
  })
})

test('without a cache, stores metadata on the system disk', () => {
  expect(rolesOf([system, disk('a'), disk('b')])).toEqual({ sys: 'mds-system', a: 'cs', b: 'cs' })
  const [, { service_params }] = proposeDisks(node, [system, disk('a')], { isNew: true }).disks as [never, never]
  expect(service_params).toMatchObject({ tier: 2, journal_type: 'inner_cache' })
})

test('leaves out disks that are in use, failed or too small, with the reason', () => {
  const disks = [
    disk('mounted', { holders: ['/srv'] }),
    disk('failed', { disk_status: 'failed' }),
    disk('small', { space: { used: null, size: GiB } }),
    system,
  ]
  const { disks: proposed, issues } = proposeDisks(node, disks, { isNew: false })
  expect(proposed.map(({ left_out }) => left_out)).toEqual(['in_use', 'failed', 'too_small', 'system'])
  expect(proposed.slice(0, 3).map(({ role }) => role)).toEqual(['none', 'none', 'none'])
  expect(proposed.slice(0, 3).map(({ available_roles }) => available_roles)).toEqual([['none'], ['none'], ['none']])
  expect(issues).toEqual(['no_cs'])
})

test('completes choices and reports missing roles', () => {
  const chosen = [
    { id: 'a', role: 'none' as const, service_params: {} },
    { id: 'b', role: 'cs' as const, service_params: { tier: 3 } },
    { id: 'sys', role: 'system' as const, service_params: {} },
  ]
  const made = proposeDisks(node, [system, disk('a'), disk('b')], { chosen, isNew: true })
  expect(made.disks.map(({ role }) => role)).toEqual(['system', 'none', 'cs'])
  expect(made.disks[2]!.service_params).toMatchObject({ tier: 3, journal_type: 'inner_cache' })
  expect(made.issues).toEqual(['no_mds'])
  expect(proposeDisks(node, [system, disk('a')], { chosen: [chosen[0]!], isNew: true }).issues).toEqual(['no_cs'])
})

test('only flash disks can be a cache', () => {
  expect(availableRoles(flash('a', TiB))).toContain('mds-journal')
  expect(availableRoles(disk('a'))).not.toContain('journal')
  expect(availableRoles(system)).toEqual(['system', 'cs-system', 'mds-system'])
})
