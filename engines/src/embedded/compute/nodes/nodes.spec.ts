import { InstanceDraft } from '@mainstay/contract/compute/instances'
import type { ComputeNode } from '@mainstay/contract/compute/nodes'
import { GiB, MiB } from '@mainstay/contract/core/bytes'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { refusal } from '../../../conformance/cloud'
import { thisNodeId } from '../../../ports/named-id'
import { computeNodeRow } from '../../rows/compute-node'
import { memberOf, openSimulatedCloud, operator, type SimulatedCloud } from '../../testing/embedded-cloud'

let cloud: SimulatedCloud
beforeEach(async () => {
  cloud = await openSimulatedCloud()
})
afterEach(() => cloud.close())

const order = { roles: ['compute' as const], event: 'spec' }
const nodes = () => cloud.compute.nodes
const rowOf = (id: string) => cloud.memory.get<ComputeNode>('compute_node', id)!
const lastTask = () => cloud.memory.tasks().at(-1)!

/** Adds a simulated node. */
async function add(id: string, given: Partial<ComputeNode> = {}): Promise<void> {
  const row = computeNodeRow(cloud.hypervisor.host, { id, host: id, ...given })
  await cloud.server.records.transaction((tx) => tx.put('compute_node', row))
}

async function create(name: string) {
  const volumes = [{ source: 'blank', size: GiB, boot_index: 0 }]
  const draft = InstanceDraft.parse({ name, flavor: 's1.nano', volumes, networks: [] })
  const [row] = await cloud.compute.instances.create(memberOf('ours'), draft)
  await cloud.server.idle()
  return row!
}

test('a node joins with its roles while a task runs, and is released again', async () => {
  await add('node-2', { state: 'released', hypervisor: { status: 'disabled', vms: 0, hypervisor_type: 'simulated' } })
  expect(await nodes().join(operator, 'node-2', { ...order, roles: ['compute'] })).toMatchObject({ state: 'joining' })
  expect(rowOf('node-2').state).toBe('joining')
  expect(await refusal(nodes().release(operator, 'node-2', order))).toMatchObject({ code: 'invalid_state' })
  await cloud.server.idle()
  expect(rowOf('node-2')).toMatchObject({ state: 'up', roles: ['compute'], hypervisor: { status: 'enabled' } })
  expect(lastTask()).toMatchObject({ name: 'compute.node.join', state: 'success', event: 'spec' })

  expect(await nodes().release(operator, 'node-2', order)).toMatchObject({ state: 'releasing' })
  await cloud.server.idle()
  expect(rowOf('node-2')).toMatchObject({ state: 'released', hypervisor: { status: 'disabled' }, roles: ['compute'] })
  expect(await refusal(nodes().fence(operator, 'node-2', 'Broken fan'))).toMatchObject({
    ...{
      code: 'invalid_state',
      message: expect.stringMatching(/“node-2” has been released from compute, .* cannot be fenced/),
    },
  })
})

test('a failed release leaves the node up, and a failed join leaves it released', async () => {
  await add('fault-node-2')
  await nodes().release(operator, 'fault-node-2', { event: 'spec' })
  await cloud.server.idle()
  expect(lastTask()).toMatchObject({ name: 'compute.node.release', state: 'failed' })
  expect(rowOf('fault-node-2')).toMatchObject({ state: 'up', hypervisor: { status: 'enabled' } })
  await add('fault-node-3', { state: 'released' })
  await nodes().join(operator, 'fault-node-3', order)
  await cloud.server.idle()
  expect(rowOf('fault-node-3')).toMatchObject({ state: 'released' })
})

test('a node with machines is neither released nor fenced', async () => {
  await create('stays')
  expect(await refusal(nodes().release(operator, thisNodeId, order))).toMatchObject({
    ...{ code: 'in_use', message: expect.stringContaining(`“${rowOf(thisNodeId).host}” has 1 virtual machine`) },
  })
  expect(await refusal(nodes().fence(operator, thisNodeId, 'Broken fan'))).toMatchObject({ code: 'in_use' })
  expect(rowOf(thisNodeId)).toMatchObject({ state: 'up', fenced_reason: null })
})

test('a fenced node accepts no machines until it is returned, also after a restart', async () => {
  expect(await nodes().fence(operator, thisNodeId, 'Broken fan')).toMatchObject({ fenced_reason: 'Broken fan' })
  expect(await refusal(create('nowhere'))).toMatchObject({ code: 'no_valid_host' })
  await cloud.engine.open()
  expect(rowOf(thisNodeId)).toMatchObject({ fenced_reason: 'Broken fan', hypervisor: { status: 'disabled' } })
  await nodes().unfence(operator, thisNodeId)
  expect(await refusal(nodes().unfence(operator, thisNodeId))).toMatchObject({ code: 'invalid_state' })
  expect(await create('somewhere')).toMatchObject({ name: 'somewhere' })
})

test('counts the vCPUs and memory that are reserved for machines', async () => {
  const read = async () => (await nodes().statistics(operator)).get(thisNodeId)!
  const before = await read()
  const { flavor } = await create('counted')
  const { compute, reserved } = await read()
  expect(compute.vcpus_free).toBe(before.compute.vcpus_free - flavor.vcpus)
  expect(compute.vm_mem_reserved).toBe(flavor.ram * MiB)
  expect(compute.vm_mem_free).toBe(compute.vm_mem_capacity - flavor.ram * MiB)
  expect(reserved.memory).toBeGreaterThan(0)
})

test('the cluster is removed only when it is empty, and is created again from this host', async () => {
  expect(await refusal(nodes().createCluster(operator, []))).toMatchObject({ code: 'conflict' })
  const { id } = await create('in the way')
  expect(await refusal(nodes().deleteCluster(operator))).toMatchObject({
    ...{ code: 'in_use', data: { servers: 1, volumes: 1 } },
  })
  const volumes = cloud.memory.all('volume').map((volume) => volume.id)
  await cloud.compute.instances.delete(memberOf('ours'), id, volumes)
  await cloud.server.idle()
  await nodes().deleteCluster(operator)
  expect(rowOf(thisNodeId).state).toBe('releasing')
  await cloud.server.idle()
  expect(rowOf(thisNodeId).state).toBe('released')
  expect(await refusal(create('nowhere'))).toMatchObject({ code: 'no_valid_host' })
  expect(await refusal(nodes().deleteCluster(operator))).toMatchObject({ code: 'invalid_state' })
  expect(await refusal(nodes().createCluster(operator, ['other']))).toMatchObject({ code: 'engine_one_node' })
  await nodes().createCluster(operator, [thisNodeId])
  await cloud.server.idle()
  expect(rowOf(thisNodeId)).toMatchObject({ state: 'up', hypervisor: { status: 'enabled' } })
})
