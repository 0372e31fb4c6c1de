import { GiB } from '@mainstay/contract/core/bytes'
import type { Image } from '@mainstay/contract/compute/images'
import type { Volume, VolumeDraft } from '@mainstay/contract/storage/volumes'
import { describe, expect, test } from 'vitest'
import { gone, refusal, settled, suiteOf, until, type StartCloud } from './cloud'
import { instanceFixture, slowTest } from './instance-fixture'

/** Conformance tests for copying volumes to other volumes and to images. */
export function describeVolumeCopies(start: StartCloud): void {
  describe(suiteOf('copies of volumes'), () => {
    const fixture = instanceFixture(start)
    const create = (change: Partial<VolumeDraft>) =>
      fixture.cloud.storage.volumes.create(fixture.cloud.member, {
        ...{ name: 'A volume', description: '', size: GiB, image_id: null, bootable: false },
        ...change,
      })
    const becomes = (id: string, status: string) =>
      until(`volume ${id} to be ${status}`, async () => {
        const row = await fixture.cloud.row<Volume>('volume', id)
        return row?.status === status ? row : null
      })
    const imageIsThere = (id: string) =>
      until('the image to be there', async () => {
        const row = await fixture.cloud.row<Image>('image', id)
        return row?.status === 'active' ? row : null
      })

    test('clones a volume to an independent volume, which can be larger', async () => {
      const made = await create({
        name: 'original',
        image_id: fixture.image.id,
        size: Math.max(1, fixture.image.min_disk) * GiB,
      })
      await becomes(made.id, 'available')
      const copy = await fixture.cloud.storage.volumes.clone(fixture.cloud.member, made.id, {
        name: 'original-clone',
        size: made.size + GiB,
      })
      expect(copy).toMatchObject({ name: 'original-clone', status: 'creating', size: made.size + GiB, attachments: [] })
      expect(await becomes(copy.id, 'available')).toMatchObject({
        bootable: true,
        image_id: fixture.image.id,
        fault: null,
      })
      await becomes(made.id, 'available')
      expect(
        await refusal(
          fixture.cloud.storage.volumes.clone(fixture.cloud.member, copy.id, { name: 'less', size: made.size }),
        ),
      ).toMatchObject({ code: 'validation', fields: { size: [expect.any(String)] } })
      expect(
        await refusal(fixture.cloud.storage.volumes.clone(fixture.cloud.stranger, copy.id, { name: 'theirs' })),
      ).toMatchObject({
        code: 'not_found',
      })
      for (const { id } of [made, copy]) {
        await fixture.cloud.storage.volumes.delete(fixture.cloud.member, id)
        await gone(fixture.cloud, 'volume', id)
      }
    })

    test('creates an image from a volume, and another volume from the image', async () => {
      const made = await create({ name: 'golden-disk' })
      await becomes(made.id, 'available')
      const { volumes } = fixture.cloud.storage
      expect(await refusal(volumes.uploadToImage(fixture.cloud.stranger, made.id, 'theirs'))).toMatchObject({
        code: 'not_found',
      })
      const { id } = await volumes.uploadToImage(fixture.cloud.member, made.id, 'golden')
      const copied = await imageIsThere(id)
      expect(copied).toMatchObject({ name: 'golden', type: 'template', visibility: 'private', min_disk: 1 })
      expect(copied.project_id).toBe(fixture.cloud.member.project_id)
      await becomes(made.id, 'available')
      const next = await create({ name: 'from-golden', image_id: id })
      await becomes(next.id, 'available')
      for (const volume of [made, next]) {
        await volumes.delete(fixture.cloud.member, volume.id)
        await gone(fixture.cloud, 'volume', volume.id)
      }
      await fixture.cloud.compute.images.delete(fixture.cloud.member, id)
    })

    test('clones a volume of a running instance, but creates an image only after shutdown', slowTest, async () => {
      const { member, storage, compute } = fixture.cloud
      const { volumes } = storage
      const { id, volumes: disks } = await fixture.running({ name: 'copied-while-running' })
      const disk = disks[0]!.id
      expect(await refusal(volumes.uploadToImage(member, disk, 'too-early'))).toMatchObject({ code: 'invalid_state' })
      const copy = await volumes.clone(member, disk, { name: 'copy-of-running' })
      expect(await becomes(copy.id, 'available')).toMatchObject({ bootable: true, attachments: [] })
      await settled(fixture.cloud, id, 'ACTIVE')
      await compute.instances.stop(member, id, { hard: true, timeoutSeconds: 0 })
      await settled(fixture.cloud, id, 'SHUTOFF')
      const made = await volumes.uploadToImage(member, disk, 'copy-of-stopped')
      await imageIsThere(made.id)
      await settled(fixture.cloud, id, 'SHUTOFF')
      await becomes(disk, 'in-use')
      await fixture.remove(id)
      await compute.images.delete(member, made.id)
      // the clone boots
      const second = await fixture.running({
        name: 'from-copy',
        volumes: [{ source: 'volume', id: copy.id, boot_index: 0 }],
      })
      await fixture.remove(second.id)
    })
  })
}
