import { readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { instances } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { tasks } from '@mainstay/contract/core/tasks'
import { backupPlans } from '@mainstay/contract/protection/backup-plans'
import { machineRestores } from '@mainstay/contract/protection/machine-restores'
import { volumeBackups } from '@mainstay/contract/storage/volume-backups'
import { volumes } from '@mainstay/contract/storage/volumes'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startServer, type TestServer } from '../../testing/start-server'

let server: TestServer
const as = 'project-member'
beforeAll(async () => {
  // shortens the time that a tested virtual machine has to keep running, which tests wait for
  server = await startServer({ pace: 5 })
})
afterAll(() => server.close())

const view = (id: string) => server.call(instances.view, { as, params: { id } })
const isActive = (id: string) =>
  vi.waitFor(async () => {
    const row = await view(id)
    expect([row.status, row.task_state]).toEqual(['ACTIVE', null])
    return row
  }, 10_000)
async function machine(name: string) {
  const disks = [
    { source: 'blank' as const, size: GiB, boot_index: 0 },
    { source: 'blank' as const, size: 2 * GiB },
  ]
  const body = { name, flavor: 's1.nano', networks: [], volumes: disks }
  const { id } = await server.call(instances.create, { as, body })
  return isActive(id)
}
async function instant(id: string, name = 'all-disks') {
  const points = await server.call(volumeBackups.createInstant, { as, params: { id }, body: { name } })
  for (const point of points)
    await vi.waitFor(
      async () =>
        expect((await server.call(volumeBackups.view, { as, params: { id: point.id } })).status).toBe('available'),
      10_000,
    )
  return points
}
const hasEnded = (id: string) =>
  vi.waitFor(async () => {
    const task = await server.call(tasks.view, { as, params: { id } })
    expect(['success', 'failed', 'cancelled']).toContain(task.state)
    return task
  }, 60_000)
const projectVolumes = async () => (await server.call(volumes.list, { as })).data

it('restores all volumes of one moment as a new virtual machine', async () => {
  const original = await machine('web')
  const [point] = await instant(original.id)
  const { task_id } = await server.call(machineRestores.restoreMachine, {
    ...{ as, params: { id: point!.id }, body: { name: 'web-again', flavor: 's1.nano' } },
  })
  const task = await hasEnded(task_id)
  expect([task.state, task.error]).toEqual(['success', null])
  const { data } = await server.call(instances.list, { as, query: { name: 'exact:web-again' } })
  expect(data).toHaveLength(1)
  const restored = await isActive(data[0]!.id)
  expect(restored.volumes.map(({ name, size, boot_index }) => [name, size, boot_index])).toEqual([
    ['web-again-vda', GiB, 0],
    ['web-again-vdb', 2 * GiB, null],
  ])
  expect(restored.networks).toEqual([])
  expect((await view(original.id)).volumes).toEqual(original.volumes)
})

it('leaves nothing behind if the virtual machine cannot be created', { tags: 'all' }, async () => {
  const original = await machine('db')
  const [point] = await instant(original.id)
  const before = (await projectVolumes()).map(({ id }) => id).toSorted()
  const { task_id } = await server.call(machineRestores.restoreMachine, {
    ...{ as, params: { id: point!.id }, body: { name: 'db-again', flavor: 'no-such-flavor' } },
  })
  const task = await hasEnded(task_id)
  expect(task.state).toBe('failed')
  expect(task.error).not.toBeNull()
  await vi.waitFor(async () => {
    expect((await projectVolumes()).map(({ id }) => id).toSorted()).toEqual(before)
  }, 10_000)
})

it('replaces the volumes of a virtual machine, and keeps the previous ones', async () => {
  const original = await machine('app')
  const [point] = await instant(original.id)
  const plan = await server.call(backupPlans.create, { as, body: { name: 'nightly', schedule: { hour: '2' } } })
  const ids = original.volumes.map(({ id }) => id)
  await server.call(backupPlans.addVolumes, { as, params: { id: plan.id }, body: { ids } })
  const { task_id } = await server.call(machineRestores.replaceMachine, { as, params: { id: point!.id }, body: {} })
  const task = await hasEnded(task_id)
  expect([task.state, task.error]).toEqual(['success', null])
  const now = await isActive(original.id)
  expect(now.volumes.map(({ name, size, boot_index }) => [name, size, boot_index])).toEqual(
    original.volumes.map(({ name, size, boot_index }) => [`${name}-restored`, size, boot_index]),
  )
  for (const { id } of original.volumes)
    expect(await server.call(volumes.view, { as, params: { id } })).toMatchObject({ status: 'available' })
  const { data } = await server.call(volumeBackups.list, { as, query: { server_id: original.id } })
  expect(data.filter(({ name }) => name === 'manual-before-app')).toHaveLength(2)
  // the plan protects the volumes that the virtual machine has now
  expect((await server.call(backupPlans.view, { as, params: { id: plan.id } })).volume_ids).toEqual(
    now.volumes.map(({ id }) => id),
  )
  expect(task.result).toEqual({ previous_volumes: original.volumes.map(({ id }) => id) })
})

/** Name of recovery points. The virtual machine of their test has it in its own name, and therefore no guest agent. */
const silent = 'fault-agent'

it(
  'starts a virtual machine from the volumes of one moment, records that it ran, and removes it',
  { tags: 'all', timeout: 120_000 },
  async () => {
    const original = await machine('fault-agent-tested')
    const points = await instant(original.id, silent)
    for (const { id } of points)
      expect((await server.call(volumeBackups.view, { as, params: { id } })).consistency).toBe('crash')
    const before = (await projectVolumes()).map(({ id }) => id).toSorted()
    const params = { id: points[1]!.id }
    const { task_id } = await server.call(machineRestores.testRestore, { as, params, body: {} })
    const { data } = await vi.waitFor(async () => {
      const found = await server.call(instances.list, { as, query: { name: 'exact:test-of-fault-agent' } })
      expect(found.data.map(({ status }) => status)).toEqual(['ACTIVE'])
      return found
    }, 20_000)
    expect(data[0]).toMatchObject({ networks: [], flavor: { id: original.flavor.id } })
    expect(data[0]!.volumes.map(({ size }) => size)).toEqual([GiB, 2 * GiB])
    const task = await hasEnded(task_id)
    expect([task.state, task.error]).toEqual(['success', null])
    for (const { id } of points)
      expect(await server.call(volumeBackups.view, { as, params: { id } })).toMatchObject({
        restore_test: { at: expect.any(String) as string, result: 'started', reason: null },
      })
    expect((await server.call(instances.list, { as, query: { name: 'exact:test-of-fault-agent' } })).data).toEqual([])
    await vi.waitFor(async () => expect((await projectVolumes()).map(({ id }) => id).toSorted()).toEqual(before))
  },
)

it('records that the guest agent of a tested virtual machine answered', { tags: 'all', timeout: 120_000 }, async () => {
  const original = await machine('answering')
  const points = await instant(original.id)
  const params = { id: points[0]!.id }
  const { task_id } = await server.call(machineRestores.testRestore, { as, params, body: {} })
  expect(await hasEnded(task_id)).toMatchObject({ state: 'success', error: null })
  for (const { id } of points)
    expect(await server.call(volumeBackups.view, { as, params: { id } })).toMatchObject({
      ...{ consistency: 'guest', restore_test: { result: 'confirmed', reason: null } },
    })
})

it('records that a tested virtual machine stopped, and removes it', { tags: 'all', timeout: 120_000 }, async () => {
  const original = await machine('halting')
  const [point] = await instant(original.id, silent)
  const params = { id: point!.id }
  const { task_id } = await server.call(machineRestores.testRestore, { as, params, body: { flavor: 's1.nano' } })
  const { id } = await vi.waitFor(async () => {
    const { data } = await server.call(instances.list, { as, query: { name: 'exact:test-of-fault-agent' } })
    expect(data.map(({ status, task_state }) => [status, task_state])).toEqual([['ACTIVE', null]])
    return data[0]!
  }, 20_000)
  await server.call(instances.stop, { as, params: { id }, body: {} })
  const task = await hasEnded(task_id)
  expect(task).toMatchObject({
    state: 'failed',
    error: 'The virtual machine stopped soon after it was started',
  })
  expect(await server.call(volumeBackups.view, { as, params })).toMatchObject({
    restore_test: { result: 'failed', reason: 'The virtual machine stopped soon after it was started' },
  })
  const left = async () =>
    (await server.call(instances.list, { as, query: { name: 'exact:test-of-fault-agent' } })).data
  await vi.waitFor(async () => expect(await left()).toEqual([]), 10_000)
})

it('records that a tested recovery point is damaged', { tags: 'all', timeout: 120_000 }, async () => {
  const original = await machine('spoiled')
  const [point] = await instant(original.id)
  const files = await readdir(server.folder, { recursive: true })
  const stored = files.find((file) => file.endsWith(`${point!.id}.qcow2`))!
  await writeFile(path.join(server.folder, stored), 'other bytes')
  const params = { id: point!.id }
  const { task_id } = await server.call(machineRestores.testRestore, { as, params, body: {} })
  expect(await hasEnded(task_id)).toMatchObject({
    state: 'failed',
    error: expect.stringContaining('damaged') as string,
  })
  const { restore_test } = await server.call(volumeBackups.view, { as, params })
  expect(restore_test).toMatchObject({ result: 'failed', reason: expect.stringContaining('damaged') as string })
})

it(
  'says that a test restore needs a flavor if the original virtual machine is gone',
  { tags: 'all', timeout: 60_000 },
  async () => {
    const original = await machine('gone')
    const [point] = await instant(original.id)
    await server.call(instances.delete, { as, params: { id: original.id } })
    const params = { id: point!.id }
    await vi.waitFor(async () => {
      await expect(server.call(machineRestores.testRestore, { as, params, body: {} })).rejects.toMatchObject({
        fields: { flavor: [expect.stringContaining('Choose a flavor')] },
      })
    }, 10_000)
    await expect(
      server.call(machineRestores.testRestore, { as: 'other-member', params, body: {} }),
    ).rejects.toMatchObject({
      code: 'not_found',
    })
  },
)

it('is refused for volumes without a virtual machine, and not found in other projects', async () => {
  const { id: volume_id } = await server.call(volumes.create, { as, body: { name: 'alone', size: GiB } })
  await vi.waitFor(async () =>
    expect((await server.call(volumes.view, { as, params: { id: volume_id } })).status).toBe('available'),
  )
  const { id } = await server.call(volumeBackups.create, { as, body: { volume_id, name: 'of-one' } })
  await vi.waitFor(async () =>
    expect((await server.call(volumeBackups.view, { as, params: { id } })).status).toBe('available'),
  )
  const params = { id }
  await expect(server.call(machineRestores.replaceMachine, { as, params, body: {} })).rejects.toMatchObject({
    code: 'invalid_state',
  })
  for (const attempt of [
    () => server.call(machineRestores.replaceMachine, { as: 'other-member', params, body: {} }),
    () =>
      server.call(machineRestores.restoreMachine, {
        as: 'other-member',
        params,
        body: { name: 'mine', flavor: 's1.nano' },
      }),
  ])
    await expect(attempt()).rejects.toMatchObject({ code: 'not_found' })
})

it('replaces only the volumes that have a recovery point, and not twice at once', { tags: 'all' }, async () => {
  const original = await machine('half')
  const [boot, data] = original.volumes
  const { id } = await server.call(volumeBackups.create, { as, body: { volume_id: data!.id, name: 'of-data' } })
  await vi.waitFor(
    async () => expect((await server.call(volumeBackups.view, { as, params: { id } })).status).toBe('available'),
    10_000,
  )
  const replace = () =>
    server.call(machineRestores.replaceMachine, { as, params: { id }, body: { keep_current: false } })
  const { task_id } = await replace()
  await expect(replace()).rejects.toMatchObject({ code: 'conflict' })
  expect((await hasEnded(task_id)).state).toBe('success')
  const now = await isActive(original.id)
  expect(now.volumes.map((volume) => volume.id)).toEqual([boot!.id, expect.not.stringMatching(data!.id)])
  expect(now.volumes.map(({ name }) => name)).toEqual([boot!.name, `${data!.name}-restored`])
})
