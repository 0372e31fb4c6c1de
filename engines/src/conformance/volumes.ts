import { GiB } from '@mainstay/contract/core/bytes'
import type { Image } from '@mainstay/contract/compute/images'
import type { Volume, VolumeDraft } from '@mainstay/contract/storage/volumes'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { activeImage, gone, refusal, suiteOf, until, type CloudUnderTest, type StartCloud } from './cloud'

/** Conformance tests for volumes. */
export function describeVolumes(start: StartCloud): void {
  describe(suiteOf('volumes'), () => {
    let cloud: CloudUnderTest
    let image: Image
    beforeAll(async () => {
      cloud = await start()
      image = await activeImage(cloud)
    }, 300_000)
    afterAll(() => cloud.close(), 300_000)

    const create = (change: Partial<VolumeDraft> = {}, scope = cloud.member) =>
      cloud.storage.volumes.create(scope, {
        name: 'A volume',
        description: '',
        size: GiB,
        image_id: null,
        bootable: false,
        ...change,
      })
    const becomes = (id: string, status: string) =>
      until(`volume ${id} to be ${status}`, async () => {
        const row = await cloud.row<Volume>('volume', id)
        return row?.status === status ? row : null
      })

    test('creates, renames, extends and deletes a blank volume', async () => {
      const made = await create({ name: 'blank', description: 'Empty' })
      expect(made).toMatchObject({ name: 'blank', status: 'creating', size: GiB, attachments: [], bootable: false })
      await becomes(made.id, 'available')
      expect(
        await cloud.storage.volumes.update(cloud.member, made.id, { name: 'renamed', bootable: true }),
      ).toMatchObject({ name: 'renamed', bootable: true })
      expect(await cloud.storage.volumes.extend(cloud.member, made.id, 2 * GiB)).toMatchObject({ status: 'extending' })
      expect(await becomes(made.id, 'available')).toMatchObject({ size: 2 * GiB, fault: null })
      expect(await refusal(cloud.storage.volumes.extend(cloud.member, made.id, GiB))).toMatchObject({
        code: 'validation',
        fields: { size: [expect.any(String)] },
      })
      expect(await cloud.storage.volumes.delete(cloud.member, made.id)).toMatchObject({ status: 'deleting' })
      await gone(cloud, 'volume', made.id)
    })

    test('a volume created from an image is bootable and refers to the image', async () => {
      const made = await create({ name: 'from-image', image_id: image.id })
      const row = await becomes(made.id, 'available')
      expect(row).toMatchObject({ bootable: true, image_id: image.id, image_name: image.name, progress: null })
      await cloud.storage.volumes.delete(cloud.member, made.id)
      await gone(cloud, 'volume', made.id)
    })

    test('refuses a volume from an unknown image, and reports limit and usage if the quota is exceeded', async () => {
      expect(await refusal(create({ image_id: 'no-such-image' }))).toMatchObject({
        fields: { image_id: [expect.any(String)] },
      })
      const { storage } = await cloud.storage.quotas(cloud.member, cloud.member.project_id)
      expect(await refusal(create({ size: storage.limit + GiB }))).toMatchObject({
        code: 'quota_exceeded',
        fields: { size: [expect.any(String)] },
        data: { resource: 'storage', limit: storage.limit, used: storage.used, requested: storage.limit + GiB },
      })
      expect((await cloud.storage.quotas(cloud.member, cloud.member.project_id)).storage).toEqual(storage)
    })

    test('does not find volumes in other projects, or volumes that do not exist', async () => {
      const { id } = await create({ name: 'private' })
      await becomes(id, 'available')
      const { volumes } = cloud.storage
      expect(await refusal(volumes.delete(cloud.stranger, id))).toMatchObject({ code: 'not_found' })
      expect(await refusal(volumes.update(cloud.stranger, id, { name: 'mine' }))).toMatchObject({ code: 'not_found' })
      expect(await refusal(volumes.extend(cloud.stranger, id, 2 * GiB))).toMatchObject({ code: 'not_found' })
      expect(await refusal(volumes.delete(cloud.member, 'no-such-id'))).toMatchObject({ code: 'not_found' })
      await volumes.delete(cloud.operator, id)
      await gone(cloud, 'volume', id)
    })
  })
}
