import { setTimeout as pause } from 'node:timers/promises'
import { GiB } from '@mainstay/contract/core/bytes'
import { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import type { Volume } from '@mainstay/contract/storage/volumes'
import { describe, expect, test } from 'vitest'
import type { InstantOrder } from '../ports/storage'
import { gone, refusal, settled, suiteOf, until, type StartCloud } from './cloud'
import { instanceFixture, slowTest } from './instance-fixture'

/** Some clouds store times in seconds, and cannot tell which of two recovery points of the same second is newer. */
const NEXT_SECOND_MS = 1_100

/** Conformance tests for recovery points. */
export function describeVolumeBackups(start: StartCloud): void {
  describe(suiteOf('recovery points'), () => {
    const fixture = instanceFixture(start)
    const ports = () => fixture.cloud.storage
    const becomes = <Row extends Volume | VolumeBackup>(kind: string, id: string, status: string): Promise<Row> =>
      until(`${kind} ${id} to be ${status}`, async () => {
        const row = await fixture.cloud.row<Row>(kind, id)
        if (row?.status === 'error' && status !== 'error') throw new Error(`it failed: ${row.fault}`)
        return row?.status === status ? row : null
      })
    const volumeBecomes = (id: string, status: string) => becomes<Volume>('volume', id, status)
    const pointBecomes = (id: string, status: string) => becomes<VolumeBackup>('volume_backup', id, status)
    const volume = async (name = 'A volume') => {
      const { id } = await ports().volumes.create(fixture.cloud.member, {
        ...{ name, description: '', size: GiB, image_id: null, bootable: false },
      })
      return volumeBecomes(id, 'available')
    }
    const order = (volume_ids: readonly string[], change: Partial<InstantOrder> = {}): InstantOrder => ({
      ...{ volume_ids, name: 'A point', description: '', full: false, plan: null },
      ...change,
    })
    /** Creates a recovery point of one volume and waits until it can be used. */
    const point = async (volume_id: string, change: Partial<InstantOrder> = {}): Promise<VolumeBackup> => {
      await pause(NEXT_SECOND_MS)
      const [made] = await ports().volumeBackups.createInstant(fixture.cloud.member, order([volume_id], change))
      return pointBecomes(made!.id, 'available')
    }
    const removePoint = async (id: string) => {
      await ports().volumeBackups.delete(fixture.cloud.member, id)
      await gone(fixture.cloud, 'volume_backup', id)
    }
    const removeVolume = async (id: string) => {
      await ports().volumes.delete(fixture.cloud.member, id, true)
      await gone(fixture.cloud, 'volume', id)
    }

    test('creates and deletes a recovery point of a detached volume', slowTest, async () => {
      const { member } = fixture.cloud
      const { volumeBackups } = ports()
      const { id: volume_id, name, size } = await volume('backed-up')
      const draft = { volume_id, name: 'first', description: 'Kept', full: false }
      const made = await volumeBackups.create(member, draft)
      expect(VolumeBackup.parse(made)).toEqual(made)
      expect(made).toMatchObject({
        ...{ name: 'first', description: 'Kept', volume_id, volume_name: name, size, project_id: member.project_id },
        ...{ status: 'creating', fault: null, is_incremental: false, parent_id: null, has_dependents: false },
        ...{ backup_plan_id: null, server_id: null, damaged_by: null },
      })
      const stored = await pointBecomes(made.id, 'available')
      expect(stored).toMatchObject({ is_incremental: false, parent_id: null, progress: null, fault: null })
      await volumeBecomes(volume_id, 'available')
      expect(await volumeBackups.delete(member, made.id)).toMatchObject({ id: made.id, status: 'deleting' })
      await gone(fixture.cloud, 'volume_backup', made.id)
      await removeVolume(volume_id)
    })

    test(
      'does not find recovery points and volumes in other projects, or ones that do not exist',
      slowTest,
      async () => {
        const { member, stranger } = fixture.cloud
        const { volumeBackups } = ports()
        const { id: volume_id } = await volume()
        const { id } = await point(volume_id)
        for (const attempt of [
          () => volumeBackups.restore(stranger, id, { name: 'mine' }),
          () => volumeBackups.checkRestore(stranger, [id]),
          () => volumeBackups.delete(stranger, id),
          () => volumeBackups.delete(member, 'no-such-id'),
          () => volumeBackups.createInstant(stranger, order([volume_id])),
          () => volumeBackups.createInstant(member, order(['no-such-id'])),
        ])
          expect(await refusal(attempt())).toMatchObject({ code: 'not_found' })
        const draft = { name: 'theirs', description: '', full: false }
        for (const attempt of [
          () => volumeBackups.create(stranger, { ...draft, volume_id }),
          () => volumeBackups.create(member, { ...draft, volume_id: 'no-such-id' }),
        ])
          expect(await refusal(attempt())).toMatchObject({
            ...{ code: 'validation', fields: { volume_id: [expect.any(String)] } },
          })
        await removePoint(id)
        await removeVolume(volume_id)
      },
    )

    test('stores only changes after the first recovery point, unless a full one is requested', slowTest, async () => {
      const { member } = fixture.cloud
      const { id: volume_id } = await volume()
      const plan = { id: 'plan-1', name: 'nightly' }
      const first = await point(volume_id, { name: 'first', plan })
      expect(first).toMatchObject({ is_incremental: false, backup_plan_id: plan.id, backup_plan_name: plan.name })
      const second = await point(volume_id, { name: 'second', plan })
      expect(second).toMatchObject({ is_incremental: true, parent_id: first.id, has_dependents: false })
      expect(second.instant_id).not.toBe(first.instant_id)
      expect(Date.parse(second.taken_at)).toBeGreaterThan(Date.parse(first.taken_at))
      await until('the first to have dependents', async () => {
        const row = await fixture.cloud.row<VolumeBackup>('volume_backup', first.id)
        return row?.has_dependents === true
      })
      expect(await refusal(ports().volumeBackups.delete(member, first.id))).toMatchObject({
        code: 'backup_has_children',
      })
      const third = await point(volume_id, { name: 'third', full: true })
      expect(third).toMatchObject({ is_incremental: false, parent_id: null, backup_plan_id: null })
      await removePoint(second.id)
      await until('the first to have no dependents', async () => {
        const row = await fixture.cloud.row<VolumeBackup>('volume_backup', first.id)
        return row?.has_dependents === false
      })
      for (const { id } of [first, third]) await removePoint(id)
      await removeVolume(volume_id)
    })

    test('removes expired recovery points, and keeps those that others depend on', slowTest, async () => {
      const { member } = fixture.cloud
      const { id: volume_id } = await volume()
      const first = await point(volume_id)
      const second = await point(volume_id)
      await ports().volumeBackups.expire(member, [first.id])
      await pointBecomes(second.id, 'available')
      const third = await point(volume_id, { full: true })
      await ports().volumeBackups.expire(member, [first.id, second.id])
      for (const { id } of [first, second]) await gone(fixture.cloud, 'volume_backup', id)
      await pointBecomes(third.id, 'available')
      await removePoint(third.id)
      await removeVolume(volume_id)
    })

    test('restores a recovery point to a new volume, also after the original was deleted', slowTest, async () => {
      const { member } = fixture.cloud
      const { volumeBackups } = ports()
      const original = await volume('lost')
      await point(original.id)
      const { id } = await point(original.id)
      await removeVolume(original.id)
      for (const { ok, reason } of await volumeBackups.checkRestore(member, [id])) {
        expect(ok).not.toBe(false)
        if (ok) expect(reason).toBeNull()
      }
      const restored = await volumeBackups.restore(member, id, { name: 'found-again' })
      expect(restored).toMatchObject({ id, status: 'restoring' })
      const { restored_volume_id } = restored
      expect(await volumeBecomes(restored_volume_id, 'available')).toMatchObject({
        ...{ name: 'found-again', size: original.size, attachments: [], project_id: member.project_id },
      })
      const { parent_id } = await pointBecomes(id, 'available')
      await removeVolume(restored_volume_id)
      await removePoint(id)
      await removePoint(parent_id!)
    })

    test('captures the disk of a running instance', slowTest, async () => {
      const { id, volumes: disks } = await fixture.running({ name: 'backed-up-while-running' })
      const disk = disks[0]!
      const made = await point(disk.id, { name: 'while-running' })
      expect(made).toMatchObject({ server_id: id, server_name: 'backed-up-while-running' })
      await settled(fixture.cloud, id, 'ACTIVE')
      await volumeBecomes(disk.id, 'in-use')
      const { restored_volume_id } = await ports().volumeBackups.restore(fixture.cloud.member, made.id, {
        name: 'copy-of-running',
      })
      expect(await volumeBecomes(restored_volume_id, 'available')).toMatchObject({ bootable: true })
      await pointBecomes(made.id, 'available')
      await removeVolume(restored_volume_id)
      await removePoint(made.id)
      await fixture.remove(id)
    })
  })
}
