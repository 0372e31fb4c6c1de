import { Restoration } from '@mainstay/contract/storage/volume-backups'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { refusal } from '../../../conformance/cloud'
import type { VolumeBackupsPort } from '../../../ports/storage'
import { startBackupFixture, type BackupFixture } from '../../testing/backup-fixture'
import { cinderRefusal } from '../../testing/fake-cloud/refusals'
import type { FakeVolume } from '../../testing/fake-cloud/volumes'

let fixture: BackupFixture
let cinder: BackupFixture['cinder']
let backups: VolumeBackupsPort
beforeEach(async () => {
  fixture = await startBackupFixture()
  ;({ cinder, backups } = fixture)
})
afterEach(() => fixture.close())

const restores = 'compute.volume_backup.restore'
/** A recovery point of a deleted volume. */
const addPoint = (metadata: Record<string, string> = {}) =>
  fixture.addBackup({ volume_id: 'deleted', name: 'nightly', size: 2, metadata })
const restore = (id: string, change: { storage_policy?: string } = {}, scope = fixture.member) =>
  backups.restore(scope, id, { name: 'found-again', ...change })
const sent = (path: string) => fixture.cloud.received.findLast((call) => call.verb === 'POST' && call.path === path)
const nothingDone = [{ name: 'compute.volume.delete', hidden: true, subject: { kind: 'volume', name: 'found-again' } }]
/** Creates new volumes without delay, so that tests do not have to complete the operations of the cloud. */
const createsAtOnce = () =>
  fixture.cloud.on('volume', 'POST', '/volumes', ({ body, token }) => {
    const draft = (body as { volume: Partial<FakeVolume> }).volume
    const volume = cinder.add({ ...draft, 'os-vol-tenant-attr:tenant_id': token!.project!.id })
    return { status: 202, body: { volume } }
  })
const refuseRestores = (status: number, words: string) =>
  fixture.cloud.on('volume', 'POST', '/backups/:id/restore', () => cinderRefusal(status, 'fault', words))

test('restores to a new volume with the storage policy of the original, and keeps it bootable', async () => {
  const { id } = await addPoint({ mainstay_storage_policy: 'hidden', mainstay_bootable: 'true' })
  fixture.keepSettling()
  const restored = await restore(id)
  expect(restored).toEqual(Restoration.parse(restored))
  expect(restored).toMatchObject({ id, status: 'restoring' })
  const { restored_volume_id } = restored
  expect(cinder.volumes.get(restored_volume_id)).toMatchObject({
    ...{ name: 'found-again', size: 2, volume_type: 'hidden', bootable: 'true' },
    'os-vol-tenant-attr:tenant_id': 'p-demo',
  })
  expect(sent(`/backups/${id}/restore`)).toMatchObject({
    token: { user: { name: 'demo' } },
    body: { restore: { volume_id: restored_volume_id } },
  })
  expect(fixture.begun).toMatchObject([
    { name: restores, subject: { kind: 'volume_backup', id }, args: { volume: restored_volume_id } },
  ])
  await fixture.runTask()
  expect(fixture.index.get(`volume_backup/${id}`)).toMatchObject({ status: 'available' })
  expect(fixture.index.get(`volume/${restored_volume_id}`)).toMatchObject({ status: 'available', bootable: true })
})

test('uses the requested storage policy, or that of the cloud if the original one no longer exists', async () => {
  fixture.keepSettling()
  const { id } = await addPoint({ mainstay_storage_policy: 'removed' })
  expect(await refusal(restore(id, { storage_policy: 'none-such' }))).toMatchObject({
    fields: { storage_policy: [expect.any(String)] },
  })
  await restore(id, { storage_policy: 'hidden' })
  expect(sent('/volumes')?.body).toMatchObject({ volume: { volume_type: 'hidden' } })
  const other = await addPoint({ mainstay_storage_policy: 'removed' })
  await restore(other.id)
  expect(sent('/volumes')?.body).toEqual({ volume: expect.not.objectContaining({ volume_type: expect.anything() }) })
})

test('fails the task with the reason if the volume ends up in the error state', async () => {
  const { id } = await addPoint()
  fixture.keepSettling()
  const { restored_volume_id } = await restore(id)
  cinder.volumes.get(restored_volume_id)!.status = 'error_restoring'
  await expect(fixture.runTask(restores)).rejects.toThrow('No space left')
})

test.each([
  ['has no backup service', 404, 'Service cinder-backup could not be found.', 'backup_target_unavailable'],
  ['is busy', 400, 'Invalid backup: Backup status must be available', 'invalid_state'],
])('deletes the new volume if the cloud %s', async (_, status, words, code) => {
  const { id } = await addPoint()
  refuseRestores(status, words)
  fixture.keepSettling()
  expect(await refusal(restore(id))).toMatchObject({ code })
  expect(fixture.begun).toMatchObject(nothingDone)
  await fixture.runTask()
  expect(cinder.volumes.size).toBe(0)
})

test('deletes the new volume if the cloud cannot create it', async () => {
  const { id } = await addPoint()
  fixture.cloud.on('volume', 'POST', '/volumes', ({ body }) => {
    const draft = (body as { volume: Partial<FakeVolume> }).volume
    return { status: 202, body: { volume: cinder.add({ ...draft, status: 'error' }) } }
  })
  expect(await refusal(restore(id))).toMatchObject({
    ...{ code: 'conflict', message: expect.stringContaining('No space left') },
  })
  expect(fixture.begun).toMatchObject(nothingDone)
})

test('continues a restore after the server died, and deletes the volume of a restore that did not begin', async () => {
  createsAtOnce()
  const { id } = await addPoint()
  fixture.intents.isCutOff = true
  const { restored_volume_id } = await restore(id)
  await fixture.runIntent()
  expect(fixture.begun).toMatchObject([{ name: restores, subject: { id }, args: { volume: restored_volume_id } }])
  fixture.intents.isCutOff = false
  refuseRestores(503, 'The service is not there')
  const other = await addPoint()
  expect(await refusal(restore(other.id))).toMatchObject({ code: 'engine_unavailable' })
  await fixture.runIntent()
  expect(fixture.begun.slice(1)).toMatchObject(nothingDone)
})

test('checks the quotas before a restore', async () => {
  const { id } = await addPoint()
  const unknown = (name: string) => ({ name, ok: null, reason: null })
  const check = () => backups.checkRestore(fixture.member, [id])
  expect(await check()).toEqual([unknown('chain'), unknown('target'), { name: 'quota', ok: true, reason: null }])
  cinder.quotaGiB = 1
  expect(await check()).toContainEqual({ name: 'quota', ok: false, reason: expect.stringContaining('quota') })
  expect(await refusal(restore(id))).toMatchObject({ code: 'quota_exceeded', data: { resource: 'storage' } })
  fixture.cloud.on('volume', 'GET', '/os-quota-sets/:id', () => cinderRefusal(500, 'fault', 'The service failed'))
  expect(await check()).toContainEqual(unknown('quota'))
  expect(cinder.volumes.size).toBe(0)
})
