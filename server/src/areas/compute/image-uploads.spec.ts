import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { imageUploads, MOST_UPLOADS } from '@mainstay/contract/compute/image-uploads'
import { Image, images } from '@mainstay/contract/compute/images'
import { ProblemBody } from '@mainstay/contract/core/problems'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createImageUploads } from '../../proxies/image-uploads'
import type { PersonaName } from '../../testing/personas'
import { startServer, type TestServer } from '../../testing/start-server'

let server: TestServer
const as: PersonaName = 'compute-operator@alpha-one'
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const disk = randomBytes(3 * 1024 * 1024)
disk.fill(0, 0, 512)
disk.set([0x55, 0xaa], 510)
const sha256 = createHash('sha256').update(disk).digest('hex')

const headersOf = async (id: string, offset: number, who: PersonaName = as) => ({
  'x-auth-token': await server.signIn(who),
  'content-type': 'application/octet-stream',
  'x-hci-image-name': Buffer.from(`image ${id}`).toString('base64'),
  'x-hci-upload-id': id,
  'x-hci-upload-size': String(disk.length),
  'x-hci-upload-offset': String(offset),
})
const address = () => `${server.url}${images.create.path}`

/** Uploads the file from `offset` to its end. */
const send = async (id: string, offset: number, who: PersonaName = as) =>
  fetch(address(), { method: 'POST', headers: await headersOf(id, offset, who), body: disk.subarray(offset) })
const problemOf = async (response: Response) => ProblemBody.parse(await response.json()).error

const chunked = async (id: string, offset: number, who?: PersonaName) => ({
  ...(await headersOf(id, offset, who)),
  'transfer-encoding': 'chunked',
})

/** Uploads the bytes from `from` to `to`, then stalls. Returns a function that drops the connection. */
async function begin(id: string, from: number, to: number): Promise<() => void> {
  const sending = request(address(), { method: 'POST', headers: await chunked(id, from) })
  sending.on('error', () => undefined)
  sending.write(disk.subarray(from, to))
  await vi.waitFor(async () => expect(await view(id)).toMatchObject({ offset: to }))
  return () => void sending.destroy()
}
const view = (id: string, who: PersonaName = as) => server.call(imageUploads.view, { as: who, params: { id } })
const rows = async (id: string) =>
  (await server.call(images.list, { as, query: { name: `exact:image ${id}` } })).data.map(({ status }) => status)

it('resumes an upload after repeated interruptions and produces the complete file', { tags: 'all' }, async () => {
  const id = randomUUID()
  ;(await begin(id, 0, 1_000_000))()
  expect(await view(id)).toEqual({ id, size: disk.length, offset: 1_000_000 })
  expect(await rows(id)).toEqual(['uploading'])
  ;(await begin(id, 1_000_000, 2_000_001))()
  const response = await send(id, 2_000_001)
  expect(response.status).toBe(202)
  expect(Image.parse(await response.json())).toMatchObject({
    status: 'active',
    os_hash_value: sha256,
    size: disk.length,
  })
})

it('lets an upload resume while the old connection is still open', async () => {
  const id = randomUUID()
  const hangUp = await begin(id, 0, 500_000)
  const response = await send(id, 500_000)
  expect(Image.parse(await response.json())).toMatchObject({ status: 'active', os_hash_value: sha256 })
  hangUp()
})

it('drops a stalled connection but keeps the bytes received so far', { tags: 'all' }, async () => {
  const patient = server
  server = await startServer({ uploadTimeoutMs: 3_000 })
  try {
    const id = randomUUID()
    const sending = request(address(), { method: 'POST', headers: await chunked(id, 0) })
    const isGivenUp = new Promise((resolve) => sending.once('error', resolve).once('response', resolve))
    sending.write(disk.subarray(0, 500_000))
    await isGivenUp
    expect(await view(id)).toMatchObject({ offset: 500_000 })
    expect((await send(id, 500_000)).status).toBe(202)
  } finally {
    await server.close()
    server = patient
  }
})

it('returns the same response when a completed upload is repeated', async () => {
  const id = randomUUID()
  const first = Image.parse(await (await send(id, 0)).json())
  expect(await view(id)).toMatchObject({ offset: disk.length })
  const again = await send(id, disk.length)
  expect(Image.parse(await again.json()).id).toBe(first.id)
  expect(await rows(id)).toEqual(['active'])
})

it('refuses a wrong offset and reports the expected one, and refuses a different file size', async () => {
  const id = randomUUID()
  ;(await begin(id, 0, 500_000))()
  const wrong = await send(id, 400_000)
  expect(wrong.status).toBe(409)
  expect(await problemOf(wrong)).toMatchObject({ err_code: 'conflict', data: { offset: 500_000 } })
  const headers = { ...(await headersOf(id, 500_000)), 'x-hci-upload-size': '4096' }
  const other = await fetch(address(), { method: 'POST', headers, body: disk.subarray(0, 100) })
  expect(await problemOf(other)).toMatchObject({ err_code: 'conflict' })
  expect((await send(id, 500_000)).status).toBe(202)
})

it('returns the original error when a rejected upload is queried again', async () => {
  const id = randomUUID()
  const headers = { ...(await headersOf(id, 0)), 'x-hci-upload-size': '1000' }
  const refused = await fetch(address(), { method: 'POST', headers, body: Buffer.alloc(1000, 'text') })
  const { err_code, message } = await problemOf(refused)
  expect(err_code).toBe('image_format_unsupported')
  await expect(view(id)).rejects.toMatchObject({ code: err_code, message })
  expect(await rows(id)).toEqual([])
})

it('hides uploads from other projects and refuses to resume an unknown upload', async () => {
  const id = randomUUID()
  ;(await begin(id, 0, 500_000))()
  for (const who of ['compute-operator@alpha-two', 'superuser'] as const) {
    await expect(view(id, who)).rejects.toMatchObject({ code: 'not_found' })
    expect((await send(id, 500_000, who)).status).toBe(404)
  }
  expect((await send(randomUUID(), 500_000)).status).toBe(404)
  await server.call(imageUploads.delete, { as, params: { id } })
})

it('limits a project to 8 uploads and discards abandoned ones to make room for new ones', { tags: 'all' }, async () => {
  const who: PersonaName = 'compute-operator@alpha-two'
  const open = async (id: string) => {
    const sending = request(address(), { method: 'POST', headers: await chunked(id, 0, who) })
    sending.on('error', () => undefined)
    sending.write(disk.subarray(0, 70_000))
    await vi.waitFor(async () => expect(await view(id, who)).toMatchObject({ offset: 70_000 }))
    return sending
  }
  const ids = Array.from({ length: MOST_UPLOADS }, () => randomUUID())
  const sending = []
  for (const id of ids) sending.push(await open(id))
  const refused = await send(randomUUID(), 0, who)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30'])
  expect(await problemOf(refused)).toMatchObject({
    err_code: 'too_many_uploads',
    message: expect.stringContaining('8 images'),
  })
  const plain = await chunked('', 0, who)
  for (const name of ['x-hci-upload-id', 'x-hci-upload-size', 'x-hci-upload-offset', 'transfer-encoding'] as const)
    delete (plain as Record<string, string>)[name]
  const unnamed = () => fetch(address(), { method: 'POST', headers: plain, body: disk })
  expect((await unnamed()).status).toBe(429)
  sending[3]!.destroy()
  // the server notices the closed connection a little later
  await vi.waitFor(async () => expect((await unnamed()).status).toBe(202))
  await expect(view(ids[3]!, who)).rejects.toMatchObject({ code: 'not_found' })
  for (const one of sending) one.destroy()
  for (const id of ids) await server.call(imageUploads.delete, { as: who, params: { id } }).catch(() => undefined)
})

it('leaves nothing behind when an upload is cancelled', async () => {
  const id = randomUUID()
  const hangUp = await begin(id, 0, 500_000)
  await server.call(imageUploads.delete, { as, params: { id } })
  hangUp()
  await expect(view(id)).rejects.toMatchObject({ code: 'not_found' })
  expect(await rows(id)).toEqual([])
})

it('discards an upload that is not resumed within the time limit', async () => {
  const { ports, inventory, log } = server.tools
  const short = createImageUploads({ ports, inventory, log, keptMs: 200 })
  const before = server.tools.imageUploads
  server.tools.imageUploads = short
  try {
    const id = randomUUID()
    ;(await begin(id, 0, 500_000))()
    await vi.waitFor(async () => expect(await rows(id)).toEqual([]))
    await expect(view(id)).rejects.toMatchObject({ code: 'not_found' })
  } finally {
    server.tools.imageUploads = before
  }
})

it('reports that an upload is on another server until that server shuts down', async () => {
  const id = randomUUID()
  ;(await begin(id, 0, 500_000))()
  const { ports, inventory, log } = server.tools
  const other = createImageUploads({ ports, inventory, log })
  const before = server.tools.imageUploads
  server.tools.imageUploads = other
  try {
    await expect(view(id)).rejects.toMatchObject({ code: 'upload_elsewhere' })
    expect((await send(id, 500_000)).status).toBe(409)
    await before.close()
    await vi.waitFor(() => expect(view(id)).rejects.toMatchObject({ code: 'not_found' }))
    expect(await rows(id)).toEqual([])
  } finally {
    server.tools.imageUploads = before
  }
})

it('requires the file size when an upload ID is given', async () => {
  const { 'x-hci-upload-size': _, ...headers } = await headersOf(randomUUID(), 0)
  const response = await fetch(address(), { method: 'POST', headers, body: disk })
  expect(Object.keys((await problemOf(response)).fields)).toEqual(['x-hci-upload-size'])
})
