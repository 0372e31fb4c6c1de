import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Image } from '@mainstay/contract/compute/images'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { activeImage, imageDraft, refusal, suiteOf, type CloudUnderTest, type StartCloud } from './cloud'

/** Returns a minimal raw disk: one sector with a boot signature, followed by empty space. */
export function rawDisk(sizeBytes = 1024 * 1024): Buffer {
  const disk = Buffer.alloc(sizeBytes)
  disk.set([0x55, 0xaa], 510)
  return disk
}
function qcow2Header(change: (header: Buffer) => void): Buffer {
  const header = Buffer.alloc(65_536)
  header.write('QFI\u00fb', 'latin1')
  header.writeUInt32BE(2, 4)
  header.writeUInt32BE(16, 20)
  header.writeBigUInt64BE(1024n ** 3n, 24)
  change(header)
  return header
}
const isoImage = () => {
  const iso = Buffer.alloc(0x9000)
  iso.write('\u0001CD001\u0001', 0x80_00, 'latin1')
  iso.write('\u00ffCD001\u0001', 0x88_00, 'latin1')
  return iso
}

const digest = (algorithm: string, bytes: Buffer) => createHash(algorithm).update(bytes).digest('hex')

/** Conformance tests for images. */
export function describeImages(start: StartCloud): void {
  describe(suiteOf('images'), () => {
    let cloud: CloudUnderTest
    beforeAll(async () => {
      cloud = await start()
    }, 300_000)
    afterAll(() => cloud.close(), 300_000)

    const upload = (bytes: Buffer | Readable, change: Parameters<typeof imageDraft>[0] = {}, scope = cloud.member) =>
      cloud.compute.images.create(scope, imageDraft(change), bytes instanceof Readable ? bytes : Readable.from([bytes]))
    const used = async () => (await cloud.compute.quotas(cloud.member, cloud.member.project_id)).images.used

    test('an uploaded image becomes active and downloads unchanged', async () => {
      const disk = rawDisk()
      const image = await upload(disk, { name: 'raw', tags: ['small'] })
      expect(image).toMatchObject({
        name: 'raw',
        status: 'active',
        type: 'template',
        size: disk.length,
        virtual_size: disk.length,
        checksum: digest('md5', disk),
        os_hash_algo: 'sha256',
        os_hash_value: digest('sha256', disk),
        min_disk: 1,
        tags: ['small'],
      })
      const { bytes, sizeBytes, fileName, md5 } = await cloud.compute.images.download(cloud.member, image.id)
      expect(fileName).toBe('raw.raw')
      const back = Buffer.concat(await bytes.toArray())
      expect(sizeBytes).toBe(disk.length)
      expect(md5).toBe(image.checksum)
      expect(back.equals(disk)).toBe(true)
      await cloud.compute.images.delete(cloud.member, image.id)
      expect(await cloud.row('image', image.id)).toBeNull()
    })

    test('detects an ISO image by its content', async () => {
      const image = await upload(isoImage(), { name: 'installer' })
      expect(image).toMatchObject({ status: 'active', type: 'iso', disk_format: 'iso' })
      await cloud.compute.images.delete(cloud.member, image.id)
    })

    test.each([
      [
        'is not an image',
        Buffer.from('GIF89a is a picture of a cat, not of a disk'.repeat(40)),
        'image_format_unsupported',
      ],
      ['is empty', Buffer.alloc(0), 'image_truncated'],
      ['has a backing file', qcow2Header((head) => head.writeBigUInt64BE(512n, 8)), 'image_backing_file'],
      ['claims to be 1 EiB', qcow2Header((head) => head.writeBigUInt64BE(1024n ** 6n, 24)), 'image_too_large'],
      ['is encrypted', qcow2Header((head) => head.writeUInt32BE(1, 32)), 'image_encrypted'],
    ])('refuses an upload that %s, and leaves nothing behind', async (_, bytes, code) => {
      const before = await used()
      expect(await refusal(upload(bytes))).toMatchObject({ code })
      expect(await used()).toBe(before)
    })

    test('an aborted upload leaves nothing behind', async () => {
      const before = await used()
      const bytes = new Readable({ read() {} })
      bytes.push(rawDisk())
      // on a busy machine, the engine may not have started reading yet
      bytes.on('error', () => {})
      const uploading = upload(bytes)
      setTimeout(() => bytes.destroy(new Error('the client went away')), 50)
      await expect(uploading).rejects.toThrow()
      expect(await used()).toBe(before)
    })

    test('refuses to delete a protected image', async () => {
      const { id } = await upload(rawDisk(), { protected: true })
      expect(await refusal(cloud.compute.images.delete(cloud.member, id))).toMatchObject({ code: 'image_protected' })
      expect(
        await cloud.compute.images.update(cloud.member, id, { protected: false, name: 'Free', os_distro: 'win11' }),
      ).toMatchObject({
        protected: false,
        name: 'Free',
        os_type: 'windows',
      })
      await cloud.compute.images.delete(cloud.member, id)
    })

    test('only an operator can share an image with all projects', async () => {
      expect(await refusal(upload(rawDisk(), { visibility: 'public' }))).toMatchObject({ code: 'forbidden' })
      const shared = await upload(rawDisk(), { name: 'conformance-shared', visibility: 'public' }, cloud.operator)
      const { bytes } = await cloud.compute.images.download(cloud.member, shared.id)
      bytes.destroy()
      expect(await refusal(cloud.compute.images.update(cloud.member, shared.id, { name: 'Mine' }))).toMatchObject({
        code: 'not_found',
      })
      await cloud.compute.images.delete(cloud.operator, shared.id)
    })

    test('does not find images in other projects, or images that do not exist', async () => {
      const image: Image = await activeImage(cloud)
      const { images } = cloud.compute
      expect(await refusal(images.update(cloud.stranger, image.id, { name: 'Mine' }))).toMatchObject({
        code: 'not_found',
      })
      expect(await refusal(images.delete(cloud.stranger, image.id))).toMatchObject({ code: 'not_found' })
      expect(await refusal(images.download(cloud.stranger, image.id))).toMatchObject({ code: 'not_found' })
      expect(await refusal(images.delete(cloud.member, 'no-such-id'))).toMatchObject({ code: 'not_found' })
      await images.delete(cloud.member, image.id)
    })
  })
}
