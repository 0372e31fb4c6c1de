import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { flavors } from '@mainstay/contract/compute/flavors'
import { instanceActionCalls } from '@mainstay/contract/compute/instance-actions'
import { instances } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { taskIsOver, tasks, type Task } from '@mainstay/contract/core/tasks'
import { nodeMaintenance, type MaintenanceModes } from '@mainstay/contract/infrastructure/node-maintenance'
import { nodes } from '@mainstay/contract/infrastructure/nodes'
import { thisNodeId } from '@mainstay/engines/ports/named-id'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Personas } from '../../../../testing/personas'
import { testDatabase } from '../../../../testing/postgres/postgres'
import { startServer, type StartOptions, type TestServer } from '../../../../testing/start-server'
import { changeNode } from '../node-record'

const as = 'superuser'
const tenant = 'project-member'
const params = { id: thisNodeId }
const patient = { timeout: 60_000, interval: 200 }
/** Maintenance modes that leave every service as it is, except for the services that a test changes. */
const leave: Partial<MaintenanceModes> = {
  ...({ compute_mode: 'ignore', storage_mode: 'ignore', s3_mode: 'ignore', backend_mode: 'ignore' } as const),
}

let server: TestServer
let cast: Personas
let folder: string
let database: Awaited<ReturnType<typeof testDatabase>>
const start = (more: StartOptions = {}) =>
  startServer({ keep: { folder, databaseUrl: database.url }, ...(cast && { cast }), ...more })

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mainstay-maintenance-'))
  database = await testDatabase()
  // these guests take a long time to shut down
  server = await start({ delays: { start: 0, shutdown: 600_000, suspend: 0, quick: 0, copy: 0 } })
  cast = server.cast
})
afterAll(async () => {
  await server.close()
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

async function create(name: string): Promise<string> {
  const flavor = (await server.call(flavors.list, { as: tenant })).data[0]!.id
  const volumes = [{ source: 'blank' as const, size: GiB, boot_index: 0 }]
  const { id } = await server.call(instances.create, { as: tenant, body: { name, flavor, networks: [], volumes } })
  await expect.poll(async () => statusOf(id), patient).toBe('ACTIVE')
  return id
}
const statusOf = async (id: string) => (await server.call(instances.view, { as: tenant, params: { id } })).status
const over = async (id: string): Promise<Task> => {
  const view = () => server.call(tasks.view, { as, params: { id } })
  await expect.poll(async () => taskIsOver((await view()).state), patient).toBe(true)
  return view()
}
const node = () => server.call(nodes.view, { as, params })
const enter = (body: Partial<MaintenanceModes>) =>
  server.call(nodeMaintenance.enter, { as, params, body: { ...leave, ...body } })
const exit = (body: object = {}) => server.call(nodeMaintenance.exit, { as, params, body })

it('names what blocks maintenance, and says what would help', { timeout: 120_000 }, async () => {
  const id = await create('web')
  const { checks, suggested } = await server.call(nodeMaintenance.precheck, { as, params })
  const found = checks.map(({ service, mode, result }) => `${service} ${mode} ${result}`)
  expect(found).toEqual(
    expect.arrayContaining([
      ...['compute evacuate blocked', 'compute suspend warning', 'compute ignore warning'],
      ...['storage evacuate blocked', 'storage suspend warning', 'backend evacuate blocked', 'backend ignore warning'],
    ]),
  )
  const blocked = checks.find(({ service, mode }) => service === 'compute' && mode === 'evacuate')!
  expect(blocked.objects).toEqual([{ kind: 'server', id, name: 'web' }])
  expect(blocked.message).toMatch(
    /1 running virtual machine cannot be moved, because there is no other host: web\. .* “suspend”/,
  )
  expect(suggested).toMatchObject({ compute_mode: 'ignore', storage_mode: 'suspend', backend_mode: 'ignore' })
  await expect(enter({ compute_mode: 'evacuate' })).rejects.toMatchObject({
    ...{ code: 'maintenance_blocked', data: { checks: [{ service: 'compute', mode: 'evacuate' }] } },
  })
  await expect(exit()).rejects.toMatchObject({ code: 'invalid_state' })
  expect(await server.call(nodeMaintenance.view, { as, params })).toMatchObject({ state: null, modes: null })
  const activity = (value: 'installing' | null) =>
    server.tools.inventory.transaction((tx) => changeNode(tx, thisNodeId, () => ({ activity: value })))
  await activity('installing')
  const installing = { message: expect.stringMatching(/reinstallation .* Cancel it first/) as string }
  await expect(enter({})).rejects.toMatchObject(installing)
  await expect(exit()).rejects.toMatchObject(installing)
  await activity(null)
  for (const who of ['viewer', tenant] as const)
    expect((await server.fetch(nodeMaintenance.enter, { as: who, params, body: {} })).status).toBe(403)
})

it('a task that is cancelled leaves the node as it was', async () => {
  const { task_id } = await enter({ compute_mode: 'suspend' })
  expect(await node()).toMatchObject({ status: 'suspending', tasks: [task_id], maintenance: { task_id } })
  await expect(enter({})).rejects.toMatchObject({ code: 'invalid_state' })
  const { data } = await server.call(instances.list, { as: tenant })
  const { id } = data[0]!
  await expect
    .poll(async () => (await server.call(instances.view, { as: tenant, params: { id } })).task_state, patient)
    .toBe('powering-off')
  await server.call(tasks.cancel, { as, params: { id: task_id } })
  expect((await over(task_id)).state).toBe('cancelled')
  expect(await statusOf(id)).toBe('ACTIVE')
  expect(await node()).toMatchObject({ status: 'healthy', maintenance: null, tasks: [] })
}, 120_000)

it(
  'maintenance continues after its server stops, shuts down virtual machines, and starts them again afterwards',
  { tags: 'all', timeout: 180_000 },
  async () => {
    const { task_id } = await enter({ compute_mode: 'suspend' })
    await expect.poll(async () => (await node()).maintenance?.state, patient).toBe('suspending')
    await expect
      .poll(async () => (await server.call(nodeMaintenance.view, { as, params })).stopped.length, patient)
      .toBe(1)
    await server.close()
    server = await start()
    const task = await over(task_id)
    expect(task.error).toBe(null)
    expect(task.steps!.map(({ name, state }) => [name, state])).toEqual(
      ['close', 'compute', 'enter'].map((name) => [name, 'done']),
    )
    expect(await node()).toMatchObject({ status: 'maintenance', maintenance: { state: 'suspended', task_id: null } })
    const { id } = (await server.call(instances.list, { as: tenant })).data[0]!
    expect(await statusOf(id)).toBe('SHUTOFF')

    const starting = server.call(instanceActionCalls.start, { as: tenant, params: { id } })
    await expect(starting).rejects.toMatchObject({
      message: expect.stringContaining('Virtual machines cannot be started on this host') as string,
    })

    const flavor = (await server.call(flavors.list, { as: tenant })).data[0]!.id
    const volumes = [{ source: 'blank' as const, size: GiB, boot_index: 0 }]
    const body = { name: 'new', flavor, networks: [], volumes }
    await expect(server.call(instances.create, { as: tenant, body })).rejects.toMatchObject({ code: 'no_valid_host' })

    expect((await over((await exit()).task_id)).state).toBe('success')
    expect(await node()).toMatchObject({ status: 'healthy', maintenance: null, tasks: [] })
    expect(await statusOf(id)).toBe('ACTIVE')
  },
)

it('virtual machines keep running if they are ignored', async () => {
  const { id } = (await server.call(instances.list, { as: tenant })).data[0]!
  await over((await enter({})).task_id)
  expect([await statusOf(id), (await node()).status]).toEqual(['ACTIVE', 'maintenance'])
  await over((await exit({ compute_mode: 'ignore' })).task_id)
  expect((await node()).status).toBe('healthy')
}, 120_000)
