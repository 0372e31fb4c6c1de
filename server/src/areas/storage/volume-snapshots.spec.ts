import { images } from '@mainstay/contract/compute/images'
import { instances } from '@mainstay/contract/compute/instances'
import { Quotas } from '@mainstay/contract/compute/quotas'
import { GiB } from '@mainstay/contract/core/bytes'
import { page } from '@mainstay/contract/core/lists/paging'
import { recycleBin } from '@mainstay/contract/storage/recycle-bin'
import { VolumeSnapshot, volumeSnapshots } from '@mainstay/contract/storage/volume-snapshots'
import { volumes } from '@mainstay/contract/storage/volumes'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startServer, type TestServer } from '../../testing/start-server'

let server: TestServer
const as = 'project-member'
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const viewVolume = (id: string) => server.call(volumes.view, { as, params: { id } })
const volumeIs = (id: string, status: string) =>
  vi.waitFor(async () => expect((await viewVolume(id)).status).toBe(status), 5_000)
async function volume(name: string, size = GiB): Promise<string> {
  const { id } = await server.call(volumes.create, { as, body: { name, size } })
  await volumeIs(id, 'available')
  return id
}
const view = (id: string) => server.call(volumeSnapshots.view, { as, params: { id } })
const isThere = (id: string) =>
  vi.waitFor(async () => {
    const row = await view(id)
    expect(row.status).toBe('available')
    return row
  }, 5_000)
const isGone = (id: string) =>
  vi.waitFor(async () => expect((await server.fetch(volumeSnapshots.view, { as, params: { id } })).status).toBe(404))
async function snapshot(volume_id: string, name: string): Promise<string> {
  const { id } = await server.call(volumeSnapshots.create, { as, body: { volume_id, name } })
  await isThere(id)
  return id
}
const revert = (id: string) => server.call(volumeSnapshots.revert, { as, params: { id } })

it('creates, lists, reads, updates and deletes volume snapshots [CA-090]', async () => {
  const disk = await volume('listed', 2 * GiB)
  const other = await volume('other')
  const body = { volume_id: disk, name: 'before-update', description: 'schema 41' }
  const response = await server.fetch(volumeSnapshots.create, { as, body })
  const made = VolumeSnapshot.parse(await response.json())
  expect([response.status, made.status]).toEqual([202, 'creating'])
  const row = await isThere(made.id)
  expect(VolumeSnapshot.parse(row)).toEqual(row)
  expect(row).toMatchObject({ ...body, size: 2 * GiB, fault: null })
  await volumeIs(disk, 'available')

  const second = await snapshot(disk, 'second')
  await snapshot(other, 'of-another-volume')
  for (const query of [{ volume_id: disk }, { params: JSON.stringify({ volume_id: disk }) }]) {
    const list = await server.call(volumeSnapshots.list, { as, query })
    expect(page(VolumeSnapshot).parse(list)).toEqual(list)
    expect(list.data.map(({ id }) => id)).toEqual([second, made.id])
  }
  const change = { name: 'renamed', description: '' }
  expect(await server.call(volumeSnapshots.update, { as, params: { id: made.id }, body: change })).toMatchObject(change)
  expect(await view(made.id)).toMatchObject(change)

  const removed = await server.fetch(volumeSnapshots.delete, { as, params: { id: made.id } })
  expect(removed.status).toBe(202)
  await isGone(made.id)
  expect((await server.call(volumeSnapshots.list, { as, query: { volume_id: disk } })).data).toHaveLength(1)
})

it('reports a volume that does not exist or belongs to another project on its field', async () => {
  const disk = await volume('ours')
  const create = (volume_id: string) =>
    server.call(volumeSnapshots.create, { as: 'other-member', body: { volume_id, name: 'theirs' } })
  for (const id of [disk, 'no-such-volume'])
    await expect(create(id)).rejects.toMatchObject({
      code: 'validation',
      fields: { volume_id: ['This volume does not exist'] },
    })
  const mine = await snapshot(disk, 'mine')
  for (const call of ['view', 'delete', 'revert'] as const)
    expect((await server.fetch(volumeSnapshots[call], { as: 'other-member', params: { id: mine } })).status).toBe(404)
})

it('reverts a volume to its newest snapshot [CA-091]', async () => {
  const disk = await volume('reverted', 2 * GiB)
  const first = await snapshot(disk, 'first')
  const newest = await snapshot(disk, 'newest')
  await expect(revert(first)).rejects.toMatchObject({
    code: 'snapshot_not_latest',
    message: expect.stringContaining('“newest”'),
  })
  // a volume that was extended after the snapshot keeps its size
  await server.call(volumes.extend, { as, params: { id: disk }, body: { size: 3 * GiB } })
  await volumeIs(disk, 'available')
  // some clients send the path with a trailing slash (S1§7)
  const path = `${volumeSnapshots.revert.path.replace(':id', newest)}/`
  const token = await server.signIn(as)
  const response = await fetch(`${server.url}${path}`, { method: 'POST', headers: { 'x-auth-token': token } })
  expect([response.status, await response.json()]).toMatchObject([202, { id: newest, status: 'restoring' }])
  await isThere(newest)
  await volumeIs(disk, 'available')
  expect(await viewVolume(disk)).toMatchObject({ size: 3 * GiB, fault: null })
})

it('reverts an attached volume only while its virtual machine is stopped', async () => {
  const source = { source: 'blank' as const, size: GiB, boot_index: 0 }
  const body = { name: 'uses-a-disk', flavor: 's1.nano', networks: [], volumes: [source] }
  const machine = await server.call(instances.create, { as, body })
  const becomes = (status: string) =>
    vi.waitFor(async () => {
      const row = await server.call(instances.view, { as, params: { id: machine.id } })
      expect([row.status, row.task_state]).toEqual([status, null])
      return row
    }, 10_000)
  const disk = (await becomes('ACTIVE')).volumes[0]!.id
  const id = await snapshot(disk, 'while-running')
  expect(await viewVolume(disk)).toMatchObject({ status: 'in-use' })
  await expect(revert(id)).rejects.toMatchObject({
    code: 'volume_in_use',
    message: expect.stringContaining('“uses-a-disk”'),
  })
  await server.call(instances.stop, { as, params: { id: machine.id }, body: { hard: true } })
  await becomes('SHUTOFF')
  await revert(id)
  await isThere(id)
  await volumeIs(disk, 'in-use')
  // an instance cannot be deleted together with a disk whose snapshots would be lost
  await expect(server.call(instances.delete, { as, params: { id: machine.id } })).rejects.toMatchObject({
    code: 'volume_has_snapshots',
  })
})

it('lets only operators reset the status of a snapshot [CA-092]', async () => {
  const id = await snapshot(await volume('reset'), 'stuck')
  await server.tools.inventory.transaction(async (tx) => {
    const row = (await tx.lock<VolumeSnapshot>('volume_snapshot', id))!
    await tx.put('volume_snapshot', { ...row, status: 'error_deleting', fault: 'The disk is damaged' })
  })
  const reset = { params: { id }, body: {} }
  expect((await server.fetch(volumeSnapshots.resetState, { as, ...reset })).status).toBe(403)
  expect(await server.call(volumeSnapshots.resetState, { as: 'superuser', ...reset })).toMatchObject({
    status: 'available',
    fault: null,
  })
  expect(await view(id)).toMatchObject({ status: 'available', fault: null })
})

it('creates an image from a snapshot [CA-093]', async () => {
  const id = await snapshot(await volume('golden-disk'), 'golden')
  const response = await server.fetch(volumeSnapshots.uploadToImage, {
    ...{ as, params: { id }, body: { image_name: 'golden-image' } },
  })
  const image = (await response.json()) as { id: string; status: string }
  expect([response.status, image.status]).toEqual([202, 'saving'])
  await vi.waitFor(async () => {
    const row = await server.call(images.view, { as, params: { id: image.id } })
    expect(row).toMatchObject({ name: 'golden-image', status: 'active', visibility: 'private', min_disk: 1 })
  }, 5_000)
  const unnamed = server.call(volumeSnapshots.uploadToImage, { as, params: { id }, body: { image_name: '' } })
  await expect(unnamed).rejects.toHaveProperty('fields.image_name')
})

it('creates a volume from a snapshot that is at least as large', async () => {
  const disk = await volume('original', 2 * GiB)
  const snapshot_id = await snapshot(disk, 'copied')
  const create = (change: object) =>
    server.call(volumes.create, { as, body: { name: 'copy', size: 3 * GiB, snapshot_id, ...change } })
  await expect(create({ size: GiB })).rejects.toMatchObject({ fields: { size: [expect.any(String)] } })
  await expect(create({ snapshot_id: 'none' })).rejects.toMatchObject({
    fields: { snapshot_id: ['This snapshot does not exist'] },
  })
  await expect(create({ image_id: 'any' })).rejects.toMatchObject({ fields: { snapshot_id: [expect.any(String)] } })
  const made = await create({})
  // the deletion waits until the copy is complete
  await server.call(volumeSnapshots.delete, { as, params: { id: snapshot_id } })
  await volumeIs(made.id, 'available')
  await isGone(snapshot_id)
  expect(await viewVolume(made.id)).toMatchObject({ size: 3 * GiB, fault: null })
})

it('deletes a volume with snapshots only together with them', async () => {
  for (const query of [{ cascade: true }, { cascade: true, permanent: true }]) {
    const disk = await volume('with-snapshots')
    const id = await snapshot(disk, 'of-it')
    await expect(server.call(volumes.delete, { as, params: { id: disk } })).rejects.toMatchObject({
      code: 'volume_has_snapshots',
      message: expect.stringMatching(/“with-snapshots” has 1 snapshot\./),
    })
    await server.call(volumes.delete, { as, params: { id: disk }, query })
    await isGone(id)
    await vi.waitFor(async () =>
      expect((await server.fetch(volumes.view, { as, params: { id: disk } })).status).toBe(404),
    )
    if (query.permanent) continue
    // the volume can be restored from the recycle bin, without its snapshots
    await server.call(recycleBin.restore, { as, params: { id: disk }, body: {} })
    await volumeIs(disk, 'available')
  }
})

it('counts the size of snapshots towards the storage quota', async () => {
  const used = async () => {
    const { project_id } = await viewVolume(disk)
    const token = await server.signIn(as)
    const path = `/api/v2/compute/quotas/${project_id}/?usage=True`
    const all = Quotas.parse(await (await fetch(`${server.url}${path}`, { headers: { 'x-auth-token': token } })).json())
    return all.storage.storage_policies['default']!.used
  }
  const disk = await volume('counted', 2 * GiB)
  const before = await used()
  const id = await snapshot(disk, 'counts')
  expect((await used()) - before).toBe(2 * GiB)
  await server.call(volumeSnapshots.delete, { as, params: { id } })
  await isGone(id)
  expect(await used()).toBe(before)
})
