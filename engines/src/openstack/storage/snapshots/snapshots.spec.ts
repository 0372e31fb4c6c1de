import { GiB } from '@mainstay/contract/core/bytes'
import { VolumeDraft } from '@mainstay/contract/storage/volumes'
import { VolumeSnapshot } from '@mainstay/contract/storage/volume-snapshots'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { refusal } from '../../../conformance/cloud'
import type { VolumeSnapshotsPort, VolumesPort } from '../../../ports/storage'
import { startSnapshotFixture, type SnapshotFixture } from '../../testing/snapshot-fixture'
import { volumeReader } from '../volumes/shape'
import { snapshotReader } from './shape'

let fixture: SnapshotFixture
let cinder: SnapshotFixture['cinder']
let snapshots: VolumeSnapshotsPort
let volumes: VolumesPort
beforeEach(async () => {
  fixture = await startSnapshotFixture()
  ;({ cinder, snapshots, volumes } = fixture)
})
afterEach(() => fixture.close())

const attachment = { server_id: 's1', device: '/dev/vda', attached_at: '2026-11-21T21:00:00.000000' }
const attached = { status: 'in-use', attachments: [attachment] }
const create = (volume_id: string, name = 'before-update', scope = fixture.member) =>
  snapshots.create(scope, { volume_id, name, description: 'Kept' })
const indexed = (kind: 'volume' | 'volume_snapshot', id: string) => fixture.index.get(`${kind}/${id}`)
const sent = (verb: string, path: string) =>
  fixture.cloud.received.findLast((call) => call.verb === verb && call.path === path)
/** Creates a volume with two snapshots. */
async function withTwo() {
  const volume = await fixture.addVolume({ name: 'data', size: 2 })
  const add = (name: string, hour: number) =>
    fixture.addSnapshot({ volume_id: volume.id, name, created_at: `2026-11-21T${hour}:00:00.000000` })
  return { volume, older: await add('older', 20), newer: await add('newer', 21) }
}

describe('snapshots', () => {
  test("creates a snapshot of an attached volume with the caller's token, and starts a task", async () => {
    const volume = await fixture.addVolume({ ...attached, size: 2 })
    const made = await create(volume.id)
    expect(made).toEqual(VolumeSnapshot.parse(made))
    expect(made).toMatchObject({
      ...{ name: 'before-update', description: 'Kept', status: 'creating', fault: null, volume_id: volume.id },
      ...{ size: 2 * GiB, project_id: 'p-demo', user_id: 'u-demo', domain_id: 'default' },
    })
    expect(sent('POST', '/snapshots')).toMatchObject({
      token: { user: { name: 'demo' } },
      body: { snapshot: { volume_id: volume.id, force: true } },
    })
    expect(indexed('volume_snapshot', made.id)).toEqual(made)
    expect(fixture.begun).toMatchObject([
      { name: 'compute.volume_snapshot.create', subject: { kind: 'volume_snapshot', id: made.id } },
    ])
    fixture.keepSettling()
    await fixture.runTask()
    expect(indexed('volume_snapshot', made.id)).toMatchObject({ status: 'available' })
  })

  test('finds a snapshot that was created by a server that died', async () => {
    const volume = await fixture.addVolume()
    await create(volume.id, 'another')
    fixture.intents.isCutOff = true
    const made = await create(volume.id)
    await fixture.runIntent()
    expect(fixture.begun.at(-1)).toMatchObject({
      ...{ name: 'compute.volume_snapshot.create', subject: { id: made.id, name: 'before-update' } },
    })
  })

  test('refuses a volume that cannot be captured', async () => {
    const { id } = await fixture.addVolume({ status: 'extending' })
    expect(await refusal(create(id))).toMatchObject({ code: 'invalid_state' })
    for (const attempt of [() => create('no-such-volume'), () => create(id, 'theirs', fixture.stranger)])
      expect(await refusal(attempt())).toMatchObject({ fields: { volume_id: [expect.any(String)] } })
    const free = await fixture.addVolume()
    expect(await refusal(create(free.id, 'mine', fixture.operator))).toMatchObject({ code: 'unsupported' })
    cinder.quotaGiB = 2
    expect(await refusal(create(free.id))).toMatchObject({ code: 'quota_exceeded', data: { resource: 'storage' } })
    expect(fixture.begun).toEqual([])
  })

  test('reads snapshots in all projects, without their users in an older cloud', async () => {
    fixture.cloud.microversions.volume = '3.27'
    const { id: volume_id } = await fixture.addVolume()
    const named = cinder.addSnapshot({ volume_id, name: 'named' })
    const broken = cinder.addSnapshot({ volume_id, status: 'error' })
    const read: VolumeSnapshot[] = []
    for await (const page of snapshotReader.all(fixture.engine.reading)) read.push(...page)
    expect(read).toMatchObject([
      { id: named.id, name: 'named', fault: null, user_id: '' },
      { id: broken.id, name: broken.id, fault: 'schedule allocate volume: No space left' },
    ])
    expect(sent('GET', '/snapshots/detail')?.query.get('all_tenants')).toBe('1')
    expect([...(await snapshotReader.some(fixture.engine.reading, [named.id, 'gone'])).values()]).toMatchObject([
      { id: named.id },
      null,
    ])
  })

  test('renames a snapshot and resets its status', async () => {
    const { older } = await withTwo()
    const change = { name: 'renamed', description: 'New' }
    expect(await snapshots.update(fixture.member, older.id, change)).toMatchObject(change)
    cinder.snapshots.get(older.id)!.status = 'error_deleting'
    expect(await snapshots.resetState(fixture.operator, older.id)).toMatchObject({ status: 'available' })
  })

  test('deletes a snapshot, unless volumes depend on it', async () => {
    const { older, newer } = await withTwo()
    fixture.keepSettling()
    expect(await snapshots.delete(fixture.member, older.id)).toMatchObject({ status: 'deleting' })
    expect(fixture.begun).toMatchObject([{ name: 'compute.volume_snapshot.delete', args: { until: 'gone' } }])
    await fixture.runTask()
    expect(indexed('volume_snapshot', older.id)).toBeUndefined()
    cinder.withChildren.add(newer.id)
    await snapshots.delete(fixture.member, newer.id)
    await expect(fixture.runTask()).rejects.toMatchObject({ code: 'snapshot_has_children' })
    expect(indexed('volume_snapshot', newer.id)).toMatchObject({ status: 'available' })
  })

  test('returns not_found for snapshots in other projects', async () => {
    const { newer } = await withTwo()
    const { stranger } = fixture
    for (const attempt of [
      () => snapshots.update(stranger, newer.id, { name: 'mine' }),
      () => snapshots.delete(stranger, newer.id),
      () => snapshots.revert(stranger, newer.id),
      () => snapshots.resetState(stranger, newer.id),
      () => snapshots.delete(fixture.member, 'no-such-id'),
    ])
      expect(await refusal(attempt())).toMatchObject({ code: 'not_found' })
  })
})

describe('reverting', () => {
  test('reverts a detached volume to its newest snapshot, and tracks both', async () => {
    const { volume, newer } = await withTwo()
    expect(await snapshots.revert(fixture.member, newer.id)).toMatchObject({ id: newer.id, status: 'restoring' })
    expect(indexed('volume', volume.id)).toMatchObject({ status: 'reverting' })
    const call = sent('POST', `/volumes/${volume.id}/action`)
    expect(call?.body).toEqual({ revert: { snapshot_id: newer.id } })
    expect(call?.headers['openstack-api-version']).toBe('volume 3.40')
    fixture.keepSettling()
    await fixture.runTask()
    expect(indexed('volume', volume.id)).toMatchObject({ status: 'available' })
    expect(indexed('volume_snapshot', newer.id)).toMatchObject({ status: 'available' })
  })

  test('fails the task with the reason if the volume ends up in the error state', async () => {
    const { volume, newer } = await withTwo()
    await snapshots.revert(fixture.member, newer.id)
    cinder.volumes.get(volume.id)!.status = 'error'
    cinder.snapshots.get(newer.id)!.status = 'available'
    await expect(fixture.runTask()).rejects.toThrow('No space left')
  })

  test('refuses an older snapshot until the newer ones are deleted', async () => {
    const { older, newer } = await withTwo()
    expect(await refusal(snapshots.revert(fixture.member, older.id))).toMatchObject({
      ...{ code: 'snapshot_not_latest', message: expect.stringContaining('newer') },
    })
    // the index does not reflect this deletion yet
    cinder.snapshots.delete(newer.id)
    expect(await snapshots.revert(fixture.member, older.id)).toMatchObject({ status: 'restoring' })
  })

  test('reports a newer snapshot that is not in the index yet', async () => {
    const { volume, newer } = await withTwo()
    cinder.addSnapshot({ volume_id: volume.id, created_at: '2026-11-21T22:00:00.000000' })
    expect(await refusal(snapshots.revert(fixture.member, newer.id))).toMatchObject({ code: 'snapshot_not_latest' })
  })

  test('refuses a volume that is attached, busy or larger than the snapshot', async () => {
    const { volume, newer } = await withTwo()
    const revertIf = async (change: object) => {
      Object.assign(cinder.volumes.get(volume.id)!, { status: 'available', attachments: [], ...change })
      await fixture.engine.refresh(volumeReader, volume.id)
      return refusal(snapshots.revert(fixture.member, newer.id))
    }
    expect(await revertIf(attached)).toMatchObject({
      ...{ code: 'volume_in_use', message: expect.stringContaining('Detach it from the virtual machine “name of s1”') },
    })
    expect(await revertIf({ status: 'backing-up' })).toMatchObject({ code: 'invalid_state' })
    expect(await revertIf({ size: 3 })).toMatchObject({ code: 'unsupported' })
    expect(fixture.begun).toEqual([])
  })

  test('refuses to revert in an older cloud', async () => {
    fixture.cloud.microversions.volume = '3.27'
    const { newer } = await withTwo()
    expect(await refusal(snapshots.revert(fixture.member, newer.id))).toMatchObject({ code: 'unsupported' })
  })
})

describe('volumes and their snapshots', () => {
  const draft = (change: Partial<VolumeDraft>) => VolumeDraft.parse({ name: 'copy', size: 2 * GiB, ...change })

  test('creates a volume from a snapshot in the same project, with at least its size', async () => {
    const { newer } = await withTwo()
    const { member, operator } = fixture
    const made = await volumes.create(member, draft({ snapshot_id: newer.id, size: 3 * GiB }))
    expect(made).toMatchObject({ status: 'creating', size: 3 * GiB })
    expect(cinder.volumes.get(made.id)).toMatchObject({ snapshot_id: newer.id })
    expect(await refusal(volumes.create(member, draft({ snapshot_id: newer.id, size: GiB })))).toMatchObject({
      ...{ code: 'validation', fields: { size: [expect.any(String)] } },
    })
    cinder.snapshots.get(newer.id)!.status = 'restoring'
    for (const [scope, snapshot_id] of [
      [member, 'no-such-snapshot'],
      [member, newer.id],
      [operator, newer.id],
    ] as const)
      expect(await refusal(volumes.create(scope, draft({ snapshot_id })))).toMatchObject({
        fields: { snapshot_id: [expect.any(String)] },
      })
  })

  test('deletes a volume with snapshots only together with them', async () => {
    const { volume, older, newer } = await withTwo()
    expect(await refusal(volumes.delete(fixture.member, volume.id))).toMatchObject({
      ...{ code: 'volume_has_snapshots', data: { name: 'data', count: 2 } },
    })
    expect(sent('DELETE', `/volumes/${volume.id}`)).toBeUndefined()
    expect(await volumes.delete(fixture.member, volume.id, true)).toMatchObject({ status: 'deleting' })
    expect(indexed('volume_snapshot', older.id)).toMatchObject({ status: 'deleting' })
    fixture.keepSettling()
    await fixture.runTask()
    for (const { id } of [older, newer]) expect(indexed('volume_snapshot', id)).toBeUndefined()
  })

  test('deletes a volume whose snapshots were deleted outside the index', async () => {
    const { volume } = await withTwo()
    cinder.snapshots.clear()
    expect(await volumes.delete(fixture.member, volume.id)).toMatchObject({ status: 'deleting' })
  })
})
