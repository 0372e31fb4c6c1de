import { createHash } from 'node:crypto'
import { GiB } from '@mainstay/contract/core/bytes'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { refusal } from '../../../conformance/cloud'
import { disk, startImageFixture, type ImageFixture } from '../../testing/image-fixture'
import { imageReader } from './shape'

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

describe('images', () => {
  test('reads images created by other clients', async () => {
    const add = async (image: Parameters<typeof glance.add>[0]) =>
      fixture.engine.refresh(imageReader, glance.add(image).id)
    const digest = { checksum: 'd5', os_hash_algo: 'sha512', os_hash_value: 'ab12' }
    expect(
      await add({ name: 'cirros', status: 'active', disk_format: 'qcow2', size: 5, virtual_size: 3 * GiB, ...digest }),
    ).toMatchObject({ name: 'cirros', min_disk: 3, ...digest, visibility: 'private', os_distro: 'linux' })
    expect(
      await add({
        status: 'active',
        visibility: 'community',
        os_distro: 'win2k12r2',
        os_admin_user: 'ada',
        hw_qemu_guest_agent: 'yes',
        os_secure_boot: 'optional',
        'trait:HW_CPU_X86_AVX': 'required',
        'trait:CUSTOM_SLOW': 'forbidden',
      }),
    ).toMatchObject({
      name: expect.stringMatching(/^[0-9a-f-]{36}$/),
      visibility: 'private',
      os_type: 'windows',
      username: 'ada',
      allow_set_password: true,
      os_secure_boot: false,
      traits: ['HW_CPU_X86_AVX'],
      checksum: null,
      os_hash_value: null,
    })
    expect(await add({ status: 'queued' })).toMatchObject({ status: 'queued', disk_format: 'detect' })
    expect(await add({ status: 'uploading' })).toMatchObject({ status: 'importing' })
    expect(await add({ status: 'deactivated' })).toMatchObject({ status: 'deactivated' })
    expect(await add({ status: 'killed' })).toMatchObject({ fault: expect.any(String) })
  })

  test('ignores the checksum and upload properties copied from another image', async () => {
    const { id } = await upload(disk())
    const copied = { mainstay_sha256: only()['mainstay_sha256'], mainstay_uploading: id }
    const row = await fixture.engine.refresh(imageReader, glance.add({ status: 'active', ...copied }).id)
    expect(row).toMatchObject({ status: 'active', checksum: null, os_hash_value: null })
  })

  test('leaves hidden images out of the index', async () => {
    glance.add({ status: 'active', os_hidden: true })
    const rows = await imageReader.some(fixture.engine.reading, [only().id, 'no-such-id'])
    expect([...rows.values()]).toEqual([null, null])
  })

  test('changes only the given fields', async () => {
    const { id } = await upload(disk(), { description: 'before' })
    glance.images.get(id)!['visibility'] = 'shared'
    const change = { name: 'after', description: '', os_distro: 'win11', username: 'ada', allow_set_password: true }
    expect(
      await images.update(fixture.member, id, { ...change, visibility: 'private', tags: ['b', 'a'] }),
    ).toMatchObject({
      ...change,
      os_type: 'windows',
      tags: ['a', 'b'],
    })
    expect(only()['visibility']).toBe('shared')
    expect(await images.update(fixture.member, id, { username: null, allow_set_password: false })).toMatchObject({
      username: null,
      allow_set_password: false,
    })
    expect(await refusal(images.update(fixture.member, id, { visibility: 'public' }))).toMatchObject({
      code: 'forbidden',
      fields: { visibility: [expect.any(String)] },
    })
    const [before, { received }] = [callsOf('PATCH').length, fixture.cloud]
    await images.update(fixture.member, id, {})
    expect([callsOf('PATCH').length, received.at(-1)?.verb]).toEqual([before, 'GET'])
  })

  test('refuses to delete a protected image, based on its current state in the cloud', async () => {
    const { id } = await upload(disk(), { protected: true })
    expect(await refusal(images.delete(fixture.member, id))).toMatchObject({ code: 'image_protected' })
    // another client removes the protection
    only()['protected'] = false
    await images.delete(fixture.member, id)
    expect([glance.images.size, fixture.index.size]).toEqual([0, 0])
  })

  test('removes an image from the index after another client has deleted it', async () => {
    const { id } = await upload(disk())
    glance.images.clear()
    await images.delete(fixture.member, id)
    expect(indexed(id)).toBeUndefined()
  })

  test('hides images of other projects unless they are public', async () => {
    const { id } = await upload(disk())
    const { stranger } = fixture
    for (const attempt of [
      () => images.update(stranger, id, { name: 'Mine' }),
      () => images.delete(stranger, id),
      () => images.download(stranger, id),
      () => images.delete(fixture.member, 'no-such-id'),
    ])
      expect(await refusal(attempt())).toMatchObject({ code: 'not_found' })
    await images.update(fixture.operator, id, { visibility: 'public' })
    const { bytes, fileName } = await images.download(stranger, id)
    bytes.destroy()
    expect(fileName).toBe('An image.raw')
    expect(await refusal(images.delete(stranger, id))).toMatchObject({ code: 'not_found' })
  })

  test('downloads the bytes that were uploaded', async () => {
    const content = disk()
    const { id } = await upload(content)
    const got = await images.download(fixture.member, id)
    expect(got).toMatchObject({ sizeBytes: content.length, md5: createHash('md5').update(content).digest('hex') })
    expect(Buffer.concat(await got.bytes.toArray()).equals(content)).toBe(true)
  })
})
