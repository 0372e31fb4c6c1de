import { computeCluster } from '@mainstay/contract/compute/compute-cluster'
import { instances, type Instance } from '@mainstay/contract/compute/instances'
import { quotas } from '@mainstay/contract/compute/quotas'
import { bulkRuns } from '@mainstay/contract/core/bulk-runs'
import { GiB } from '@mainstay/contract/core/bytes'
import { search } from '@mainstay/contract/core/lists/search'
import { networks } from '@mainstay/contract/networking/networks'
import { recycleBinSettings } from '@mainstay/contract/settings/recycle-bin'
import { recycleBin, type RecycledItem } from '@mainstay/contract/storage/recycle-bin'
import { volumes } from '@mainstay/contract/storage/volumes'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startServer, type TestServer } from '../../testing/start-server'
import { expireItems } from './recycle-bin.service'

let server: TestServer
const as = 'project-member'
const DAY_MS = 24 * 60 * 60 * 1000
beforeAll(async () => {
  server = await startServer()
  // only the tests expire items
  await server.tools.scheduler.close()
})
afterAll(() => server.close())

async function disk(name: string): Promise<string> {
  const { id } = await server.call(volumes.create, { as, body: { name, size: GiB } })
  await vi.waitFor(async () =>
    expect((await server.call(volumes.view, { as, params: { id } })).status).toBe('available'),
  )
  return id
}
async function machine(name: string): Promise<Instance> {
  const sources = [
    { source: 'blank' as const, size: GiB, boot_index: 0 },
    { source: 'blank' as const, size: GiB, rm: false },
  ]
  const { id } = await server.call(instances.create, {
    as,
    body: { name, flavor: 's1.nano', networks: [], volumes: sources },
  })
  return isRunning(id)
}
const isRunning = (id: string) =>
  vi.waitFor(async () => {
    const row = await server.call(instances.view, { as, params: { id } })
    expect([row.status, row.task_state]).toEqual(['ACTIVE', null])
    return row
  })
const deleteDisk = (id: string, query = {}) => server.call(volumes.delete, { as, params: { id }, query })
const viewItem = (id: string, who: typeof as | 'viewer' | 'other-member' | 'superuser' = as) =>
  server.call(recycleBin.view, { as: who, params: { id } })
const restore = (id: string) => server.call(recycleBin.restore, { as, params: { id }, body: {} })
const names = async (query = {}) => (await server.call(recycleBin.list, { as, query })).data.map(({ name }) => name)
const isGone = (id: string) =>
  vi.waitFor(async () => expect((await server.fetch(recycleBin.view, { as, params: { id } })).status).toBe(404))
const setDays = (days: number) => server.call(recycleBinSettings.save, { as: 'superuser', body: { days } })
/** Sets the expiry time of an item. */
const endAt = (id: string, time: number) =>
  server.tools.inventory.transaction(async (tx) => {
    const item = (await tx.lock<RecycledItem>('recycled_item', id))!
    await tx.put('recycled_item', { ...item, expires_at: new Date(time).toISOString() })
  })
const actionsOn = async (id: string) =>
  (
    await server.sql.query<{ action: string; user_name: string }>(
      'select action, user_name from audit where subject_id = $1 order by id',
      [id],
    )
  ).map(({ action, user_name }) => `${action} ${user_name}`)

it('moves deleted objects from all lists to the recycle bin and restores them with their IDs', async () => {
  const { id, volumes: own } = await machine('bin-shop')
  const alone = await disk('bin-alone')
  const removed = await server.fetch(instances.delete, { as, params: { id } })
  expect(removed.status).toBe(202)
  await deleteDisk(alone)
  const listed = async (call: typeof instances.list | typeof volumes.list) =>
    (await server.call(call, { as, query: { name: 'bin-' } })).data.map((row) => row.name)
  expect(await listed(instances.list)).toEqual([])
  expect(await listed(volumes.list)).toEqual([own[1]!.name])
  for (const call of [instances.view, instances.delete, instances.start])
    expect((await server.fetch(call as typeof instances.view, { as, params: { id } })).status).toBe(404)

  const item = await viewItem(id)
  expect(item).toMatchObject({ kind: 'server', name: 'bin-shop', deleted_by: 'project_member', size: GiB })
  expect(Date.parse(item.expires_at) - Date.parse(item.deleted_at)).toBe(7 * DAY_MS)
  expect(await names()).toEqual(['bin-alone', 'bin-shop'])
  expect(await names({ kind: 'server', deleted_by: 'project_m', size: `gte:${GiB}` })).toEqual(['bin-shop'])
  // the item is also found by its volumes
  expect(await names({ search: own[0]!.name })).toEqual(['bin-shop'])
  const found = await server.call(search.all, { as, query: { q: 'bin-shop' } })
  expect(found.data.map(({ kind }) => kind).toSorted()).toEqual(['recycled_item', 'volume'])

  expect(await restore(id)).toEqual({ id, kind: 'server', name: 'bin-shop', left_out: [], new_addresses: [] })
  expect((await isRunning(id)).volumes.map((volume) => volume.id)).toEqual(own.map((volume) => volume.id))
  await restore(alone)
  expect((await server.call(volumes.view, { as, params: { id: alone } })).status).toBe('available')
  expect(await names()).toEqual([])
  expect(await actionsOn(alone)).toEqual([
    'volume.create project_member',
    'volume.delete project_member',
    'recycled_item.restore project_member',
  ])
})

it('frees addresses and networks, so that scripts can recreate an instance and delete its network', async () => {
  const { id: network_id } = await server.call(networks.createPrivate, {
    as,
    body: { name: 'script', subnets: [{ cidr: '10.44.0.0/24' }] },
  })
  const create = async (name: string) => {
    const { id } = await server.call(instances.create, {
      as,
      body: {
        ...{ name, flavor: 's1.nano', volumes: [{ source: 'blank', size: GiB, boot_index: 0 }] },
        networks: [{ id: network_id, fixed_ips: [{ ip_address: '10.44.0.50' }] }],
      },
    })
    return isRunning(id)
  }
  const remove = (id: string) => server.call(instances.delete, { as, params: { id } })
  const first = await create('script-1')
  await remove(first.id)
  const second = await create('script-2')
  expect((await viewItem(first.id)).addresses).toEqual(['10.44.0.50'])
  const restored = await restore(first.id)
  expect(restored.new_addresses).toEqual([{ network: 'script', before: ['10.44.0.50'], now: [expect.anything()] }])
  await isRunning(first.id)
  for (const { id } of [first, second]) await remove(id)
  await server.call(networks.delete, { as, params: { id: network_id } })
  expect((await restore(first.id)).left_out).toEqual([{ kind: 'network', name: 'script' }])
  await isRunning(first.id)
  for (const { id } of [first, second]) {
    const query = { permanent: 'true' as const }
    if (id === first.id) await server.call(instances.delete, { as, params: { id }, query })
    else await server.call(recycleBin.delete, { as, params: { id } })
    await isGone(id)
  }
})

it('deletes permanently if “permanent” is set or the retention is 0 days', async () => {
  const [chosen, off] = [await disk('chosen'), await disk('off')]
  await deleteDisk(chosen, { permanent: 'true' })
  expect(await names()).toEqual([])
  const { id } = await machine('chosen-machine')
  await server.call(instances.delete, { as, params: { id }, query: { permanent: 'true' } })
  await vi.waitFor(async () => expect((await server.fetch(instances.view, { as, params: { id } })).status).toBe(404))
  expect(await names()).toEqual([])
  await expect(deleteDisk(off, { permanent: 'maybe' })).rejects.toMatchObject({
    fields: { permanent: expect.anything() },
  })

  await setDays(0)
  expect((await server.call(computeCluster.view, { as })).recycle_days).toBe(0)
  await deleteDisk(off)
  expect(await names()).toEqual([])
  await setDays(7)
  expect((await server.call(computeCluster.view, { as })).recycle_days).toBe(7)
})

it('keeps the expiry time of items when the retention is changed', async () => {
  const before = await disk('before')
  await deleteDisk(before)
  const { expires_at } = await viewItem(before)
  await setDays(1)
  const after = await disk('after')
  await deleteDisk(after)
  await setDays(0)
  expect((await viewItem(before)).expires_at).toBe(expires_at)
  const { deleted_at, expires_at: soon } = await viewItem(after)
  expect(Date.parse(soon) - Date.parse(deleted_at)).toBe(DAY_MS)
  await expireItems(server.tools)
  expect(await names()).toEqual(['after', 'before'])
  await setDays(7)
  await restore(before)
  await restore(after)
})

it.each([[-1], [91], [1.5], ['seven']])('refuses a retention of %s days with an error on the field', async (days) => {
  await expect(
    server.call(recycleBinSettings.save, { as: 'superuser', body: { days: days as number } }),
  ).rejects.toMatchObject({ status: 400, fields: { days: expect.anything() } })
})

it('lets only operators set the retention', async () => {
  expect(await server.call(recycleBinSettings.view, { as: 'superuser' })).toEqual({ days: 7 })
  for (const who of ['project-admin', 'viewer'] as const)
    expect((await server.fetch(recycleBinSettings.save, { as: who, body: { days: 1 } })).status).toBe(403)
})

it('deletes items that have expired according to the database’s clock, and records it in the audit log', async () => {
  const [over, stays, failing] = [await disk('over'), await disk('stays'), await disk('failing')]
  for (const id of [over, stays, failing]) await deleteDisk(id)
  await endAt(over, Date.now() - 1000)
  await endAt(failing, Date.now() - 2000)
  // simulates a server whose clock is a month ahead
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => performance.timeOrigin + performance.now() + 30 * DAY_MS)
  const real = server.tools.ports.storage.recycleBin.delete
  const broken = vi
    .spyOn(server.tools.ports.storage.recycleBin, 'delete')
    .mockImplementation((scope, id) =>
      id === failing ? Promise.reject(new Error('the disk is away')) : real(scope, id),
    )
  expect(await expireItems(server.tools)).toBe(1)
  clock.mockRestore()
  broken.mockRestore()
  await isGone(over)
  expect(await names({ sort: 'name' })).toEqual(['failing', 'stays'])
  expect((await actionsOn(over)).at(-1)).toBe('recycled_item.expire server')
  // the next run retries a deletion that failed
  expect(await expireItems(server.tools)).toBe(1)
  await isGone(failing)
  await restore(stays)
})

it('hides items from other projects, and lets viewers view but not change them', async () => {
  const id = await disk('private')
  await deleteDisk(id)
  const calls = [recycleBin.view, recycleBin.restore, recycleBin.delete] as (typeof recycleBin.view)[]
  for (const call of calls) expect((await server.fetch(call, { as: 'other-member', params: { id } })).status).toBe(404)
  expect((await server.call(recycleBin.list, { as: 'other-member' })).data).toEqual([])
  expect((await viewItem(id, 'viewer')).name).toBe('private')
  for (const call of calls.slice(1))
    expect((await server.fetch(call, { as: 'viewer', params: { id } })).status).toBe(403)
  expect((await server.fetch(recycleBin.empty, { as: 'viewer' })).status).toBe(403)
  // operators see the recycle bins of all projects and can empty any of them
  expect((await viewItem(id, 'superuser')).name).toBe('private')
  const { id: other } = server.cast.projects['alpha-two']!
  expect((await server.fetch(recycleBin.empty, { as, query: { project_id: other } })).status).toBe(404)
  expect((await viewItem(id)).status).toBe('recycled')
  const { project_id } = await viewItem(id)
  expect(await server.call(recycleBin.empty, { as: 'superuser', query: { project_id } })).toEqual({ count: 1 })
  await isGone(id)
})

it('restores an item only once for concurrent requests', async () => {
  const id = await disk('once')
  await deleteDisk(id)
  const asked = await Promise.all(
    [1, 2, 3, 4].map(() => server.fetch(recycleBin.restore, { as, params: { id }, body: {} })),
  )
  expect(asked.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([202, 404, 404, 404])
})

it('counts items towards the quota until they are permanently deleted', async () => {
  const used = async () => {
    const { storage } = await server.call(quotas.view, { as, params: { id: server.cast.people[as].project!.id } })
    return storage.volumes.used
  }
  const before = await used()
  const id = await disk('counted')
  await deleteDisk(id)
  expect(await used()).toBe(before + 1)
  await server.call(recycleBin.delete, { as, params: { id } })
  await isGone(id)
  expect(await used()).toBe(before)
})

it('restores and permanently deletes items in bulk runs', async () => {
  const [one, two, three] = [await disk('many-1'), await disk('many-2'), await disk('many-3')]
  const run = (body: { kind: string; action: string; ids: string[] }) => server.call(bulkRuns.create, { as, body })
  const states = async (id: string) =>
    (await server.call(bulkRuns.objects, { as, params: { id } })).data.map(({ state, err_code }) => err_code ?? state)
  const ids = [one, two, three]
  const deleting = await run({ kind: 'volume', action: 'delete', ids })
  await vi.waitFor(async () => expect(await states(deleting.id)).toEqual(['done', 'done', 'done']), { timeout: 20_000 })
  const restoring = await run({ kind: 'recycled_item', action: 'restore', ids: [one, 'gone'] })
  await vi.waitFor(async () => expect(await states(restoring.id)).toEqual(['done', 'not_found']), { timeout: 20_000 })
  await run({ kind: 'recycled_item', action: 'delete', ids: [two, three] })
  for (const id of [two, three]) await isGone(id)
  expect((await server.call(volumes.view, { as, params: { id: one } })).name).toBe('many-1')
})
