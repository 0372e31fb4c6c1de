import { createHash, randomUUID } from 'node:crypto'
import { recordedRow } from './recorded-rows'
import type { FakeCloud, Received, Reply } from './cloud'

export type FakeImage = Record<string, unknown> & { id: string; status: string; owner: string }

export interface FakeImages {
  images: Map<string, FakeImage>
  /** Uploaded bytes by image ID. */
  bytes: Map<string, Buffer>
  /** Whether the cloud offers interoperable image import. */
  offersImport: boolean
  /** Error message with which every import fails; null if imports succeed. */
  importFails: string | null
  /** Adds an image, as if another client had created it. */
  add(image: Partial<FakeImage>): FakeImage
}

/** Returns an error in the format of the image service. */
export const imageRefusal = (status: number, title: string, message: string): Reply => ({
  status,
  body: { code: `${status} ${title}`, message: `${message}<br /><br />\n\n\n`, title },
})
const none = () => imageRefusal(404, 'Not Found', 'Failed to find image')
const forbidden = (message: string) => imageRefusal(403, 'Forbidden', message)

const digests = (file: Buffer) => ({
  checksum: createHash('md5').update(file).digest('hex'),
  os_hash_algo: 'sha512',
  os_hash_value: createHash('sha512').update(file).digest('hex'),
})

/** Serves the parts of the image service that uploads use: https://docs.openstack.org/api-ref/image/v2/ */
export function fakeImages(cloud: FakeCloud): FakeImages {
  const images = new Map<string, FakeImage>()
  const bytes = new Map<string, Buffer>()
  const now = () => new Date().toISOString().replace(/\.\d+Z$/, 'Z')

  function add(image: Partial<FakeImage>): FakeImage {
    const { os_distro: _, os_type: __, os_admin_user: ___, description: ____, ...seed } = recordedRow('image')
    const made = {
      ...seed,
      id: randomUUID(),
      name: null,
      status: 'queued',
      owner: 'p-demo',
      visibility: 'shared',
      protected: false,
      os_hidden: false,
      min_disk: 0,
      min_ram: 0,
      tags: [],
      ...{ size: null, virtual_size: null, checksum: null, os_hash_algo: null, os_hash_value: null },
      disk_format: null,
      container_format: null,
      created_at: now(),
      updated_at: now(),
      ...image,
    }
    images.set(made.id, made)
    return made
  }
  const fake: FakeImages = { images, bytes, offersImport: false, importFails: null, add }

  const isAdmin = ({ token }: Received) => token?.roles.some(({ name }) => name === 'admin') ?? false
  const seen = (call: Received): FakeImage | null => {
    const image = images.get(call.params['id'] ?? '')
    const isTheirs = image?.owner === call.token?.project?.id || isAdmin(call)
    return image && (isTheirs || image['visibility'] === 'public') ? image : null
  }
  const on = (verb: string, path: string, answer: (image: FakeImage, call: Received) => Reply) =>
    cloud.on('image', verb, path, (call) => {
      const image = seen(call)
      return image ? answer(image, call) : none()
    })
  const mayPublish = (call: Received, visibility: unknown) => visibility !== 'public' || isAdmin(call)

  cloud.on('image', 'POST', '/images', (call) => {
    const draft = call.body as Partial<FakeImage>
    if (!mayPublish(call, draft['visibility']))
      return forbidden('You are not authorized to complete publicize_image action.')
    return { status: 201, body: add({ ...draft, owner: call.token?.project?.id ?? '' }) }
  })
  cloud.on('image', 'GET', '/images', () => ({ body: { images: [...images.values()] } }))
  cloud.on('image', 'GET', '/info/import', () => ({
    body: { 'import-methods': { value: fake.offersImport ? ['glance-direct', 'web-download'] : [] } },
  }))
  on('GET', '/images/:id', (image) => ({ body: image }))
  on('PATCH', '/images/:id', (image, call) => {
    for (const { op, path, value } of call.body as { op: string; path: string; value?: unknown }[]) {
      const name = path.slice(1)
      if (name === 'visibility' && !mayPublish(call, value)) return forbidden('You are not authorized')
      if (op !== 'add' && !(name in image)) return imageRefusal(409, 'Conflict', `Property ${name} does not exist.`)
      if (op === 'remove') delete image[name]
      else image[name] = value
    }
    return { body: image }
  })
  on('DELETE', '/images/:id', (image) => {
    if (image['protected']) return forbidden(`Image ${image.id} is protected and cannot be deleted.`)
    images.delete(image.id)
    return { status: 204 }
  })
  const take = (image: FakeImage, call: Received, status: string): Reply => {
    bytes.set(image.id, call.bytes)
    const size = call.bytes.length
    Object.assign(image, { status, ...(status === 'active' && { size, virtual_size: null, ...digests(call.bytes) }) })
    return { status: 204 }
  }
  on('PUT', '/images/:id/file', (image, call) => take(image, call, 'active'))
  on('PUT', '/images/:id/stage', (image, call) => take(image, call, 'uploading'))
  on('POST', '/images/:id/import', (image) => {
    if (fake.importFails === null) {
      const taken = bytes.get(image.id) ?? Buffer.alloc(0)
      Object.assign(image, { status: 'active', size: taken.length, ...digests(taken) })
    } else Object.assign(image, { status: 'queued', os_glance_failed_import: 'file' })
    return { status: 202 }
  })
  on('GET', '/images/:id/tasks', () => ({ body: { tasks: [{ message: fake.importFails ?? '' }] } }))
  cloud.on('image', 'GET', '/images/:id/file', (call) => ({ text: bytes.get(call.params['id'] ?? '') ?? '' }))
  return fake
}
