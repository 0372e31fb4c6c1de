import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { GiB } from '@mainstay/contract/core/bytes'
import { MAX_INCREMENTS } from '@mainstay/contract/storage/backup-rules'
import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import type { Volume } from '@mainstay/contract/storage/volumes'
import type { VolumeSnapshot } from '@mainstay/contract/storage/volume-snapshots'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Place } from '../../../backup-places'
import { digestOf, storeFile } from './point-files'
import { memberOf, openSimulatedCloud, type SimulatedCloud } from '../../testing/embedded-cloud'

const scope = memberOf('ours')
let cloud: SimulatedCloud
let target: string
beforeEach(async () => {
  target = mkdtempSync(join(tmpdir(), 'mainstay-target-'))
  cloud = await openSimulatedCloud({ limits: { backupRetryMs: 50, backupPatienceMs: 60_000 } })
  await cloud.storage.backupTarget.set({ driver: 'posix', posix_path: target })
})
afterEach(async () => {
  vi.useRealTimers()
  await cloud.close()
  rmSync(target, { recursive: true, force: true })
})

const row = (id: string) => cloud.memory.get<VolumeBackup>('volume_backup', id)
async function volume(name = 'data'): Promise<string> {
  const draft = { name, description: '', size: GiB, image_id: null, bootable: false }
  const { id } = await cloud.storage.volumes.create(scope, draft)
  await cloud.server.idle()
  return id
}
async function begin(volume_id: string): Promise<string> {
  const order = { volume_ids: [volume_id], name: 'hourly', description: '', full: false, plan: null }
  const [made] = await cloud.storage.volumeBackups.createInstant(scope, order)
  return made!.id
}
async function point(volume_id: string): Promise<VolumeBackup> {
  const id = await begin(volume_id)
  await cloud.server.idle()
  expect(row(id)).toMatchObject({ status: 'available', fault: null })
  return row(id)!
}
const stored = () => readdirSync(target).filter((name) => name.endsWith('.qcow2'))
const damage = (id: string) => writeFileSync(join(target, `${id}.qcow2`), 'simulated disk 1 \n')

test('a chain has at most seven increments', async () => {
  const disk = await volume()
  const points: VolumeBackup[] = []
  for (let number = 0; number < MAX_INCREMENTS + 2; number++) points.push(await point(disk))
  const fulls = points.flatMap((one, index) => (one.is_incremental ? [] : [index]))
  expect(fulls).toEqual([0, MAX_INCREMENTS + 1])
})

test('a damaged file is noticed, also for the recovery points that need it, and the next one is complete', async () => {
  const disk = await volume()
  const [first, second, third] = [await point(disk), await point(disk), await point(disk)]
  damage(second.id)
  await cloud.storage.volumeBackups.verify(scope, third.id)
  await cloud.server.idle()
  expect(row(first.id)).toMatchObject({ status: 'available', damaged_by: null })
  for (const { id } of [second, third]) expect(row(id)).toMatchObject({ damaged_by: second.id })
  expect(row(second.id)).toMatchObject({ verified_at: null })
  await expect(cloud.storage.volumeBackups.restore(scope, third.id, { name: 'again' })).rejects.toMatchObject({
    code: 'backup_damaged',
  })
  const checks = await cloud.storage.volumeBackups.checkRestore(scope, [third.id])
  expect(checks.find(({ name }) => name === 'chain')).toMatchObject({ ok: false })
  expect(await point(disk)).toMatchObject({ is_incremental: false, parent_id: null })
})

test('a restore checks what it reads, and leaves no volume that looks usable', async () => {
  const disk = await volume()
  const { id } = await point(disk)
  damage(id)
  const { restored_volume_id } = await cloud.storage.volumeBackups.restore(scope, id, { name: 'again' })
  await cloud.server.idle()
  expect(cloud.memory.get<Volume>('volume', restored_volume_id)).toMatchObject({
    ...{ status: 'error', fault: expect.stringContaining('damaged') },
  })
  expect(row(id)).toMatchObject({ status: 'error_restoring', fault: expect.stringContaining('damaged') })
  expect(readdirSync(join(cloud.folder, 'points'))).toEqual([])
})

test('waits for a target that cannot be used, says why, and goes on when it is back', async () => {
  const disk = await volume()
  await point(disk)
  const away = `${target}-away`
  renameSync(target, away)
  mkdirSync(target)
  const id = await begin(disk)
  await vi.waitFor(() =>
    expect(row(id)).toMatchObject({
      status: 'creating',
      fault: expect.stringContaining('is not available at the moment'),
    }),
  )
  // the volume can be used meanwhile
  expect(cloud.memory.get<Volume>('volume', disk)).toMatchObject({ status: 'available' })
  expect(readdirSync(target)).toEqual([])
  rmSync(target, { recursive: true })
  renameSync(away, target)
  await vi.waitFor(
    () => expect(row(id)).toMatchObject({ status: 'available', fault: null, is_incremental: true }),
    5_000,
  )
  expect(stored()).toHaveLength(2)
})

test('a volume that was reverted or extended since the last one is captured completely', async () => {
  const disk = await volume()
  await point(disk)
  const { id } = await cloud.storage.volumeSnapshots.create(scope, { volume_id: disk, name: 'before', description: '' })
  await cloud.server.idle()
  expect(cloud.memory.get<VolumeSnapshot>('volume_snapshot', id)).toMatchObject({ status: 'available' })
  expect(await point(disk)).toMatchObject({ is_incremental: true })
  await cloud.storage.volumeSnapshots.revert(scope, id)
  await cloud.server.idle()
  expect(await point(disk)).toMatchObject({ is_incremental: false, parent_id: null })
  await cloud.storage.volumes.extend(scope, disk, 2 * GiB)
  await cloud.server.idle()
  expect(await point(disk)).toMatchObject({ is_incremental: false, size: 2 * GiB })
})

test('keeps the order of recovery points if the clock is set back', async () => {
  const disk = await volume()
  const first = await point(disk)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3600_000 })
  const second = await point(disk)
  expect(second.parent_id).toBe(first.id)
  expect(Date.parse(second.taken_at)).toBeGreaterThan(Date.parse(first.taken_at))
})

test('an expired recovery point is merged into the next one, which stays the same', async () => {
  const disk = await volume()
  const [first, second, third] = [await point(disk), await point(disk), await point(disk)]
  await cloud.storage.volumeBackups.expire(scope, [first.id])
  await cloud.server.idle()
  expect(row(first.id)).toBeNull()
  expect(row(second.id)).toMatchObject({ is_incremental: false, parent_id: null, taken_at: second.taken_at })
  expect(row(third.id)).toMatchObject({ is_incremental: true, parent_id: second.id })
  expect(stored().toSorted()).toEqual([`${second.id}-whole.qcow2`, `${third.id}.qcow2`].toSorted())
  const { restored_volume_id } = await cloud.storage.volumeBackups.restore(scope, third.id, { name: 'again' })
  await cloud.server.idle()
  expect(cloud.memory.get<Volume>('volume', restored_volume_id)).toMatchObject({ status: 'available' })
})

test('an expired recovery point stays while one that does not expire needs it', async () => {
  const disk = await volume()
  const base = await point(disk)
  const kept = await point(disk)
  // a new chain, all of which expires at once with the base of the first one
  await cloud.storage.volumes.extend(scope, disk, 2 * GiB)
  await cloud.server.idle()
  const [full, increment, last] = [await point(disk), await point(disk), await point(disk)]
  damage(kept.id)
  await cloud.storage.volumeBackups.verify(scope, kept.id)
  await cloud.server.idle()
  await cloud.storage.volumeBackups.expire(scope, [base.id, full.id, increment.id])
  await cloud.server.idle()
  expect(row(base.id)).toMatchObject({ status: 'available', has_dependents: true })
  expect(row(kept.id)).toMatchObject({ parent_id: base.id })
  expect(row(last.id)).toMatchObject({ parent_id: increment.id })
})

test('a missing file counts as damaged, until it is back', async () => {
  const disk = await volume()
  const [first, second] = [await point(disk), await point(disk)]
  const file = join(target, `${first.id}.qcow2`)
  renameSync(file, `${file}.away`)
  const verify = async () => {
    await cloud.storage.volumeBackups.verify(scope, second.id)
    await cloud.server.idle()
    return [row(first.id)?.damaged_by, row(second.id)?.damaged_by]
  }
  expect(await verify()).toEqual([first.id, first.id])
  expect(await point(disk)).toMatchObject({ is_incremental: false })
  renameSync(`${file}.away`, file)
  expect(await verify()).toEqual([null, null])
})

test('a restore that finds damage notes it, and a chain without its beginning is not restored', async () => {
  const disk = await volume()
  const [first, second] = [await point(disk), await point(disk)]
  damage(first.id)
  await cloud.storage.volumeBackups.restore(scope, second.id, { name: 'again' })
  await cloud.server.idle()
  expect([row(first.id)?.damaged_by, row(second.id)?.damaged_by]).toEqual([first.id, first.id])

  const other = await volume()
  const [base, onTop] = [await point(other), await point(other)]
  await cloud.server.records.transaction((tx) => tx.remove('volume_backup', base.id))
  await expect(cloud.storage.volumeBackups.restore(scope, onTop.id, { name: 'half' })).rejects.toMatchObject({
    code: 'backup_damaged',
  })
})

test('an increment is not stored at a target that lacks what it needs', async () => {
  const disk = await volume()
  await point(disk)
  rmSync(target, { recursive: true })
  const id = await begin(disk)
  await vi.waitFor(() => expect(row(id)?.fault).not.toBeNull())
  mkdirSync(`${target}-other`)
  await cloud.storage.backupTarget.set({ driver: 'posix', posix_path: `${target}-other` })
  await vi.waitFor(() => expect(row(id)).toMatchObject({ status: 'error', fault: expect.stringContaining('changed') }))
  expect(await point(disk)).toMatchObject({ is_incremental: false })
  expect(readdirSync(`${target}-other`).filter((name) => name.endsWith('.qcow2'))).toHaveLength(1)
  rmSync(`${target}-other`, { recursive: true })
})

test('a copy that differs is not accepted, neither at once nor later', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mainstay-copies-'))
  const file = join(folder, 'captured')
  writeFileSync(file, 'the content')
  const signal = new AbortController().signal
  const captured = await digestOf(file, signal)
  const place: Place = {
    location: (name) => name,
    write: async () => undefined,
    moveIn: async () => 'copied',
    read: async () => Readable.from([Buffer.from('The content')]),
    remove: async () => undefined,
    free: async () => null,
  }
  const store = () => storeFile({ id: 'a-target', place, key: null }, { file, name: 'point', captured, signal })
  await expect(store()).rejects.toMatchObject({ code: 'backup_target_unavailable' })
  expect(existsSync(file)).toBe(true)
  rmSync(file)
  await expect(store()).rejects.toMatchObject({ code: 'backup_damaged' })
  rmSync(folder, { recursive: true })
})
