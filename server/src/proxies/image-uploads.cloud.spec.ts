import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Image } from '@mainstay/contract/compute/images'
import { imageDraft, until } from '@mainstay/engines/conformance/cloud'
import { expect, onTestFinished, test } from 'vitest'
import { openCloudUnderTest } from '../testing/cloud-under-test'

/** The pause is longer than some proxies keep idle connections open, but shorter than a cloud waits. */
const pauseMs = 10_000

test('a cloud waits for the remaining bytes of an interrupted upload', async () => {
  const cloud = await openCloudUnderTest()
  onTestFinished(cloud.close, 600_000)
  const { images } = cloud.compute
  const uploads = cloud.tools.imageUploads

  const disk = randomBytes(8 * 1024 * 1024)
  disk.fill(0, 0, 512)
  disk.set([0x55, 0xaa], 510)
  const id = randomUUID()
  const draft = imageDraft({ name: 'In two parts' })
  const first = new Readable({ read() {} })
  first.push(disk.subarray(0, 3_000_000))
  const begun = uploads.create(cloud.member, draft, { id, size: disk.length, offset: 0 }, first)
  const arrived = () => uploads.view(cloud.member, id).then(({ offset }) => offset)
  await until('the first part', async () => (await arrived().catch(() => 0)) === 3_000_000)
  first.destroy(new Error('the line broke'))
  await expect(begun).rejects.toThrow('the line broke')

  await sleep(pauseMs)
  const at = await uploads.view(cloud.member, id)
  const image = await uploads.create(cloud.member, draft, at, Readable.from([disk.subarray(at.offset)]))
  expect(image.os_hash_value).toBe(createHash('sha256').update(disk).digest('hex'))
  await until('the image', async () => (await cloud.row<Image>('image', image.id))?.status === 'active')
  await images.delete(cloud.member, image.id)
})
