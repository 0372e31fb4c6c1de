import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { imageImports, MOST_IMPORTS, type ImageImport } from '@mainstay/contract/compute/image-imports'
import { images } from '@mainstay/contract/compute/images'
import { taskIsOver, tasks } from '@mainstay/contract/core/tasks'
import { rawDisk } from '@mainstay/engines/conformance/images'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { startFileHost, trustFileHost } from '../../testing/outside/file-host'
import type { PersonaName } from '../../testing/personas'
import { startServer, type TestServer } from '../../testing/start-server'

const disk = rawDisk()
const sha256 = createHash('sha256').update(disk).digest('hex')
const sha512 = createHash('sha512').update(disk).digest('hex')
const as: PersonaName = 'compute-operator@alpha-one'

let server: TestServer
let host: Awaited<ReturnType<typeof startFileHost>>
beforeAll(async () => {
  host = await startFileHost({
    '/disk.raw': disk,
    '/our%20disk.raw': disk,
    '/SHA512SUMS': `${sha512}  disk.raw\n`,
    '/wrong-sums': `${'0'.repeat(128)}  disk.raw\n`,
    '/page.html': 'nothing here',
  })
  server = await startServer({ environment: trustFileHost })
  const entry = { version: '7', username: 'ada', os_distro: 'debian13', min_ram: 512, url: `${host.url}/disk.raw` }
  await writeFile(
    path.join(server.folder, 'image-catalogue.json'),
    JSON.stringify({
      images: [
        { ...entry, id: 'ours', name: 'Our Linux', checksum_url: `${host.url}/SHA512SUMS` },
        { ...entry, id: 'changed', name: 'Changed', checksum_url: `${host.url}/wrong-sums` },
        { ...entry, id: 'unlisted', name: 'Unlisted', checksum_url: `${host.url}/page.html` },
      ],
    }),
  )
})
afterEach(() => host.letGo())
afterAll(async () => {
  await server.close()
  await host.close()
})

const begin = async (body: ImageImport, who = as) => (await server.call(imageImports.create, { as: who, body })).task_id
const taskOf = (id: string) => server.call(tasks.view, { as, params: { id } })
const over = (id: string) =>
  vi.waitFor(
    async () => {
      const task = await taskOf(id)
      expect(taskIsOver(task.state), task.state).toBe(true)
      return task
    },
    { timeout: 20_000, interval: 50 },
  )
const named = async (name: string) => (await server.call(images.list, { as, query: { name: `exact:${name}` } })).data

it('imports a catalogue image, verifies its published digest and sets its default username', async () => {
  const { data } = await server.call(imageImports.catalogue, { as })
  expect(data.map(({ id }) => id)).toEqual(['ours', 'changed', 'unlisted'])
  const task = await over(await begin({ catalogue_id: 'ours' }))
  expect(task).toMatchObject({ name: 'compute.image.fetch', state: 'success', error: null })
  expect(await named('Our Linux 7')).toMatchObject([
    {
      ...{ id: (task.result as { id: string }).id, status: 'active', os_hash_value: sha256, visibility: 'private' },
      ...{ username: 'ada', os_distro: 'debian13', min_ram: 512 },
    },
  ])
})

it('imports a file from a URL and names the image after the file', async () => {
  const task = await over(await begin({ url: `${host.url}/our%20disk.raw`, checksum: `sha256:${sha256}` }))
  expect(task.state).toBe('success')
  expect(await named('our disk')).toMatchObject([{ status: 'active', username: null }])
})

it.each([
  ['whose digest differs from the published one', { catalogue_id: 'changed' }, 'checksum_mismatch', 'Changed 7'],
  ['whose digest is not published', { catalogue_id: 'unlisted' }, 'import_failed', 'Unlisted 7'],
  [
    'that does not match the given checksum',
    { url: '/disk.raw', checksum: `sha256:${'1'.repeat(64)}` },
    'checksum_mismatch',
    'disk',
  ],
  ['that does not exist', { url: '/nothing.raw' }, 'import_failed', 'nothing'],
  ['that is not a disk', { url: '/page.html' }, 'image_format_unsupported', 'page'],
] as const)('discards a file %s and gives the reason in the task', async (_, wanted, code, name) => {
  const url = 'url' in wanted ? { url: `${host.url}${wanted.url}` } : {}
  const task = await over(await begin({ ...wanted, ...url }))
  expect(task).toMatchObject({ state: 'failed', err_code: code, error: expect.any(String) })
  expect(await named(name)).toEqual([])
})

it('leaves nothing behind when an import is cancelled', async () => {
  host.hold()
  const id = await begin({ url: `${host.url}/disk.raw`, name: 'cancelled' })
  await vi.waitFor(async () => expect(await named('cancelled')).toMatchObject([{ status: 'uploading' }]), 20_000)
  expect((await taskOf(id)).cancellable).toBe(true)
  await server.call(tasks.cancel, { as, params: { id } })
  expect((await over(id)).state).toBe('cancelled')
  expect(await named('cancelled')).toEqual([])
})

it('refuses internal and invalid URLs immediately with an error on the url field', async () => {
  const refused = (url: string) =>
    server.call(imageImports.create, { as, body: { url } }).then(
      () => 'taken',
      (error: { code: string; fields: object }) => [error.code, Object.keys(error.fields)],
    )
  for (const url of ['https://10.0.0.1/x', 'https://[::1]/x', 'http://images.example/x', 'https://169.254.169.254/x'])
    expect(await refused(url), url).toEqual(['import_forbidden', ['url']])
  for (const url of ['ftp://images.example/x', 'nowhere', 'https://ada:secret@images.example/x'])
    expect(await refused(url), url).toEqual(['validation', ['url']])
})

it('limits the number of concurrent imports per project', async () => {
  host.hold()
  const url = `${host.url}/disk.raw`
  const begun = await Promise.all(Array.from({ length: MOST_IMPORTS }, (_, at) => begin({ url, name: `many ${at}` })))
  await expect(begin({ url, name: 'one more' })).rejects.toMatchObject({ code: 'too_many_uploads' })
  const other = await begin({ url, name: 'of others' }, 'compute-operator@beta-one')
  for (const id of begun) await server.call(tasks.cancel, { as, params: { id } })
  for (const id of begun) await over(id)
  await server.call(tasks.cancel, { as: 'compute-operator@beta-one', params: { id: other } })
})

it('shows catalogue errors to operators only', async () => {
  const file = path.join(server.folder, 'image-catalogue.json')
  await writeFile(file, '{')
  expect((await server.call(imageImports.catalogue, { as })).problem).toBeNull()
  const { data, problem } = await server.call(imageImports.catalogue, { as: 'superuser' })
  expect(problem).toBe('image-catalogue.json: it is not JSON, line 1, column 2')
  expect(data.map(({ id }) => id)).toContain('debian-13')
})
