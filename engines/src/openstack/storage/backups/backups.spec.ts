import { MAX_INCREMENTS } from '@mainstay/contract/storage/backup-rules'
import { noBackupTarget } from '@mainstay/contract/storage/backup-target'
import { GiB } from '@mainstay/contract/core/bytes'
import { VolumeBackup, type VolumeBackupDraft } from '@mainstay/contract/storage/volume-backups'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { refusal } from '../../../conformance/cloud'
import { Secret } from '../../../ports/secret'
import type { InstantOrder, VolumeBackupsPort } from '../../../ports/storage'
import { startBackupFixture, type BackupFixture } from '../../testing/backup-fixture'
import { cinderRefusal } from '../../testing/fake-cloud/refusals'
import { noBackupFiles } from './commands'
import { backupReader } from './shape'
import { targetOfCloud } from './target'

let fixture: BackupFixture
let cinder: BackupFixture['cinder']
let backups: VolumeBackupsPort
beforeEach(async () => {
  fixture = await startBackupFixture()
  ;({ cinder, backups } = fixture)
})
afterEach(() => fixture.close())

const creates = 'compute.volume_backup.create'
const deletes = 'compute.volume_backup.delete'
const create = (volume_id: string, change: Partial<VolumeBackupDraft> = {}, scope = fixture.member) =>
  backups.create(scope, { volume_id, name: 'nightly', description: '', full: false, ...change })
const order = (volume_ids: string[], change: Partial<InstantOrder> = {}): InstantOrder => ({
  ...{ volume_ids, name: 'nightly', description: '', full: false, plan: null },
  ...change,
})
const indexed = (kind: 'volume' | 'volume_backup', id: string) => fixture.index.get(`${kind}/${id}`)
const sent = (verb: string, path: string) =>
  fixture.cloud.received.findLast((call) => call.verb === verb && call.path === path)
const deletions = () =>
  fixture.cloud.received.filter(({ verb }) => verb === 'DELETE').map(({ path, token }) => [path, token?.user.name])
const day = (number: number) => `2020-01-0${number}T00:00:00.000000`
/** Creates a volume with a full recovery point and increments, oldest first. */
async function withChain(increments: number) {
  const volume = await fixture.addVolume({ name: 'data', size: 2 })
  const points: VolumeBackup[] = []
  for (let number = 1; number <= increments + 1; number++) {
    const parent_id = points.at(-1)?.id ?? null
    const metadata = { mainstay_parent: parent_id ?? '' }
    points.push(await fixture.addBackup({ volume_id: volume.id, parent_id, metadata, created_at: day(number) }))
  }
  return { volume, points, ids: points.map(({ id }) => id) }
}

describe('creating recovery points', () => {
  test("creates a recovery point of an attached volume with the caller's token, and starts a task", async () => {
    const attachment = { server_id: 's1', device: '/dev/vda', attached_at: '2026-11-21T21:00:00.000000' }
    const attached = { status: 'in-use', attachments: [attachment] }
    const volume = await fixture.addVolume({ ...attached, name: 'data', size: 2, bootable: 'true' })
    const made = await create(volume.id, { description: 'Kept' })
    expect(made).toEqual(VolumeBackup.parse(made))
    expect(made).toMatchObject({
      ...{ name: 'nightly', description: 'Kept', status: 'creating', fault: null, volume_id: volume.id },
      ...{ volume_name: 'data', size: 2 * GiB, is_incremental: false, parent_id: null, consistency: 'crash' },
      ...{ server_id: 's1', server_name: 'name of s1', storage_policy_name: 'ceph', backup_plan_id: null },
      ...{ project_id: 'p-demo', user_id: 'u-demo', domain_id: 'default' },
    })
    expect(sent('POST', '/backups')).toMatchObject({
      headers: { 'openstack-api-version': 'volume 3.43' },
      token: { user: { name: 'demo' } },
      body: {
        backup: {
          ...{ force: true, incremental: false },
          metadata: { mainstay_intent: 'intent-1', mainstay_bootable: 'true' },
        },
      },
    })
    expect(indexed('volume', volume.id)).toMatchObject({ status: 'backing-up' })
    expect(fixture.begun).toMatchObject([{ name: creates, subject: { kind: 'volume_backup', id: made.id } }])
    fixture.keepSettling()
    await fixture.runTask()
    expect(indexed('volume_backup', made.id)).toMatchObject({ status: 'available' })
    expect(indexed('volume', volume.id)).toMatchObject({ status: 'in-use' })
  })

  test('stores only changes while the chain is short and its newest recovery point is available', async () => {
    const { volume, points } = await withChain(MAX_INCREMENTS - 1)
    const newest = points.at(-1)!
    expect(await create(volume.id)).toMatchObject({ is_incremental: true, parent_id: newest.id })
    expect(indexed('volume_backup', newest.id)).toMatchObject({ has_dependents: true })
    cinder.settle()
    const full = { is_incremental: false, parent_id: null }
    expect(await create(volume.id)).toMatchObject(full)
    cinder.settle()
    expect(await create(volume.id)).toMatchObject({ is_incremental: true })
    cinder.settle()
    expect(await create(volume.id, { full: true })).toMatchObject(full)
    cinder.settle()
    cinder.addBackup({ volume_id: volume.id, status: 'error' })
    expect(await create(volume.id)).toMatchObject(full)
  })

  test('refuses volumes that cannot be captured', async () => {
    const { id } = await fixture.addVolume({ status: 'extending' })
    expect(await refusal(create(id))).toMatchObject({ code: 'invalid_state' })
    for (const attempt of [() => create('no-such-volume'), () => create(id, {}, fixture.stranger)])
      expect(await refusal(attempt())).toMatchObject({ fields: { volume_id: [expect.any(String)] } })
    expect(await refusal(backups.createInstant(fixture.member, order(['no-such-volume'])))).toMatchObject({
      code: 'not_found',
    })
    const free = await fixture.addVolume()
    expect(await refusal(create(free.id, {}, fixture.operator))).toMatchObject({ code: 'unsupported' })
    cinder.backupQuota.limit = 0
    expect(await refusal(create(free.id))).toMatchObject({
      ...{ code: 'quota_exceeded', data: { resource: 'volumes_backups' } },
    })
    expect(fixture.begun).toEqual([])
  })

  test('captures the volumes of an instant one at a time', async () => {
    const volumes = [await fixture.addVolume({ name: 'one' }), await fixture.addVolume({ name: 'two' })]
    const ids = volumes.map(({ id }) => id)
    const [one, two] = await backups.createInstant(fixture.member, order(ids))
    expect([one, two]).toMatchObject([
      { volume_name: 'one', consistency: 'spread' },
      { volume_name: 'two', consistency: 'spread' },
    ])
    expect(one!.instant_id).toBe(two!.instant_id)
    expect(fixture.begun).toMatchObject([
      { name: creates, subject: { id: one!.id } },
      { name: creates, subject: { id: two!.id } },
    ])
  })

  test('deletes the first recovery point of an instant if the second one is refused', async () => {
    const ids = [(await fixture.addVolume()).id, (await fixture.addVolume()).id]
    cinder.backupQuota.limit = 1
    expect(await refusal(backups.createInstant(fixture.member, order(ids)))).toMatchObject({ code: 'quota_exceeded' })
    expect(fixture.begun).toMatchObject([{ name: deletes, hidden: true, args: { isSent: false } }])
    fixture.keepSettling()
    await fixture.runTask()
    expect(cinder.backups.size).toBe(0)
  })

  test('finds a recovery point that was created by a server that died', async () => {
    const volume = await fixture.addVolume()
    fixture.intents.isCutOff = true
    const made = await create(volume.id)
    await fixture.runIntent()
    expect(fixture.begun).toMatchObject([{ name: creates, subject: { id: made.id, name: 'nightly' } }])
  })

  test('deletes the other recovery points of an instant if the outcome of a request is unknown', async () => {
    const ids = [(await fixture.addVolume()).id, (await fixture.addVolume()).id]
    type Draft = { volume_id: string; metadata: Record<string, string> }
    fixture.cloud.on('volume', 'POST', '/backups', ({ body }) => {
      const { volume_id, metadata } = (body as { backup: Draft }).backup
      if (volume_id === ids[1]) return cinderRefusal(503, 'serviceUnavailable', 'The service is not there')
      return { status: 202, body: { backup: cinder.addBackup({ volume_id, metadata, status: 'creating' }) } }
    })
    expect(await refusal(backups.createInstant(fixture.member, order(ids)))).toMatchObject({
      code: 'engine_unavailable',
    })
    await fixture.runIntent()
    const [left] = cinder.backups.keys()
    expect(fixture.begun).toMatchObject([{ name: deletes, hidden: true, subject: { id: left } }])
  })

  test('reports that the cloud has no backup service', async () => {
    const { id } = await fixture.addVolume()
    const words = 'Service cinder-backup could not be found.'
    fixture.cloud.on('volume', 'POST', '/backups', () => cinderRefusal(503, 'serviceUnavailable', words))
    expect(await refusal(create(id))).toMatchObject({
      ...{ code: 'backup_target_unavailable', message: expect.stringContaining('cinder-backup') },
    })
  })
})

describe('recovery points of plans', () => {
  const plan = { id: 'plan-1', name: 'every-night' }

  test('are created with the service account in the project if there is no credential', async () => {
    const { id } = await fixture.addVolume()
    const scope = { ...fixture.member, user_id: 'u-planner' }
    const [made] = await backups.createInstant(scope, order([id], { plan }))
    expect(made).toMatchObject({
      ...{ backup_plan_id: 'plan-1', backup_plan_name: 'every-night', project_id: 'p-demo', user_id: 'u-service' },
    })
    expect(sent('POST', '/backups')?.token).toMatchObject({ user: { name: 'service' }, project: { id: 'p-demo' } })
    expect(fixture.assignments).toContainEqual({ user: 'u-service', project: 'p-demo', role: 'member' })
  })

  test("are created with the caller's token if a user starts the plan", async () => {
    const { id } = await fixture.addVolume()
    const scope = { ...fixture.member, credential: new Secret('token') }
    const [made] = await backups.createInstant(scope, order([id], { plan }))
    expect(made).toMatchObject({ backup_plan_id: 'plan-1', user_id: 'u-demo' })
  })

  test('are removed once no other recovery point depends on them, newest first', async () => {
    const { ids } = await withChain(2)
    await backups.expire(fixture.member, ids.slice(0, 2))
    expect([deletions(), fixture.begun]).toEqual([[], []])
    fixture.keepSettling()
    await backups.expire(fixture.member, ['already-deleted', ...ids])
    expect(fixture.begun).toMatchObject([{ name: deletes, hidden: true, subject: { id: ids[2] } }])
    await fixture.runTask()
    expect(deletions()).toEqual(ids.toReversed().map((id) => [`/backups/${id}`, 'service']))
    for (const id of ids) expect(indexed('volume_backup', id)).toBeUndefined()
    await backups.expire(fixture.member, ids)
    expect(fixture.begun).toHaveLength(1)
  })

  test('are kept if their dependents are unknown, or if they are in another project', async () => {
    const { ids } = await withChain(1)
    await backups.expire(fixture.stranger, ids)
    cinder.backups.get(ids[1]!)!.metadata = {}
    await backups.expire(fixture.member, ids.slice(0, 1))
    expect([deletions(), fixture.begun]).toEqual([[], []])
  })
})

describe('existing recovery points', () => {
  test('reads the recovery points of all projects, even if other clients created them', async () => {
    const { id: volume_id } = await fixture.addVolume()
    const full = cinder.addBackup({ volume_id, project_id: 'p-other', user_id: 'u-other', created_at: day(1) })
    const fail_reason = 'No space left'
    cinder.addBackup({ volume_id, parent_id: full.id, status: 'error', fail_reason, data_timestamp: day(2) })
    const read: VolumeBackup[] = []
    for await (const page of backupReader.all(fixture.engine.reading)) read.push(...page)
    for (const point of read) expect(point).toEqual(VolumeBackup.parse(point))
    expect(read).toMatchObject([
      {
        ...{ status: 'error', fault: fail_reason, is_incremental: true, parent_id: null },
        taken_at: '2020-01-02T00:00:00.000Z',
      },
      {
        ...{ id: full.id, name: full.id, volume_name: volume_id, instant_id: full.id, consistency: 'crash' },
        ...{ has_dependents: true, server_id: null, storage_policy_name: '', backup_plan_id: null },
        ...{ project_id: 'p-other', user_id: 'u-other' },
      },
    ])
    expect(sent('GET', '/backups/detail')?.query.get('all_tenants')).toBe('1')
    const some = await backupReader.some(fixture.engine.reading, [full.id, 'gone'])
    expect([...some.values()]).toMatchObject([{ id: full.id }, null])
  })

  test('reads recovery points without metadata and users in an older cloud, and creates none there', async () => {
    fixture.cloud.microversions.volume = '3.27'
    const { id: volume_id } = await fixture.addVolume()
    const metadata = { mainstay_volume_name: 'data' }
    expect(await fixture.addBackup({ volume_id, metadata })).toMatchObject({
      ...{ volume_name: volume_id, user_id: '', project_id: 'p-demo' },
    })
    expect(await refusal(create(volume_id, { full: true }))).toMatchObject({ code: 'unsupported' })
  })

  test('deletes a recovery point unless others depend on it', async () => {
    const { ids } = await withChain(1)
    const [first, second] = ids as [string, string]
    // the indexed row is older than its dependent
    expect(await refusal(backups.delete(fixture.member, first))).toMatchObject({ code: 'backup_has_children' })
    await fixture.refresh(first)
    expect(await refusal(backups.delete(fixture.member, first))).toMatchObject({ code: 'backup_has_children' })
    expect(deletions()).toHaveLength(1)
    fixture.keepSettling()
    expect(await backups.delete(fixture.member, second)).toMatchObject({ id: second, status: 'deleting' })
    expect(fixture.begun).toMatchObject([{ name: deletes, args: { until: 'gone' } }])
    await fixture.runTask()
    expect(indexed('volume_backup', second)).toBeUndefined()
    expect(indexed('volume_backup', first)).toMatchObject({ has_dependents: false })
  })

  test.each(['creating', 'restoring', 'deleting'])('refuses to delete or restore one that is %s', async (status) => {
    const { id: volume_id } = await fixture.addVolume()
    const { id } = await fixture.addBackup({ volume_id, status })
    for (const attempt of [
      () => backups.delete(fixture.member, id),
      () => backups.restore(fixture.member, id, { name: 'restored' }),
    ])
      expect(await refusal(attempt())).toMatchObject({ code: 'invalid_state' })
  })

  test('returns not_found for recovery points in other projects', async () => {
    const { ids } = await withChain(0)
    const [id] = ids as [string]
    const { stranger } = fixture
    for (const attempt of [
      () => backups.delete(stranger, id),
      () => backups.restore(stranger, id, { name: 'mine' }),
      () => backups.checkRestore(stranger, [id]),
      () => backups.delete(fixture.member, 'no-such-id'),
    ])
      expect(await refusal(attempt())).toMatchObject({ code: 'not_found' })
  })

  test('cannot be verified or read, and the cloud determines where they are stored', async () => {
    const { ids } = await withChain(0)
    expect(await refusal(backups.verify(fixture.member, ids[0]!))).toMatchObject({ code: 'unsupported' })
    expect(await refusal(noBackupFiles.open(fixture.member, ids[0]!))).toMatchObject({ code: 'unsupported' })
    expect(await targetOfCloud.view()).toEqual(noBackupTarget)
    const change = { driver: 'posix', posix_path: '/mnt/points' } as const
    expect(await refusal(targetOfCloud.set(change))).toMatchObject({ code: 'unsupported' })
  })
})
