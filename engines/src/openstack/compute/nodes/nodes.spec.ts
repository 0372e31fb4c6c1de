import { ComputeNode } from '@mainstay/contract/compute/nodes'
import { GiB, MiB } from '@mainstay/contract/core/bytes'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { refusal } from '../../../conformance/cloud'
import type { ComputeNodesPort } from '../../../ports/compute'
import { startEngineFixture, type EngineFixture } from '../../testing/engine-fixture'
import { openNodes } from '../stat'
import { nodeCommands } from './commands'
import { nodeReader } from './shape'

/** A compute service as a cloud of release 2025.1 returns it for microversion 2.53. */
interface Service {
  id: string
  host: string
  binary: string
  status: string
  state: string
  disabled_reason: string | null
  forced_down: boolean
}

let fixture: EngineFixture
let nodes: ComputeNodesPort
let service: Service
let servers: { id: string }[]
let lists: number
/** Whether the cloud refuses to enable services, with an error after three minutes. */
let isStuck: boolean
const order = { roles: ['compute' as const], event: null }

const hypervisor = () => ({
  ...{ id: 'n1', hypervisor_hostname: 'compute-1.example', hypervisor_type: 'QEMU', hypervisor_version: 9_002_000 },
  ...{ host_ip: '192.0.2.7', state: service.forced_down ? 'down' : 'up', status: service.status, running_vms: 3 },
  ...{ vcpus: 16, vcpus_used: 6, memory_mb: 65_536, memory_mb_used: 10_752, free_ram_mb: 54_784, local_gb: 100 },
  cpu_info: { arch: 'x86_64', model: 'EPYC-Genoa', vendor: 'AMD', topology: { cores: 8, threads: 2, sockets: 1 } },
  service: { id: service.id, host: service.host, disabled_reason: service.disabled_reason },
})

beforeEach(async () => {
  fixture = await startEngineFixture([nodeReader])
  const { cloud } = fixture
  service = {
    ...{ id: '3b7e0a58-5d6b-4b7a-9f2e-0f1d2c3b4a59', host: 'compute-1', binary: 'nova-compute' },
    ...{ status: 'enabled', state: 'up', disabled_reason: null, forced_down: false },
  }
  servers = []
  lists = 0
  isStuck = false
  const conductor = { ...service, id: 'c', binary: 'nova-conductor' }
  cloud.on('compute', 'GET', '/os-hypervisors/:id', ({ params }) =>
    params['id'] === 'n1'
      ? { body: { hypervisor: hypervisor() } }
      : { status: 404, body: { itemNotFound: { code: 404, message: 'Compute host could not be found.' } } },
  )
  cloud.on('compute', 'GET', '/os-hypervisors/detail', () => (lists++, { body: { hypervisors: [hypervisor()] } }))
  cloud.on('compute', 'GET', '/os-services', () => ({ body: { services: [service, conductor] } }))
  cloud.on('compute', 'PUT', '/os-services/:id', ({ params, body }) => {
    const change = body as Partial<Service>
    if (isStuck && change.status === 'enabled') {
      vi.setSystemTime(Date.now() + 3 * 60_000)
      return { status: 409, body: { conflictingRequest: { code: 409, message: 'The host is out of order' } } }
    }
    if (params['id'] !== service.id) return { status: 404, body: { itemNotFound: { code: 404, message: 'none' } } }
    Object.assign(service, change, change.status === 'enabled' && { disabled_reason: null })
    return { body: { service } }
  })
  cloud.on('compute', 'GET', '/servers', () => ({ body: { servers } }))
  cloud.on('placement', 'GET', '/resource_providers/:id/traits', () => ({
    body: { traits: ['HW_CPU_X86_AVX', 'CUSTOM_GOLD'], resource_provider_generation: 1 },
  }))
  cloud.on('placement', 'GET', '/resource_providers', () => ({ body: { resource_providers: [{ uuid: 'n1' }] } }))
  cloud.on('placement', 'GET', '/resource_providers/:id/inventories', () => ({
    body: {
      resource_provider_generation: 1,
      inventories: {
        VCPU: { total: 16, reserved: 0, allocation_ratio: 4, max_unit: 16, min_unit: 1, step_size: 1 },
        MEMORY_MB: { total: 65_536, reserved: 512, allocation_ratio: 1, max_unit: 65_536, min_unit: 1, step_size: 1 },
      },
    },
  }))
  nodes = nodeCommands(fixture.engine, openNodes(fixture.engine.reading))
  await fixture.engine.refresh(nodeReader, 'n1')
})
afterEach(async () => {
  vi.useRealTimers()
  await fixture.close()
})

const row = () => fixture.index.get('compute_node/n1') as ComputeNode | undefined

test('reads hypervisors with their services, roles and placements', () => {
  expect(ComputeNode.parse(row())).toEqual({
    ...{ id: 'n1', host: 'compute-1', host_ip: '192.0.2.7', cpu_model: 'EPYC-Genoa', state: 'up' },
    ...{ fenced_reason: null, in_maintenance: false, traits: ['CUSTOM_GOLD'], custom_params: {}, statistics: null },
    hypervisor: { status: 'enabled', vms: 3, hypervisor_type: 'QEMU' },
    services: [
      { name: 'nova-compute', status: 'enabled', state: 'up' },
      { name: 'nova-conductor', status: 'enabled', state: 'up' },
    ],
    roles: ['controller', 'compute'],
  })
})

test('reads the statistics of all nodes with one list, regardless of the number of clients', async () => {
  const [found] = await Promise.all([nodes.statistics(fixture.operator), nodes.statistics(fixture.operator)])
  expect(lists).toBe(1)
  expect(found.get('n1')).toEqual({
    physical: {
      ...{ cpu_cores: 16, cpu_usage: null, swap_total: null, swap_free: null },
      ...{ mem_total: 64 * GiB, mem_free: 54_784 * MiB },
    },
    reserved: { vcpus: 0, cpus: 0, memory: 512 * MiB },
    compute: {
      ...{ vcpus: 64, vcpus_free: 58, cpu_usage: null, vm_mem_usage: null },
      ...{ vm_mem_reserved: 10 * GiB, vm_mem_capacity: 65_024 * MiB, vm_mem_free: 54_784 * MiB },
    },
  })
})

test("releases a node with the caller's token while a task runs, and adds it again", async () => {
  expect(await nodes.release(fixture.operator, 'n1', order)).toMatchObject({ state: 'releasing' })
  const put = fixture.cloud.received.find(({ verb }) => verb === 'PUT')
  expect(put).toMatchObject({ path: `/os-services/${service.id}`, token: { user: { name: 'service' } } })
  await fixture.runTask('compute.node.release')
  expect(row()).toMatchObject({ state: 'released', hypervisor: { status: 'disabled' }, fenced_reason: null })
  expect(await nodes.join(fixture.operator, 'n1', order)).toMatchObject({ state: 'joining' })
  expect(await refusal(nodes.release(fixture.operator, 'n1', order))).toMatchObject({ code: 'invalid_state' })
  await fixture.runTask('compute.node.join')
  expect(row()).toMatchObject({ state: 'up', hypervisor: { status: 'enabled' } })
})

test('fails a release and uses the node again if the cloud has a machine on it that is not in the index', async () => {
  await nodes.release(fixture.operator, 'n1', order)
  servers = [{ id: 's1' }]
  await expect(fixture.runTask('compute.node.release')).rejects.toThrow(/“compute-1”/)
  expect(service).toMatchObject({ status: 'enabled' })
  expect(row()).toMatchObject({ state: 'up' })
})

test('releases a node again that could not be added, and reports the reason', async () => {
  Object.assign(service, { status: 'disabled', disabled_reason: 'mainstay: released' })
  await fixture.engine.refresh(nodeReader, 'n1')
  await nodes.join(fixture.operator, 'n1', order)
  isStuck = true
  vi.useFakeTimers({ toFake: ['Date'] })
  await expect(fixture.runTask('compute.node.join')).rejects.toThrow(/out of order/)
  expect(service).toMatchObject({ status: 'disabled', disabled_reason: 'mainstay: released' })
})

test('refuses to fence a released node', async () => {
  Object.assign(service, { status: 'disabled', disabled_reason: 'mainstay: released' })
  await fixture.engine.refresh(nodeReader, 'n1')
  expect(await refusal(nodes.fence(fixture.operator, 'n1', 'Broken fan'))).toMatchObject({ code: 'invalid_state' })
  expect(service.disabled_reason).toBe('mainstay: released')
})

test('explains that the cloud’s policy forbids changing services, and works without services that are hidden', async () => {
  const forbidden = { status: 403, body: { forbidden: { code: 403, message: "Policy doesn't allow this." } } }
  fixture.cloud.on('compute', 'GET', '/os-services', () => forbidden)
  fixture.cloud.on('compute', 'PUT', '/os-services/:id', () => forbidden)
  expect(await fixture.engine.refresh(nodeReader, 'n1')).toMatchObject({ state: 'up', services: [] })
  expect(await refusal(nodes.fence(fixture.operator, 'n1', 'Broken fan'))).toMatchObject({
    ...{ code: 'forbidden', message: expect.stringMatching(/cloud’s policy .* Ask a cloud administrator to assign/) },
  })
})

test('refuses to release a node with machines', async () => {
  fixture.index.set('server/s1', { id: 's1', host: 'compute-1', project_id: 'p-demo' })
  expect(await refusal(nodes.release(fixture.operator, 'n1', order))).toMatchObject({ code: 'in_use' })
  expect(service).toMatchObject({ status: 'enabled' })
})

test('fences a node with a reason and marks it as down, and returns it', async () => {
  expect(await nodes.fence(fixture.operator, 'n1', 'Broken fan')).toMatchObject({
    ...{ state: 'down', fenced_reason: 'Broken fan', hypervisor: { status: 'disabled' } },
  })
  expect(service.forced_down).toBe(true)
  expect(await nodes.unfence(fixture.operator, 'n1')).toMatchObject({ state: 'up', fenced_reason: null })
  expect(service).toMatchObject({ status: 'enabled', forced_down: false })
  expect(await refusal(nodes.unfence(fixture.operator, 'n1'))).toMatchObject({ code: 'invalid_state' })
})

test('fences a node that keeps its machines without marking it as down', async () => {
  expect(await nodes.fence(fixture.operator, 'n1', 'Maintenance', { keepsMachines: true })).toMatchObject({
    ...{ state: 'up', fenced_reason: 'Maintenance', hypervisor: { status: 'disabled' } },
  })
  expect(service.forced_down).toBe(false)
})

test('shows a service that another client has disabled as fenced, with its reason', async () => {
  Object.assign(service, { status: 'disabled', disabled_reason: 'maintenance window' })
  expect(await fixture.engine.refresh(nodeReader, 'n1')).toMatchObject({
    state: 'up',
    fenced_reason: 'maintenance window',
  })
})

test('neither creates nor removes the cluster of a cloud', async () => {
  for (const call of [nodes.createCluster(fixture.operator, []), nodes.deleteCluster(fixture.operator)])
    expect(await refusal(call)).toMatchObject({ code: 'unsupported', message: expect.stringContaining('installer') })
})
