import { buffer } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import { GiB } from '@mainstay/contract/core/bytes'
import { auditLog } from '@mainstay/contract/monitoring/audit-log'
import { backupFiles, FileSystem, MOST_FILES_SESSIONS } from '@mainstay/contract/storage/backup-files'
import { volumeBackups } from '@mainstay/contract/storage/volume-backups'
import { volumes } from '@mainstay/contract/storage/volumes'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { fromBuffer } from 'yauzl'
import { startServer, type TestServer } from '../../testing/start-server'

let server: TestServer
let disk: string
const as = 'project-member'
beforeAll(async () => {
  server = await startServer()
  disk = await volume()
})
afterAll(() => server.close())
const open = new Set<string>()
afterEach(async () => {
  for (const id of open) await close(id)
})

async function volume(): Promise<string> {
  const { id } = await server.call(volumes.create, { as, body: { name: 'data', size: GiB } })
  await vi.waitFor(async () =>
    expect((await server.call(volumes.view, { as, params: { id } })).status).toBe('available'),
  )
  return id
}
async function point(volume_id = disk): Promise<string> {
  const { id } = await server.call(volumeBackups.create, { as, body: { volume_id, name: 'a-point' } })
  await vi.waitFor(async () =>
    expect((await server.call(volumeBackups.view, { as, params: { id } })).status).toBe('available'),
  )
  return id
}
async function opened(id: string): Promise<string> {
  const response = await server.fetch(backupFiles.openFiles, { as, params: { id } })
  expect(response.status).toBe(202)
  open.add(id)
  await vi.waitFor(async () =>
    expect(await server.call(backupFiles.view, { as, params: { id } })).toMatchObject({ status: 'ready', fault: null }),
  )
  return id
}
async function close(id: string): Promise<void> {
  await server.call(backupFiles.close, { as, params: { id } })
  open.delete(id)
}
const list = (id: string, path: string, more: { compare_with?: string } = {}) =>
  server.call(backupFiles.entries, { as, params: { id }, query: { file_system: 'part1', path, ...more } })

it('opens a recovery point, lists its file systems and folders, and downloads a file', async () => {
  const id = await opened(await point())
  const found = await server.call(backupFiles.fileSystems, { as, params: { id } })
  expect(found.map((one) => FileSystem.parse(one))).toEqual([
    expect.objectContaining({ id: 'part1', label: 'root', type: 'ext4', readable: true, reason: null }),
    expect.objectContaining({ id: 'part2', label: null, used: null, readable: false, reason: 'encrypted' }),
  ])
  const { entries, truncated } = await list(id, '/srv')
  expect(truncated).toBe(false)
  expect(entries.map(({ path, kind, link_target }) => [path, kind, link_target])).toEqual([
    ['/srv/latest.csv', 'link', 'reports/2026-11.csv'],
    ['/srv/reports', 'folder', null],
    ['/srv/two%0Alines.txt', 'file', null],
  ])
  expect(entries[2]).toMatchObject({ name: 'two\nlines.txt', size: 37, owner: 1000, compared: null })

  const query = { file_system: 'part1', path: entries[2]!.path }
  const response = await server.fetch(backupFiles.download, { as, params: { id }, query })
  expect(await response.text()).toBe('The name of this file has two lines.\n')
  expect(Object.fromEntries(response.headers)).toMatchObject({
    ...{ 'content-type': 'application/octet-stream', 'content-length': '37', 'x-content-type-options': 'nosniff' },
    'content-disposition': `attachment; filename="two_lines.txt"; filename*=UTF-8''two_lines.txt`,
  })
  const lines = await server.call(auditLog.list, { as: 'superuser', query: { limit: 100 } })
  const acts = lines.data.filter(({ type }) => type === 'volume_backup_files').map((line) => line.activity)
  expect(acts).toEqual(['volume_backup_files.download', 'volume_backup_files.openFiles'])
  await close(id)
  await expect(list(id, '/')).rejects.toMatchObject({ code: 'invalid_state' })
})

it('names the fault of a path, and finds no file behind a link', async () => {
  const id = await opened(await point())
  for (const path of ['etc', '/srv/../etc', '/srv/%2E%2E/etc', '/srv//x', '/a%2Fb'])
    await expect(list(id, path), path).rejects.toMatchObject({
      code: 'validation',
      fields: { path: expect.anything() },
    })
  for (const path of ['/nothing', '/srv/latest.csv', '/srv/latest.csv/x'])
    await expect(list(id, path), path).rejects.toMatchObject({ code: 'not_found' })
  const query = { file_system: 'part9', path: '/' }
  await expect(server.call(backupFiles.entries, { as, params: { id }, query })).rejects.toMatchObject({
    code: 'not_found',
  })
  for (const path of ['/srv', '/'])
    expect(
      (await server.fetch(backupFiles.download, { as, params: { id }, query: { file_system: 'part1', path } })).status,
    ).toBe(404)
})

it('compares with another recovery point of the volume', async () => {
  const [first, second] = [await point(), await point()]
  await opened(first)
  await expect(list(first, '/etc', { compare_with: second })).rejects.toMatchObject({ code: 'invalid_state' })
  await opened(second)
  const { entries } = await list(first, '/', { compare_with: second })
  expect(entries.map(({ compared }) => compared)).toEqual([null, null])
  expect((await list(first, '/etc', { compare_with: second })).entries.map(({ compared }) => compared)).toEqual([
    ...['same', 'same'],
  ])
  const elsewhere = await point(await volume())
  await expect(list(first, '/', { compare_with: elsewhere })).rejects.toMatchObject({
    ...{ code: 'validation', fields: { compare_with: expect.anything() } },
  })
})

it('archives files and folders as ZIP, once', async () => {
  const id = await opened(await point())
  const body = { file_system: 'part1', folder: '/srv', paths: ['/srv/reports', '/srv/two%0Alines.txt'] }
  const archive = await server.call(backupFiles.prepareArchive, { as, params: { id }, body })
  expect(archive).toMatchObject({ name: 'srv.zip', entries: 4 })
  const query = { archive: archive.id }
  const response = await server.fetch(backupFiles.archive, { as, params: { id }, query })
  const bytes = await buffer(Readable.fromWeb(response.body! as never))
  expect(bytes.length).toBe(archive.size)
  expect(await unpacked(bytes)).toEqual({
    ...{ 'reports/': '', 'reports/2026-10.csv': 'day;orders\n1;412\n2;398\n' },
    ...{ 'reports/2026-11.csv': 'day;orders\n1;377\n', 'two_lines.txt': 'The name of this file has two lines.\n' },
  })
  expect((await server.fetch(backupFiles.archive, { as, params: { id }, query })).status).toBe(404)
})

const unpacked = (bytes: Buffer) =>
  new Promise<Record<string, string>>((resolve, reject) =>
    fromBuffer(bytes, { lazyEntries: true }, (error, zip) => {
      if (error) return reject(error)
      const found: Record<string, string> = {}
      zip.on('entry', (entry: { fileName: string }) =>
        entry.fileName.endsWith('/')
          ? ((found[entry.fileName] = ''), zip.readEntry())
          : zip.openReadStream(entry as never, (fault, stream) => {
              if (fault) return reject(fault)
              void buffer(stream).then((text) => {
                found[entry.fileName] = text.toString('utf8')
                zip.readEntry()
              })
            }),
      )
      zip.on('end', () => resolve(found))
      zip.readEntry()
    }),
  )

it('keeps sessions from other users, other projects and readers', async () => {
  const id = await opened(await point())
  const params = { id }
  for (const who of ['other-member', 'domain-admin'] as const)
    for (const call of [backupFiles.openFiles, backupFiles.view, backupFiles.fileSystems])
      expect((await server.fetch(call, { as: who, params })).status, who).toBe(who === 'other-member' ? 404 : 403)
  expect((await server.fetch(backupFiles.openFiles, { as: 'viewer', params })).status).toBe(403)
  // a colleague has no part in the session
  await expect(server.call(backupFiles.fileSystems, { as: 'project-admin', params })).rejects.toMatchObject({
    code: 'invalid_state',
  })
})

it('opens few recovery points of a project at a time', async () => {
  const points = []
  for (let number = 0; number <= MOST_FILES_SESSIONS.project; number++) points.push(await point())
  const last = points.pop()!
  for (const id of points) await opened(id)
  // the same session again
  await opened(points[0]!)
  await expect(server.call(backupFiles.openFiles, { as, params: { id: last } })).rejects.toMatchObject({
    code: 'too_many_requests',
  })
  await close(points[0]!)
  await opened(last)
})
