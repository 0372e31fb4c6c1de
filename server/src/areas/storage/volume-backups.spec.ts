import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { computeCluster } from '@mainstay/contract/compute/compute-cluster'
import { instances } from '@mainstay/contract/compute/instances'
import { quotas } from '@mainstay/contract/compute/quotas'
import { GiB } from '@mainstay/contract/core/bytes'
import { page } from '@mainstay/contract/core/lists/paging'
import { VolumeBackup, volumeBackups } from '@mainstay/contract/storage/volume-backups'
import { volumes } from '@mainstay/contract/storage/volumes'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startServer, type TestServer } from '../../testing/start-server'

let server: TestServer
const as = 'project-member'
const operator = 'compute-operator'
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const statusOf = async (call: () => Promise<{ status: string }>, status: string) =>
  vi.waitFor(async () => expect((await call()).status).toBe(status), 10_000)
async function volume(name: string, size = GiB): Promise<string> {
  const { id } = await server.call(volumes.create, { as, body: { name, size } })
  await statusOf(() => server.call(volumes.view, { as, params: { id } }), 'available')
  return id
}
const view = (id: string) => server.call(volumeBackups.view, { as, params: { id } })
async function point(volume_id: string, change: { name?: string; full?: boolean } = {}): Promise<VolumeBackup> {
  const { id } = await server.call(volumeBackups.create, { as, body: { volume_id, name: 'a-point', ...change } })
  await statusOf(() => view(id), 'available')
  return view(id)
}
const isGone = (id: string) =>
  vi.waitFor(async () => expect((await server.fetch(volumeBackups.view, { as, params: { id } })).status).toBe(404))
const setTarget = (backup: NonNullable<Parameters<typeof server.call<typeof computeCluster.update>>[1]>['body']) =>
  server.call(computeCluster.update, { as: operator, body: backup! })
const target = async () => (await server.call(computeCluster.view, { as: operator })).options.backup!

it('creates, lists, reads, restores and deletes recovery points [EN-027]', async () => {
  const disk = await volume('data', 2 * GiB)
  const body = { volume_id: disk, name: 'before-update', description: 'schema 41' }
  const response = await server.fetch(volumeBackups.create, { as, body })
  const made = VolumeBackup.parse(await response.json())
  expect([response.status, made.status]).toEqual([202, 'creating'])
  await statusOf(() => view(made.id), 'available')
  const row = await view(made.id)
  expect(VolumeBackup.parse(row)).toEqual(row)
  expect(row).toMatchObject({ ...body, volume_name: 'data', size: 2 * GiB, is_incremental: false, fault: null })
  expect(row.stored_size).toBeGreaterThan(0)
  expect(row.verified_at).not.toBeNull()

  const second = await point(disk)
  expect(second).toMatchObject({ is_incremental: true, parent_id: made.id })
  const list = await server.call(volumeBackups.list, { as, query: { volume_id: disk } })
  expect(page(VolumeBackup).parse(list)).toEqual(list)
  expect(list.data.map(({ id }) => id)).toEqual([second.id, made.id])
  expect((await server.fetch(volumeBackups.list, { as: 'other-member' })).status).toBe(200)
  expect((await server.call(volumeBackups.list, { as: 'other-member' })).data).toEqual([])

  const params = { id: second.id }
  const check = await server.call(volumeBackups.checkRestore, { as, params })
  expect(check).toEqual({
    checks: ['chain', 'target', 'quota', 'space'].map((name) => ({ name, ok: true, reason: null })),
    estimated_seconds: null,
  })
  const restored = await server.call(volumeBackups.restore, { as, params, body: { name: 'data-restored' } })
  await statusOf(() => server.call(volumes.view, { as, params: { id: restored.restored_volume_id } }), 'available')
  await statusOf(() => view(second.id), 'available')
  await vi.waitFor(async () =>
    expect((await server.call(volumeBackups.checkRestore, { as, params })).estimated_seconds).toBeGreaterThan(0),
  )

  await expect(server.call(volumeBackups.delete, { as, params: { id: made.id } })).rejects.toMatchObject({
    code: 'backup_has_children',
  })
  for (const id of [second.id, made.id]) {
    expect((await server.fetch(volumeBackups.delete, { as, params: { id } })).status).toBe(202)
    await isGone(id)
  }
})

it('counts stored data towards a quota', async () => {
  const disk = await volume('counted')
  const before = (await server.call(quotas.view, { as, params: { id: server.cast.projects['alpha-one']!.id } })).storage
  const { stored_size, id } = await point(disk)
  const params = { id: server.cast.projects['alpha-one']!.id }
  const { storage } = await server.call(quotas.view, { as, params })
  expect(storage.volumes_backups.used - before.volumes_backups.used).toBe(stored_size)
  const limit = storage.volumes_backups.used
  await server.call(quotas.set, { as: operator, params, body: { storage: { volumes_backups: { limit } } } })
  await expect(point(disk)).rejects.toMatchObject({ code: 'quota_exceeded' })
  await server.call(quotas.set, { as: operator, params, body: { storage: { volumes_backups: { limit: -1 } } } })
  await server.call(volumeBackups.delete, { as, params: { id } })
})

it('captures all volumes of a virtual machine at the same moment', async () => {
  const disks = [
    { source: 'blank' as const, size: GiB, boot_index: 0 },
    { source: 'blank' as const, size: GiB },
  ]
  const body = { name: 'web', flavor: 's1.nano', networks: [], volumes: disks }
  const { id } = await server.call(instances.create, { as, body })
  await statusOf(() => server.call(instances.view, { as, params: { id } }), 'ACTIVE')
  const points = await server.call(volumeBackups.createInstant, { as, params: { id }, body: { name: 'before-update' } })
  const machine = await server.call(instances.view, { as, params: { id } })
  expect(points.map(({ volume_id }) => volume_id)).toEqual(machine.volumes.map((disk) => disk.id))
  expect(points).toHaveLength(2)
  expect(new Set(points.map(({ instant_id }) => instant_id)).size).toBe(1)
  for (const point of points) {
    await statusOf(() => view(point.id), 'available')
    expect(await view(point.id)).toMatchObject({ server_id: id, server_name: 'web', consistency: 'guest' })
  }
  const [one, other] = [await view(points[0]!.id), await view(points[1]!.id)]
  expect(one.taken_at).toBe(other.taken_at)
})

it(
  'stores recovery points in the folder that operators choose, and says which ones are elsewhere',
  { tags: 'all' },
  async () => {
    const disk = await volume('moved')
    const old = await point(disk)
    const { posix_path: before } = await target()
    expect(await target()).toMatchObject({ driver: 'posix', on_same_disk: true, error: null })
    const folder = mkdtempSync(join(tmpdir(), 'mainstay-target-'))
    const { task_id } = await server.call(computeCluster.update, {
      as: operator,
      body: { backup: { driver: 'posix', posix_path: folder } },
    })
    expect(task_id).toEqual(expect.any(String))
    expect(await target()).toMatchObject({ driver: 'posix', posix_path: folder, error: null })
    expect((await server.call(computeCluster.view, { as })).options.backup).toBeNull()
    const stored = await point(disk)
    expect(stored.is_incremental).toBe(false)
    expect(readdirSync(folder)).toContain(`${stored.id}.qcow2`)

    const restore = (id: string) => server.call(volumeBackups.restore, { as, params: { id }, body: { name: 'again' } })
    await expect(restore(old.id)).rejects.toMatchObject({ code: 'backup_target_unavailable' })
    // nothing is written to a folder that is not mounted
    const params = { id: stored.id }
    rmSync(folder, { recursive: true })
    mkdirSync(folder)
    expect((await target()).error).toContain('does not contain the file')
    const { checks } = await server.call(volumeBackups.checkRestore, { as, params })
    expect(checks.find(({ name }) => name === 'target')).toMatchObject({ ok: false, reason: expect.any(String) })
    for (const backup of [
      { driver: 'posix' as const, posix_path: '/proc/nowhere' },
      { driver: 'posix' as const, posix_path: 'relative' },
    ])
      await expect(setTarget({ backup })).rejects.toMatchObject({ status: expect.toSatisfy((it: number) => it < 500) })
    await expect(
      server.call(computeCluster.update, { as, body: { backup: { driver: 'posix', posix_path: '/tmp' } } }),
    ).rejects.toMatchObject({ code: 'forbidden' })
    rmSync(folder, { recursive: true })
    await setTarget({ backup: { driver: 'posix', posix_path: before! } })
    expect((await view(old.id)).status).toBe('available')
    await restore(old.id)
  },
)

it('captures a volume only once at a time if two recovery points are requested concurrently', async () => {
  const volume_id = await volume('busy')
  const create = (name: string) => server.call(volumeBackups.create, { as, body: { volume_id, name } })
  const made = await Promise.all([create('one'), create('two')])
  for (const { id } of made) await statusOf(() => view(id), 'available')
  const rows = await Promise.all(made.map(({ id }) => view(id)))
  expect(rows.map(({ is_incremental, fault }) => [is_incremental, fault])).toContainEqual([false, null])
  expect(rows.every(({ fault }) => fault === null)).toBe(true)
})
