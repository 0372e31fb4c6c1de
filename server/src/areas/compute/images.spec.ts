import { createHash } from 'node:crypto'
import { Image, images } from '@mainstay/contract/compute/images'
import { page } from '@mainstay/contract/core/lists/paging'
import { ProblemBody } from '@mainstay/contract/core/problems'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { PersonaName } from '../../testing/personas'
import { startServer, type TestServer } from '../../testing/start-server'

let server: TestServer
// compute operators may upload images, and every member of the project may use them
const as: PersonaName = 'compute-operator@alpha-one'
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

/** A minimal raw disk: one sector with a boot signature, padded to 1 MiB. */
const disk = () => {
  const bytes = new Uint8Array(1024 * 1024)
  bytes.set([0x55, 0xaa], 510)
  return bytes
}
const base64 = (text: string) => Buffer.from(text).toString('base64')

async function upload(
  name: string,
  headers: Record<string, string> = {},
  body: BodyInit = disk(),
  who: PersonaName = as,
) {
  return fetch(`${server.url}${images.create.path}`, {
    method: 'POST',
    headers: {
      'x-auth-token': await server.signIn(who),
      'content-type': 'application/octet-stream',
      'x-hci-image-name': base64(name),
      ...headers,
    },
    body,
  })
}
const active = async (name: string, headers?: Record<string, string>, who?: PersonaName) => {
  const { id } = Image.parse(await (await upload(name, headers, disk(), who)).json())
  return vi.waitFor(async () => {
    const image = await server.call(images.view, { as, params: { id } })
    expect(image.status).toBe('active')
    return image
  })
}

describe('an image upload', () => {
  it('takes the image from the body and its properties from headers [CA-076] [EN-067]', async () => {
    // an operator uploads a public image, which is visible in every project
    const who: PersonaName = 'superuser'
    const image = await active(
      'Große Platte',
      {
        'x-hci-image-description': base64('for tests'),
        'x-hci-image-container-format': 'bare',
        'x-hci-image-disk-format': 'raw',
        'x-hci-image-os-distro': 'debian13',
        'x-hci-image-protected': 'true',
        'x-hci-image-visibility': 'public',
        'x-hci-image-hw-tpm-version': '2.0',
        'x-hci-image-hw-firmware-type': 'uefi',
        'x-hci-image-os-secure-boot': 'true',
        'x-hci-image-min-disk': '2',
        'x-hci-image-min-ram': '512',
        'x-hci-image-tags': base64(JSON.stringify(['small', 'neu'])),
      },
      who,
    )
    expect(Image.parse(image)).toEqual(image)
    expect(image).toMatchObject({
      id: expect.any(String),
      name: 'Große Platte',
      status: 'active',
      size: 1024 * 1024,
      virtual_size: 1024 * 1024,
      disk_format: 'raw',
      container_format: 'bare',
      os_distro: 'debian13',
      os_type: 'linux',
      tags: ['small', 'neu'],
      min_disk: 2,
      min_ram: 512,
      created_at: expect.any(String),
      project_id: expect.any(String),
      visibility: 'public',
      protected: true,
      traits: [],
      hw_firmware_type: 'uefi',
      hw_tpm_version: '2.0',
      os_secure_boot: true,
      allow_set_password: expect.any(Boolean),
      username: null,
      restricted: expect.any(Boolean),
    })
    const body = { username: 'ada', allow_set_password: !image.allow_set_password }
    await server.call(images.update, { as: who, params: { id: image.id }, body })
    expect(await server.call(images.view, { as, params: { id: image.id } })).toEqual({
      ...{ ...image, ...body, updated_at: expect.any(String) },
    })
  })

  it.each([
    ['a name that is not base64', { 'x-hci-image-name': '%%%' }, 'x-hci-image-name'],
    ['a name of 1 character', { 'x-hci-image-name': base64('a') }, 'x-hci-image-name'],
    ['a name of 256 characters', { 'x-hci-image-name': base64('a'.repeat(256)) }, 'x-hci-image-name'],
    ['an unknown format', { 'x-hci-image-disk-format': 'floppy' }, 'x-hci-image-disk-format'],
    ['an unknown container format', { 'x-hci-image-container-format': 'ovf' }, 'x-hci-image-container-format'],
    ['an unknown visibility', { 'x-hci-image-visibility': 'secret' }, 'x-hci-image-visibility'],
    ['a protection flag that is not a boolean', { 'x-hci-image-protected': 'perhaps' }, 'x-hci-image-protected'],
    ['an unknown firmware type', { 'x-hci-image-hw-firmware-type': 'none' }, 'x-hci-image-hw-firmware-type'],
    ['an unknown TPM version', { 'x-hci-image-hw-tpm-version': '3.0' }, 'x-hci-image-hw-tpm-version'],
    ['tags that are not a list', { 'x-hci-image-tags': base64('{"a":1}') }, 'x-hci-image-tags'],
  ])('with %s is refused with an error on that header', async (_, headers, field) => {
    const response = await upload('fine', headers)
    const { error } = ProblemBody.parse(await response.json())
    expect([response.status, Object.keys(error.fields)]).toEqual([400, [field]])
  })

  it('in another format is refused and leaves no image behind', async () => {
    const response = await upload('no image', { 'x-hci-image-disk-format': 'qcow2' }, 'this is a text')
    expect(response.status).toBe(422)
    expect(ProblemBody.parse(await response.json()).error.err_code).toMatch(/^image_/)
    const { data } = await server.call(images.list, { as, query: { name: 'exact:no image' } })
    expect(data).toEqual([])
  })

  it('requires permission', async () => {
    expect((await upload('mine', {}, disk(), 'viewer')).status).toBe(403)
  })
})

it('lists and filters images [CA-075]', async () => {
  for (const name of ['list-1', 'list-2', 'list-3']) await active(name, { 'x-hci-image-tags': base64(`["${name}"]`) })
  const address = `${server.url}/api/v2/compute/images?name=list-&sort=name:asc&limit=2&with_count=true`
  const answer = await fetch(address, { headers: { 'x-auth-token': await server.signIn(as) } })
  const first = page(Image).parse(await answer.json())
  expect([first.count, first.data.map(({ name }) => name)]).toEqual([3, ['list-1', 'list-2']])
  const tagged = await server.call(images.list, { as, query: { tags: 'any:list-1,list-3', sort: 'name:asc' } })
  expect(tagged.data.map(({ name }) => name)).toEqual(['list-1', 'list-3'])
})

it('updates the properties of an image but never its content', async () => {
  const { id, checksum } = await active('old name')
  const changed = await server.call(images.update, { as, params: { id }, body: { name: 'new name', min_ram: 64 } })
  expect(changed).toMatchObject({ name: 'new name', min_ram: 64, checksum })
  const file = await server.fetch(images.download, { as, params: { id } })
  expect(Buffer.from(await file.arrayBuffer()).equals(disk())).toBe(true)
})

it('lets viewers see an image but not download it', async () => {
  const { id } = await active('looked at')
  expect(await server.call(images.view, { as: 'viewer', params: { id } })).toMatchObject({ name: 'looked at' })
  const refused = await server.fetch(images.download, { as: 'viewer', params: { id } })
  expect([refused.status, await refused.json()]).toMatchObject([403, { error: { err_code: 'forbidden' } }])
})

it('sends the MD5 and length of a download, also for HEAD requests', async () => {
  const { id, checksum } = await active('to be verified')
  expect(checksum).toBe(createHash('md5').update(disk()).digest('hex'))
  const headers = { 'x-auth-token': await server.signIn(as) }
  const address = `${server.url}${images.download.path.replace(':id', id)}`
  for (const method of ['GET', 'HEAD']) {
    const told = (await fetch(address, { method, headers })).headers
    expect([told.get('content-md5'), told.get('content-length')], method).toEqual([checksum, String(disk().length)])
  }
})

it('refuses to delete a protected image', async () => {
  const { id } = await active('kept', { 'x-hci-image-protected': 'true' })
  await expect(server.call(images.delete, { as, params: { id } })).rejects.toMatchObject({
    code: 'image_protected',
    status: 409,
  })
  await server.call(images.update, { as, params: { id }, body: { protected: false } })
  expect((await server.fetch(images.delete, { as, params: { id } })).status).toBe(204)
  expect((await server.fetch(images.view, { as, params: { id } })).status).toBe(404)
})

it('hides images in other projects and shows public images everywhere', async () => {
  const own = await active('own')
  const sharing = await upload('shared', { 'x-hci-image-visibility': 'public' }, disk(), 'superuser')
  const shared = Image.parse(await sharing.json())
  await expect(server.call(images.view, { as: 'other-member', params: { id: own.id } })).rejects.toMatchObject({
    code: 'not_found',
  })
  expect(await server.call(images.view, { as: 'other-member', params: { id: shared.id } })).toMatchObject({
    name: 'shared',
  })
})
