import { instances } from '@mainstay/contract/compute/instances'
import { bulkRuns } from '@mainstay/contract/core/bulk-runs'
import { serverGroups } from '@mainstay/contract/compute/server-groups'
import { GiB } from '@mainstay/contract/core/bytes'
import type { BodyInputOf } from '@mainstay/contract/core/endpoint'
import { projects } from '@mainstay/contract/identity/projects'
import { explanations } from '@mainstay/contract/identity/explanations'
import { networks } from '@mainstay/contract/networking/networks'
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
const viewInstance = (id: string) => server.call(instances.view, { as, params: { id } })

async function disk(name: string): Promise<string> {
  const { id } = await server.call(volumes.create, { as, body: { name, size: GiB } })
  await vi.waitFor(async () => expect((await viewVolume(id)).status).toBe('available'))
  return id
}

/** Creates a running instance with two volumes, the first of which is to be deleted with the instance. */
async function machine(name: string, more: Partial<BodyInputOf<typeof instances.create>> = {}) {
  const sources = [
    { source: 'blank' as const, size: GiB, boot_index: 0, rm: true },
    { source: 'blank' as const, size: GiB, rm: false },
  ]
  const made = await server.call(instances.create, {
    as,
    body: { name, flavor: 's1.nano', networks: [], volumes: sources, ...more },
  })
  return vi.waitFor(async () => {
    const row = await viewInstance(made.id)
    expect([row.status, row.task_state]).toEqual(['ACTIVE', null])
    return { id: row.id, goes: row.volumes[0]!, stays: row.volumes[1]! }
  })
}

const lockVolume = (id: string, reason?: string) =>
  server.call(volumes.lock, { as, params: { id }, body: reason === undefined ? {} : { reason } })
const removeVolume = (id: string) => server.call(volumes.delete, { as, params: { id } })
const removeInstance = (id: string, query: { delete_volumes?: string } = {}) =>
  server.call(instances.delete, { as, params: { id }, query })
const isGone = (id: string) =>
  vi.waitFor(async () => expect((await server.fetch(volumes.view, { as, params: { id } })).status).toBe(404))

it('refuses to delete a locked volume until it is unlocked, and reports who locked it, when and why', async () => {
  const id = await disk('kept')
  const locked = await lockVolume(id, ' month-end figures ')
  expect(locked.deletion_lock).toEqual({ by: 'project_member', at: expect.any(String), reason: 'month-end figures' })
  expect((await viewVolume(id)).deletion_lock).toEqual(locked.deletion_lock)
  await expect(removeVolume(id)).rejects.toMatchObject({
    ...{ status: 409, code: 'deletion_locked' },
    message: expect.stringMatching(
      /^The volume “kept” is locked against deletion\. project_member locked it on \d{4}-\d\d-\d\d \d\d:\d\d UTC with the reason “month-end figures”\. Remove the lock first\.$/,
    ),
    data: { locked: [{ kind: 'volume', id, name: 'kept', by: 'project_member' }] },
  })
  expect((await viewVolume(id)).status).toBe('available')
  const unlocked = await server.call(volumes.unlock, { as, params: { id } })
  expect(unlocked).not.toHaveProperty('deletion_lock')
  await removeVolume(id)
  await isGone(id)
})

it('keeps the lock when the object is renamed or extended', async () => {
  const id = await disk('changing')
  const { deletion_lock } = await lockVolume(id)
  const renamed = await server.call(volumes.update, { as, params: { id }, body: { name: 'changed' } })
  expect(renamed).toMatchObject({ name: 'changed', deletion_lock })
  await server.call(volumes.extend, { as, params: { id }, body: { size: 2 * GiB } })
  await vi.waitFor(async () =>
    expect(await viewVolume(id)).toMatchObject({ status: 'available', size: 2 * GiB, deletion_lock }),
  )
  const { data } = await server.call(volumes.list, { as, query: { name: 'changed' } })
  expect(data[0]!.deletion_lock).toEqual(deletion_lock)
})

it('includes the lock in the response to a command, even if the engine omits it', async () => {
  const id = await disk('answered')
  const { deletion_lock, ...row } = await lockVolume(id)
  vi.spyOn(server.tools.ports.storage.volumes, 'update').mockResolvedValueOnce(row)
  const answer = await server.call(volumes.update, { as, params: { id }, body: { name: 'answered' } })
  expect(answer).toEqual({ ...row, deletion_lock })
})

it('refuses to delete a locked instance, or an instance with a locked volume, and deletes nothing', async () => {
  const { id, goes, stays } = await machine('shop')
  await server.call(instances.lock, { as, params: { id }, body: {} })
  await expect(removeInstance(id)).rejects.toMatchObject({ code: 'deletion_locked', data: { locked: [{ id }] } })
  await server.call(instances.unlock, { as, params: { id } })

  await lockVolume(goes.id, 'orders')
  const refused = {
    code: 'deletion_locked',
    message: expect.stringMatching(/the reason “orders”\. Remove the locks first, or keep the locked objects\.$/),
    data: { locked: [{ kind: 'volume', id: goes.id }] },
  }
  await expect(removeInstance(id)).rejects.toMatchObject(refused)
  await expect(removeInstance(id, { delete_volumes: `${goes.id},${stays.id}` })).rejects.toMatchObject(refused)
  expect(await viewInstance(id)).toMatchObject({ status: 'ACTIVE', task_state: null })
  for (const volume of [goes, stays]) expect((await viewVolume(volume.id)).status).toBe('in-use')

  // the locked volume is kept, so the instance can be deleted
  await removeInstance(id, { delete_volumes: stays.id })
  await isGone(stays.id)
  await vi.waitFor(async () =>
    expect(await viewVolume(goes.id)).toMatchObject({ status: 'available', deletion_lock: { reason: 'orders' } }),
  )
})

it('reports an error for a locked object in a bulk run, and predicts it in a dry run', async () => {
  const [free, locked] = [await disk('free'), await disk('locked')]
  const body = { kind: 'volume', action: 'delete', ids: [free, locked] }
  const lockThem = { kind: 'volume', action: 'lock', body: { reason: 'audit' }, ids: [locked] }
  expect((await server.call(bulkRuns.check, { as, body: lockThem })).data).toMatchObject([{ refusal: null }])
  expect(await viewVolume(locked)).not.toHaveProperty('deletion_lock')
  await server.call(bulkRuns.create, { as, body: lockThem })
  await vi.waitFor(async () => expect((await viewVolume(locked)).deletion_lock).toMatchObject({ reason: 'audit' }))

  const checked = await server.call(bulkRuns.check, { as, body })
  expect(checked.data).toMatchObject([
    { id: free, refusal: null },
    {
      id: locked,
      refusal: { code: 'deletion_locked', message: expect.stringContaining('project_member locked it on') },
    },
  ])
  const run = await server.call(bulkRuns.create, { as, body })
  await vi.waitFor(
    async () => {
      const { data } = await server.call(bulkRuns.objects, { as, params: { id: run.id } })
      expect(data).toMatchObject([{ state: 'done' }, { state: 'failed', err_code: 'deletion_locked' }])
    },
    { timeout: 20_000, interval: 50 },
  )
  expect((await viewVolume(locked)).status).toBe('available')
})

it('refuses to delete a project that contains a locked volume', async () => {
  const id = await disk('inside')
  await lockVolume(id)
  const project = server.cast.people[as].project!
  const params = { domain_id: project.domain_id, id: project.id }
  await expect(server.call(projects.delete, { as: 'superuser', params })).rejects.toMatchObject({
    code: 'project_not_empty',
  })
  expect((await viewVolume(id)).deletion_lock).toBeDefined()
})

it('lets users lock objects they can change, shows locks to viewers and hides objects in other projects', async () => {
  const id = await disk('rights')
  for (const call of [volumes.lock, volumes.unlock])
    expect((await server.fetch(call, { as: 'other-member', params: { id } })).status).toBe(404)
  const { id: other } = await machine('rights')
  for (const call of [instances.lock, instances.unlock])
    expect((await server.fetch(call, { as: 'other-member', params: { id: other } })).status).toBe(404)
  await lockVolume(id)
  for (const call of [volumes.lock, volumes.unlock])
    expect((await server.fetch(call, { as: 'viewer', params: { id } })).status).toBe(403)
  expect((await server.call(volumes.view, { as: 'superuser', params: { id } })).deletion_lock).toBeDefined()
  // objects that the caller cannot see return 404, locked or not
  expect((await server.fetch(volumes.delete, { as: 'other-member', params: { id } })).status).toBe(404)
  expect((await server.fetch(volumes.lock, { as, params: { id: 'nothing' } })).status).toBe(404)
})

it('records locking and unlocking in the audit log and names the lock in explanations', async () => {
  const id = await disk('audited')
  await lockVolume(id, 'legal hold')
  const lines = () =>
    server.sql.query<object>('select action, result, user_name from audit where subject_id = $1 order by id', [id])
  const why = await server.call(explanations.explain, { as, query: { call: 'volumes.delete', object_id: id } })
  expect(why.checks).toContainEqual(
    expect.objectContaining({ code: 'rule', passed: false, message: expect.stringContaining('legal hold') }),
  )
  await server.call(volumes.unlock, { as, params: { id } })
  const line = { result: 'success', user_name: 'project_member' }
  expect(await lines()).toEqual([
    { action: 'volume.create', ...line },
    { action: 'volume.lock', ...line },
    { action: 'volume.unlock', ...line },
  ])
})

it('previews the deletion of an instance for any selection of volumes without changing anything', async () => {
  const network = (await server.call(networks.list, { as })).data[0]!
  const group = await server.call(serverGroups.create, { as, body: { name: 'apart', policy: 'soft-anti-affinity' } })
  const { id, goes, stays } = await machine('told', { networks: [{ id: network.id }], server_group: group.id })
  await lockVolume(stays.id, 'ledger')
  const ask = (query: { delete_volumes?: string }) => server.call(instances.deletion, { as, params: { id }, query })

  const asFlagged = await ask({})
  expect(asFlagged).toEqual({
    refusal: null,
    recycle_days: 7,
    volumes: [
      { id: goes.id, name: goes.name, size: GiB, is_deleted: true, deletion_lock: null },
      { id: stays.id, name: stays.name, size: GiB, is_deleted: false, deletion_lock: expect.any(Object) },
    ],
    addresses: [{ network_name: network.name, ip_address: expect.any(String) }],
    server_groups: [{ id: group.id, name: 'apart' }],
  })
  expect((await ask({ delete_volumes: ',' })).volumes.map((volume) => volume.is_deleted)).toEqual([false, false])
  const refused = await ask({ delete_volumes: stays.id })
  expect(refused.refusal).toMatchObject({ code: 'deletion_locked', message: expect.stringContaining('ledger') })
  expect(await ask({ delete_volumes: 'nothing' })).toMatchObject({ refusal: { code: 'validation' } })

  expect(await viewInstance(id)).toMatchObject({ status: 'ACTIVE', task_state: null })
  expect((await viewVolume(goes.id)).status).toBe('in-use')
  expect((await server.fetch(instances.deletion, { as: 'other-member', params: { id } })).status).toBe(404)
  expect((await server.fetch(instances.deletion, { as: 'viewer', params: { id } })).status).toBe(403)
})
