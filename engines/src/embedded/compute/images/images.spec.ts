import { existsSync } from 'node:fs'
import { Readable } from 'node:stream'
import type { Image } from '@mainstay/contract/compute/images'
import { MiB } from '@mainstay/contract/core/bytes'
import { Problem } from '@mainstay/contract/core/problems'
import { afterEach, expect, test, vi } from 'vitest'
import { imageDraft, refusal, until } from '../../../conformance/cloud'
import { rawDisk } from '../../../conformance/images'
import { memberOf, openSimulatedCloud, type SimulatedCloud } from '../../testing/embedded-cloud'

const scope = memberOf('ours')
let cloud: SimulatedCloud
afterEach(() => cloud.close())

const upload = (bytes: Buffer, who = scope) => cloud.compute.images.create(who, imageDraft({}), Readable.from([bytes]))
const images = () => cloud.memory.all<Image>('image')
const used = async () => (await cloud.compute.quotas(scope, 'ours')).image_storage.used

/** Returns a VDI image with a single block. VDI images must be converted. */
function vdi(): Buffer {
  const file = Buffer.alloc(4 * MiB)
  file.set([0x7f, 0x10, 0xda, 0xbe], 0x40)
  file.writeUInt32LE(1, 0x4c)
  file.writeUInt32LE(MiB, 0x158)
  file.writeBigUInt64LE(BigInt(MiB), 0x170)
  file.writeUInt32LE(MiB, 0x178)
  file.writeUInt32LE(1, 0x184)
  return file
}

test('counts image sizes against the quota, and leaves nothing behind when an upload would exceed it', async () => {
  const { length } = rawDisk()
  cloud = await openSimulatedCloud({ limits: { quotas: { image_storage: 2 * length } } })
  const { id } = await upload(rawDisk())
  expect(await used()).toBe(length)
  await upload(rawDisk())
  const refused = await refusal(upload(rawDisk()))
  expect(refused).toMatchObject({ code: 'quota_exceeded', message: expect.stringContaining('image storage') })
  expect(await used()).toBe(2 * length)
  expect(images()).toHaveLength(2)
  await cloud.compute.images.delete(scope, id)
  expect(await used()).toBe(length)
  await upload(rawDisk())
})

test('leaves no image behind if the database connection is lost during the first commit of an upload', async () => {
  cloud = await openSimulatedCloud()
  const { records } = cloud.server
  const commit = records.transaction
  let isCutOff = false
  vi.spyOn(records, 'transaction').mockImplementation(async (work) => {
    const result = await commit(work)
    if (isCutOff || images().length === 0) return result
    isCutOff = true
    throw new Problem('database_unavailable', 'The connection ended')
  })
  expect(await refusal(upload(rawDisk()))).toMatchObject({ code: 'database_unavailable' })
  expect(isCutOff).toBe(true)
  expect(images()).toEqual([])
})

test('stops a conversion immediately when its image is deleted', async () => {
  cloud = await openSimulatedCloud({ delays: { copy: 60_000 } })
  const uploading = refusal(upload(vdi()))
  await until('the conversion', async () => images()[0]?.status === 'importing')
  const [image] = images()
  await cloud.compute.images.delete(scope, image!.id)
  expect(await uploading).toMatchObject({ code: 'conflict', message: expect.stringContaining('deleted') })
  await cloud.server.idle()
  expect(images()).toEqual([])
  expect(await used()).toBe(0)
  const { files } = cloud.engine
  expect([files.upload(image!.id), files.image(image!.id)].filter((path) => existsSync(path))).toEqual([])
})

test('keeps a conversion slot free for other projects', { tags: 'all' }, async () => {
  cloud = await openSimulatedCloud({ delays: { copy: 1500 }, limits: { copies: 2, copiesOfOne: 1 } })
  const ended: string[] = []
  const note = (name: string, work: Promise<unknown>) => work.then(() => ended.push(name))
  await Promise.all([
    note('ours', upload(vdi())),
    note('ours', upload(vdi())),
    note('theirs', upload(vdi(), memberOf('theirs'))),
  ])
  expect(ended).toHaveLength(3)
  expect(ended.slice(0, 2)).toContain('theirs')
})
