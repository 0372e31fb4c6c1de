import { setTimeout as pause } from 'node:timers/promises'
import { GiB } from '@mainstay/contract/core/bytes'
import type { Image } from '@mainstay/contract/compute/images'
import { VolumeSnapshot } from '@mainstay/contract/storage/volume-snapshots'
import type { Volume, VolumeDraft } from '@mainstay/contract/storage/volumes'
import { describe, expect, test } from 'vitest'
import { gone, refusal, settled, suiteOf, until, type StartCloud } from './cloud'
import { instanceFixture, slowTest } from './instance-fixture'

/** Some clouds store times in seconds, and cannot tell which of two snapshots of the same second is newer. */
const NEXT_SECOND_MS = 1_100

/** Conformance tests for volume snapshots. */
export function describeVolumeSnapshots(start: StartCloud): void {
  describe(suiteOf('volume snapshots'), () => {
    const fixture = instanceFixture(start)
    const ports = () => fixture.cloud.storage
    const createVolume = (change: Partial<VolumeDraft> = {}, scope = fixture.cloud.member) =>
      ports().volumes.create(scope, {
        ...{ name: 'A volume', description: '', size: GiB, image_id: null, bootable: false },
        ...change,
      })
    const becomes = <Row extends Volume | VolumeSnapshot>(kind: string, id: string, status: string): Promise<Row> =>
      until(`${kind} ${id} to be ${status}`, async () => {
        const row = await fixture.cloud.row<Row>(kind, id)
        return row?.status === status ? row : null
      })
    const volumeBecomes = (id: string, status: string) => becomes<Volume>('volume', id, status)
    const volume = async (change: Partial<VolumeDraft> = {}) =>
      volumeBecomes((await createVolume(change)).id, 'available')
    const isAvailable = (id: string) => becomes<VolumeSnapshot>('volume_snapshot', id, 'available')
    const create = (volume_id: string, name = 'A snapshot', scope = fixture.cloud.member) =>
      ports().volumeSnapshots.create(scope, { volume_id, name, description: '' })
    /** Creates a snapshot and waits until it can be used. */
    const snapshot = async (volume_id: string, name?: string) => isAvailable((await create(volume_id, name)).id)
    const removeVolume = async (id: string) => {
      await ports().volumes.delete(fixture.cloud.member, id, true)
      await gone(fixture.cloud, 'volume', id)
    }

    test('creates, renames and deletes a snapshot of a detached volume', async () => {
      const { member } = fixture.cloud
      const { volumeSnapshots } = ports()
      const { id: volume_id, size } = await volume({ name: 'captured' })
      const made = await volumeSnapshots.create(member, { volume_id, name: 'before', description: 'Kept' })
      expect(VolumeSnapshot.parse(made)).toEqual(made)
      const { project_id } = member
      expect(made).toMatchObject({ name: 'before', description: 'Kept', volume_id, size, project_id, fault: null })
      expect(await isAvailable(made.id)).toMatchObject({ name: 'before', size, fault: null })
      await volumeBecomes(volume_id, 'available')
      const change = { name: 'renamed', description: 'Changed' }
      expect(await volumeSnapshots.update(member, made.id, change)).toMatchObject(change)
      expect(await fixture.cloud.row('volume_snapshot', made.id)).toMatchObject(change)
      expect(await volumeSnapshots.delete(member, made.id)).toMatchObject({ id: made.id, status: 'deleting' })
      await gone(fixture.cloud, 'volume_snapshot', made.id)
      await removeVolume(volume_id)
    })

    test('does not find snapshots and volumes in other projects, or ones that do not exist', async () => {
      const { member, stranger } = fixture.cloud
      const { volumeSnapshots } = ports()
      const { id: volume_id } = await volume()
      const { id } = await snapshot(volume_id)
      for (const attempt of [
        () => volumeSnapshots.update(stranger, id, { name: 'mine' }),
        () => volumeSnapshots.revert(stranger, id),
        () => volumeSnapshots.uploadToImage(stranger, id, 'mine'),
        () => volumeSnapshots.delete(stranger, id),
        () => volumeSnapshots.delete(member, 'no-such-id'),
      ])
        expect(await refusal(attempt())).toMatchObject({ code: 'not_found' })
      for (const attempt of [() => create(volume_id, 'theirs', stranger), () => create('no-such-id')])
        expect(await refusal(attempt())).toMatchObject({
          ...{ code: 'validation', fields: { volume_id: [expect.any(String)] } },
        })
      await removeVolume(volume_id)
    })

    test('reverts a detached volume, but only to its newest snapshot', async () => {
      const { member } = fixture.cloud
      const { volumeSnapshots } = ports()
      const { id: volume_id } = await volume()
      const older = await snapshot(volume_id, 'older')
      await pause(NEXT_SECOND_MS)
      const newer = await snapshot(volume_id, 'the latest')
      expect(await refusal(volumeSnapshots.revert(member, older.id))).toMatchObject({
        ...{ code: 'snapshot_not_latest', message: expect.stringContaining('the latest') },
      })
      const revertTo = async (id: string) => {
        expect(await volumeSnapshots.revert(member, id)).toMatchObject({ id })
        expect(await isAvailable(id)).toMatchObject({ fault: null })
        expect(await volumeBecomes(volume_id, 'available')).toMatchObject({ fault: null, attachments: [] })
      }
      await revertTo(newer.id)
      await volumeSnapshots.delete(member, newer.id)
      await gone(fixture.cloud, 'volume_snapshot', newer.id)
      await revertTo(older.id)
      await removeVolume(volume_id)
    })

    test('captures the disk of a running instance, and does not revert it while it runs', slowTest, async () => {
      const { member } = fixture.cloud
      const { volumeSnapshots } = ports()
      const { id, volumes: disks } = await fixture.running({ name: 'captured-while-running' })
      const disk = disks[0]!
      const made = await snapshot(disk.id, 'while-running')
      await settled(fixture.cloud, id, 'ACTIVE')
      expect(await refusal(volumeSnapshots.revert(member, made.id))).toMatchObject({ code: 'volume_in_use' })
      await volumeBecomes(disk.id, 'in-use')
      const copy = await volume({ name: 'copy-of-running', size: disk.size, snapshot_id: made.id })
      expect(copy).toMatchObject({ bootable: true, attachments: [] })
      await removeVolume(copy.id)
      await volumeSnapshots.delete(member, made.id)
      await gone(fixture.cloud, 'volume_snapshot', made.id)
      await fixture.remove(id)
    })

    test('creates a volume from a snapshot, which can be larger but not smaller', async () => {
      const { stranger } = fixture.cloud
      const original = await volume({ size: 2 * GiB })
      const { id: snapshot_id } = await snapshot(original.id)
      expect(await refusal(createVolume({ snapshot_id, size: GiB }))).toMatchObject({
        ...{ code: 'validation', fields: { size: [expect.any(String)] } },
      })
      const size = 3 * GiB
      for (const attempt of [
        () => createVolume({ snapshot_id: 'no-such-id', size }),
        () => createVolume({ snapshot_id, size }, stranger),
      ])
        expect(await refusal(attempt())).toMatchObject({
          ...{ code: 'validation', fields: { snapshot_id: [expect.any(String)] } },
        })
      const copy = await volume({ name: 'from-snapshot', snapshot_id, size })
      expect(copy).toMatchObject({ name: 'from-snapshot', size, fault: null })
      await isAvailable(snapshot_id)
      for (const { id } of [copy, original]) await removeVolume(id)
    })

    test('creates an image from a snapshot, and deletes the snapshot afterwards', slowTest, async () => {
      const { member, compute } = fixture.cloud
      const { volumeSnapshots } = ports()
      const { id: volume_id } = await volume()
      const { id: snapshot_id } = await snapshot(volume_id)
      const { id } = await volumeSnapshots.uploadToImage(member, snapshot_id, 'from-snapshot')
      const image = await until('the image to be active', async () => {
        const row = await fixture.cloud.row<Image>('image', id)
        return row?.status === 'active' ? row : null
      })
      expect(image).toMatchObject({ name: 'from-snapshot', type: 'template', visibility: 'private', min_disk: 1 })
      expect(image.project_id).toBe(member.project_id)
      await isAvailable(snapshot_id)
      // in some clouds, the snapshot cannot be deleted as long as a temporary copy of it exists
      await until('the snapshot to be deleted', async () => {
        const row = await fixture.cloud.row<VolumeSnapshot>('volume_snapshot', snapshot_id)
        if (row?.status === 'available') await volumeSnapshots.delete(member, snapshot_id)
        return row === null
      })
      await removeVolume(volume_id)
      await compute.images.delete(member, id)
    })

    test('deletes a volume with snapshots only together with them', async () => {
      const { member } = fixture.cloud
      const { volumes } = ports()
      const { id } = await volume({ name: 'with-snapshot' })
      const kept = await snapshot(id)
      expect(await refusal(volumes.delete(member, id))).toMatchObject({
        ...{ code: 'volume_has_snapshots', data: { name: 'with-snapshot', count: 1 } },
      })
      await isAvailable(kept.id)
      expect(await volumes.delete(member, id, true)).toMatchObject({ id, status: 'deleting' })
      await gone(fixture.cloud, 'volume', id)
      await gone(fixture.cloud, 'volume_snapshot', kept.id)
    })
  })
}
