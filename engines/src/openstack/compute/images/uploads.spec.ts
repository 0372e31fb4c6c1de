import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Image } from '@mainstay/contract/compute/images'
import { GiB } from '@mainstay/contract/core/bytes'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { refusal } from '../../../conformance/cloud'
import { imageRefusal } from '../../testing/fake-cloud/images'
import { disk, startImageFixture, type ImageFixture } from '../../testing/image-fixture'
import { imageReader } from './shape'
import { watchUploads } from './uploads'

let fixture: ImageFixture
let glance: ImageFixture['glance']
let images: ImageFixture['images']
let upload: ImageFixture['upload']
let only: ImageFixture['only']
let callsOf: ImageFixture['callsOf']
let indexed: ImageFixture['indexed']
beforeEach(async () => {
  fixture = await startImageFixture()
  ;({ glance, images, upload, only, callsOf, indexed } = fixture)
})
afterEach(() => fixture.close())

describe('image uploads', () => {
  test("creates an image with all its properties, using the uploader's token", async () => {
    const bytes = disk()
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const image = await upload(bytes, {
      name: 'Große Platte',
      description: 'for tests',
      os_distro: 'win11',
      protected: true,
      hw_firmware_type: 'uefi',
      hw_tpm_version: '2.0',
      os_secure_boot: true,
      min_ram: 512,
      tags: ['small', 'neu'],
    })
    expect(image).toMatchObject({
      name: 'Große Platte',
      description: 'for tests',
      status: 'active',
      size: bytes.length,
      virtual_size: bytes.length,
      os_hash_algo: 'sha256',
      os_hash_value: sha256,
      disk_format: 'raw',
      type: 'template',
      os_distro: 'win11',
      os_type: 'windows',
      protected: true,
      visibility: 'private',
      hw_firmware_type: 'uefi',
      hw_tpm_version: '2.0',
      os_secure_boot: true,
      // 2 MiB, rounded up to 1 GiB
      min_disk: 1,
      min_ram: 512,
      tags: ['neu', 'small'],
      project_id: 'p-demo',
    })
    expect(indexed(image.id)).toEqual(image)
    expect(glance.bytes.get(image.id)?.equals(bytes)).toBe(true)
    expect(only()).toMatchObject({ container_format: 'bare', os_type: 'windows', os_secure_boot: 'required' })
    expect(only()).not.toHaveProperty('mainstay_uploading')
    for (const call of [...callsOf('POST'), ...callsOf('PUT'), ...callsOf('PATCH')])
      expect(call.token).toMatchObject({ user: { name: 'demo' }, project: { id: 'p-demo' } })
    expect(fixture.begun).toMatchObject([{ name: 'compute.image.import', subject: { kind: 'image', id: image.id } }])
  })

  test('sets a virtio keyboard unless the guest is Windows', { tags: 'all' }, async () => {
    await upload(disk(), { os_distro: 'debian13' })
    expect(only()).toMatchObject({ hw_input_bus: 'virtio' })
    glance.images.clear()
    await upload(disk(), { os_distro: 'win11' })
    expect(only()).not.toHaveProperty('hw_input_bus')
  })

  test('shows an upload in progress, and activates the image only once the upload is complete', async () => {
    const bytes = new Readable({ read() {} })
    bytes.push(disk())
    const uploading = upload(bytes)
    await expect.poll(() => [...fixture.index.values()]).toMatchObject([{ status: 'uploading', size: null }])
    const [{ id }] = [...fixture.index.values()] as [Image]
    expect(await refusal(images.delete(fixture.member, id))).toMatchObject({ code: 'invalid_state' })
    expect(await refusal(images.download(fixture.member, id))).toMatchObject({ code: 'invalid_state' })
    bytes.push(null)
    expect(await uploading).toMatchObject({ id, status: 'active' })
  })

  test.each([
    ['a dynamic VHD', vhd(), 'vhd', 'bare'],
    ['a kernel', kernel(), 'aki', 'aki'],
    ['an ISO', iso(), 'iso', 'bare'],
  ])('sends the format of %s under its Glance name', async (_, bytes, disk_format, container_format) => {
    await upload(bytes, disk_format === 'aki' ? { disk_format } : {})
    expect(only()).toMatchObject({ disk_format, container_format })
  })

  test.each([
    ['is a picture', Buffer.from('GIF89a is a picture of a cat, not of a disk'.repeat(40)), 'image_format_unsupported'],
    ['is empty', Buffer.alloc(0), 'image_truncated'],
    ['has a backing file', qcow2((head) => head.writeBigUInt64BE(512n, 8)), 'image_backing_file'],
    ['claims to be 1 EiB', qcow2((head) => head.writeBigUInt64BE(1024n ** 6n, 24)), 'image_too_large'],
  ])('refuses a file that %s before calling the cloud', async (_, bytes, code) => {
    expect(await refusal(upload(bytes))).toMatchObject({ code })
    expect(callsOf('POST')).toEqual([])
  })

  test.each([
    ['is interrupted', (bytes: Readable) => void bytes.destroy(new Error('the client left')), 'the client left'],
    ['ends inside a sector', (bytes: Readable) => void (bytes.push('x'), bytes.push(null)), 'multiple of 512 bytes'],
  ])('leaves nothing behind when an upload %s', async (_, end, message) => {
    const bytes = new Readable({ read() {} })
    bytes.push(disk())
    const uploading = upload(bytes)
    await expect.poll(() => fixture.index.size).toBe(1)
    end(bytes)
    await expect(uploading).rejects.toThrow(message)
    expect([glance.images.size, fixture.index.size]).toEqual([0, 0])
  })

  test('leaves nothing behind when the cloud aborts the upload, and reports why', async () => {
    fixture.cloud.on('image', 'PUT', '/images/:id/file', () =>
      imageRefusal(413, 'Request Entity Too Large', 'Image storage media is full: there is no room for it.'),
    )
    expect(await refusal(upload(disk(), { protected: true }))).toMatchObject({
      message: expect.stringContaining('is full'),
    })
    expect([glance.images.size, fixture.index.size]).toEqual([0, 0])
  })

  test('refuses a public image if the cloud does not allow it', { tags: 'all' }, async () => {
    expect(await refusal(upload(disk(), { visibility: 'public' }))).toMatchObject({
      code: 'forbidden',
      fields: { visibility: [expect.any(String)] },
    })
    expect(callsOf('PUT')).toEqual([])
    expect(await upload(disk(), { visibility: 'public' }, fixture.operator)).toMatchObject({ visibility: 'public' })
  })

  test("completes the upload even if the uploader's token has expired", async () => {
    fixture.cloud.on('image', 'PATCH', '/images/:id', (call) => {
      if (call.token?.user.name !== 'service') return { status: 401, body: { error: { code: 401, message: 'Gone' } } }
      const image = glance.images.get(call.params['id'] ?? '')!
      delete image['mainstay_uploading']
      return { body: image }
    })
    expect(await upload(disk())).toMatchObject({ status: 'active' })
  })
})

describe('uploads to a cloud with image import', () => {
  beforeEach(() => {
    glance.offersImport = true
  })

  test('stages the upload and imports it', async () => {
    const bytes = disk()
    const image = await upload(bytes)
    expect(image).toMatchObject({ status: 'active', size: bytes.length })
    expect(callsOf('PUT').map(({ path }) => path)).toEqual([`/images/${image.id}/stage`])
    expect(callsOf('POST').map(({ body }) => body)).toContainEqual({ method: { name: 'glance-direct' } })
  })

  test('waits until the import releases the image, even if the image is already active', async () => {
    fixture.cloud.on('image', 'POST', '/images/:id/import', () => {
      Object.assign(only(), { status: 'active', os_glance_import_task: 'a task' })
      setTimeout(() => delete only()['os_glance_import_task'], 300)
      return { status: 202 }
    })
    expect(await upload(disk())).toMatchObject({ status: 'active' })
    expect(only()).not.toHaveProperty('os_glance_import_task')
  })

  test("leaves nothing behind when the import is rejected, and reports the cloud's message", async () => {
    glance.importFails = 'Image failed conversion'
    expect(await refusal(upload(disk()))).toMatchObject({ message: 'Image failed conversion' })
    expect([glance.images.size, fixture.index.size]).toEqual([0, 0])
  })
})

describe('an upload whose server died', () => {
  const begin = async (status: string, age: number, more: object = {}) => {
    const { id } = glance.add({ status, ...more })
    await fixture.engine.refresh(imageReader, id)
    await fixture.engine.records.transaction((tx) =>
      tx.putPrivate('image-uploads', 'begun', { [id]: Date.now() - age }),
    )
    return id
  }
  const look = async () => {
    const watch = watchUploads(fixture.engine)
    watch.stop()
    await watch.look()
  }

  test.each([
    ['queued', {}],
    ['saving', {}],
    ['uploading', { protected: true }],
  ])('leaves nothing behind when it was %s', async (status, more) => {
    const id = await begin(status, 60_000, more)
    await look()
    expect([glance.images.size, indexed(id)]).toEqual([0, undefined])
  })

  test('is kept if it was complete or its server is still alive', async () => {
    const alive = await begin('saving', 5_000)
    await look()
    expect(glance.images.has(alive)).toBe(true)
    const whole = await begin('active', 60_000)
    await look()
    expect(indexed(whole)).toMatchObject({ status: 'active' })
  })

  test('is removed later if the cloud cannot delete it at first', async () => {
    const id = await begin('queued', 60_000)
    fixture.cloud.on('image', 'DELETE', '/images/:id', () => imageRefusal(409, 'Conflict', 'Not now.'))
    await look()
    expect(glance.images.has(id)).toBe(true)
    fixture.cloud.on('image', 'DELETE', '/images/:id', () => {
      glance.images.delete(id)
      return { status: 204 }
    })
    await look()
    expect(indexed(id)).toBeUndefined()
  })
})

function qcow2(change: (header: Buffer) => void): Buffer {
  const header = Buffer.alloc(65_536)
  header.write('QFI\u00fb', 'latin1')
  header.writeUInt32BE(2, 4)
  header.writeBigUInt64BE(BigInt(GiB), 24)
  change(header)
  return header
}
function vhd(): Buffer {
  const footer = Buffer.alloc(512)
  footer.write('conectix', 'latin1')
  footer.writeBigUInt64BE(BigInt(GiB), 48)
  footer.writeUInt32BE(3, 60)
  return Buffer.concat([footer, Buffer.alloc(4096), footer])
}
function kernel(): Buffer {
  const head = Buffer.alloc(4096)
  head.write('HdrS', 0x202, 'latin1')
  return head
}
function iso(): Buffer {
  const bytes = Buffer.alloc(0x9000)
  bytes.write('\u0001CD001\u0001', 0x80_00, 'latin1')
  return bytes
}
