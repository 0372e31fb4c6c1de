import { instances } from '@mainstay/contract/compute/instances'
import { ComputeNode, computeNodes } from '@mainstay/contract/compute/nodes'
import { GiB, MiB } from '@mainstay/contract/core/bytes'
import type { Node } from '@mainstay/contract/infrastructure/nodes'
import { tasks } from '@mainstay/contract/core/tasks'
import { computeNodeRow } from '@mainstay/engines/embedded/rows/compute-node'
import { simulatedHost } from '@mainstay/engines/embedded/simulated/options'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startServer, type TestServer } from '../../testing/start-server'
import { changeNode } from '../infrastructure/nodes/node-record'

let server: TestServer
const as = 'compute-operator'
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

/** Adds a simulated node, or replaces its row. */
async function put(id: string, given: Partial<ComputeNode> = {}): Promise<string> {
  const row = computeNodeRow(simulatedHost, { id, host: id, ...given })
  await server.tools.inventory.from('embedded').transaction((tx) => tx.put('compute_node', row))
  return id
}
const view = (id: string, query = {}) => server.call(computeNodes.view, { as, params: { id }, query })
const own = async () => (await server.call(computeNodes.list, { as, query: { host: 'simulated-1' } as never })).data[0]!
const join = (...ids: string[]) =>
  server.call(computeNodes.join, { as, body: { nodes: ids.map((node_id) => ({ node_id })), event: 'spec' } })
const release = (...ids: string[]) =>
  server.call(computeNodes.release, { as, body: { nodes: ids.map((node_id) => ({ node_id })), event: 'spec' } })
const settled = (id: string, state: string) =>
  vi.waitFor(async () => expect((await view(id)).state).toBe(state), { timeout: 15_000 })

async function machine(name: string) {
  const body = {
    name,
    flavor: 's1.nano',
    networks: [],
    volumes: [{ source: 'blank' as const, size: GiB, boot_index: 0 }],
  }
  const { id } = await server.call(instances.create, { as: 'project-member', body })
  await vi.waitFor(async () =>
    expect((await server.call(instances.view, { as, params: { id } })).task_state).toBeNull(),
  )
  return id
}

it('returns the attributes, hypervisor, placements, services and roles of nodes [EN-029]', async () => {
  await machine('counted')
  const node = await own()
  expect(node).toEqual(ComputeNode.parse(node))
  expect(node).toMatchObject({
    ...{ host: 'simulated-1', host_ip: null, cpu_model: 'Simulated processor', state: 'up', fenced_reason: null },
    ...{ in_maintenance: false, traits: [], custom_params: {}, statistics: null, roles: ['controller', 'compute'] },
    hypervisor: { status: 'enabled', vms: 1, hypervisor_type: 'simulated' },
    services: [{ name: 'mainstay', status: 'enabled', state: 'up' }],
  })
})

it('adds physical, reserved and compute statistics if requested [EN-030, EN-031, EN-032]', async () => {
  const { id } = await own()
  const { statistics } = await view(id, { with_stats: 'true' })
  const number = expect.any(Number)
  expect(statistics!.physical).toEqual({
    ...{ cpu_cores: number, cpu_usage: null, mem_total: number, mem_free: number, swap_total: 0, swap_free: 0 },
  })
  expect(statistics!.reserved).toEqual({ vcpus: 0, cpus: 0, memory: GiB })
  expect(statistics!.compute).toEqual({
    ...{ vcpus: number, vcpus_free: statistics!.compute.vcpus - 1, cpu_usage: number, vm_mem_usage: number },
    ...{ vm_mem_reserved: 128 * MiB, vm_mem_capacity: number, vm_mem_free: number },
  })
  const { data } = await server.call(computeNodes.list, { as, query: { with_stats: true } })
  expect(data.find((node) => node.id === id)?.statistics?.compute.vcpus).toBe(statistics!.compute.vcpus)
  // command-line clients spell the parameter this way
  expect((await view(id, { params: '{"with_stats": true}' })).statistics).not.toBeNull()
})

it('lists nodes for operators only [CA-122]', async () => {
  await put('node-2')
  const { data } = await server.call(computeNodes.list, { as })
  expect(data.map(({ host }) => host)).toEqual(['node-2', 'simulated-1'])
  expect((await server.fetch(computeNodes.list, { as: 'project-member' })).status).toBe(403)
  for (const call of [computeNodes.join, computeNodes.release] as const)
    expect((await server.fetch(call, { as: 'viewer', body: { nodes: [{ node_id: 'node-2' }] } })).status).toBe(403)
})

it('adds nodes with their roles, which show as joining while the task runs [CA-123, ST-039]', async () => {
  await put('node-3', { state: 'released' })
  await put('node-4', { state: 'released' })
  const { task_id } = await join('node-3', 'node-4')
  expect([(await view('node-3')).state, (await view('node-4')).state]).toEqual(['joining', 'joining'])
  for (const id of ['node-3', 'node-4']) await settled(id, 'up')
  expect(await view('node-3')).toMatchObject({ roles: ['compute'] })
  const { data } = await server.call(tasks.find, { as, body: { task_ids: [task_id] } })
  expect(data[0]).toMatchObject({ name: 'compute.node.join', state: 'success', event: 'spec' })
})

it('marks a node while it is being released, and shows it as up again if the release fails [CA-124, ST-041, ST-043]', async () => {
  await put('node-5')
  await release('node-5')
  expect((await view('node-5')).state).toBe('releasing')
  await settled('node-5', 'released')
  await put('fault-node-6')
  const { task_id } = await release('fault-node-6')
  expect((await view('fault-node-6')).state).toBe('releasing')
  await settled('fault-node-6', 'up')
  const { data } = await server.call(tasks.find, { as, body: { task_ids: [task_id] } })
  expect(data[0]).toMatchObject({ name: 'compute.node.release', state: 'failed', event: 'spec' })
})

it('refuses to release a node that has virtual machines, is busy or is recovering, and changes no node [ST-036, ST-037, ST-038]', async () => {
  const { id } = await own()
  await put('node-7')
  await expect(release('node-7', id)).rejects.toMatchObject({
    ...{ status: 409, code: 'in_use', message: expect.stringContaining('“simulated-1” has') },
  })
  expect((await view('node-7')).state).toBe('up')
  for (const state of ['joining', 'releasing', 'recovering', 'recovery_failed'] as const) {
    await put('node-8', { state })
    await expect(release('node-8')).rejects.toMatchObject({
      ...{ status: 409, code: 'invalid_state', message: expect.stringContaining('“node-8”') },
    })
  }
})

it('names the field of invalid input, and accepts numeric IDs from clients', async () => {
  await expect(join('no-such-node')).rejects.toMatchObject({ status: 400, fields: { nodes: [expect.any(String)] } })
  for (const node of [{ node_id: 2_147_483_648 }, { node_id: 'x', roles: ['king'] }]) {
    const response = await server.fetch(computeNodes.join, { as, body: { nodes: [node] } as never })
    expect(response.status).toBe(400)
  }
  const known = await server.fetch(computeNodes.join, { as, body: { nodes: [{ node_id: 7 }] } as never })
  expect(((await known.json()) as { error: { fields: object } }).error.fields).toMatchObject({
    nodes: ['This node does not exist'],
  })
})

it('reports the maintenance state of its host for a node', async () => {
  const { id } = await own()
  const { inventory } = server.tools
  const maintain = (maintenance: Node['maintenance']) =>
    inventory.transaction((tx) => changeNode(tx, id, () => ({ maintenance })))
  const inMaintenance = async () => (await view(id)).in_maintenance
  expect(await inMaintenance()).toBe(false)
  for (const state of ['suspending', 'suspended'] as const) {
    await maintain({ state, since: new Date().toISOString(), task_id: null })
    expect(await inMaintenance()).toBe(state === 'suspended')
  }
  await maintain(null)
})

it(
  'ignores the force flag where it has no effect, and explains that a release is never forced',
  { tags: 'all' },
  async () => {
    await put('node-10', { state: 'released' })
    const send = (call: typeof computeNodes.join | typeof computeNodes.release, force: boolean) =>
      server.fetch(call, { as, body: { nodes: [{ node_id: 'node-10', roles: ['compute'] }], force } as never })
    expect((await send(computeNodes.join, true)).status).toBe(202)
    await settled('node-10', 'up')
    expect((await send(computeNodes.release, true)).status).toBe(400)
    expect((await send(computeNodes.release, false)).status).toBe(202)
    await settled('node-10', 'released')
  },
)

it('fences a node without virtual machines and returns it to operation', async () => {
  await put('node-9')
  const params = { id: 'node-9' }
  const reason = 'The power supply is being replaced'
  expect(await server.call(computeNodes.fence, { as, params, body: { reason } })).toMatchObject({
    ...{ fenced_reason: reason, hypervisor: { status: 'disabled' } },
  })
  expect(await server.call(computeNodes.unfence, { as, params })).toMatchObject({ fenced_reason: null })
  await expect(server.call(computeNodes.unfence, { as, params })).rejects.toMatchObject({ code: 'invalid_state' })
  expect((await server.fetch(computeNodes.fence, { as, params, body: { reason: ' ' } })).status).toBe(400)
})
