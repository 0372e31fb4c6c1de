import type { Flavor } from '@mainstay/contract/compute/flavors'
import { InstanceDraft, type Instance } from '@mainstay/contract/compute/instances'
import type { Placement } from '@mainstay/contract/compute/placements'
import { GiB } from '@mainstay/contract/core/bytes'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type * as z from 'zod'
import { imageDraft, refusal } from '../../../conformance/cloud'
import { rawDisk } from '../../../conformance/images'
import { memberOf, openSimulatedCloud, operator, type SimulatedCloud } from '../../testing/embedded-cloud'
import { thisNodeId } from '../../../ports/named-id'

/* Placements in all operations except instance creation, which the conformance suite covers. */

const member = memberOf('ours')
let cloud: SimulatedCloud
let gold: Placement
let flavor: Flavor

beforeEach(async () => {
  cloud = await openSimulatedCloud()
  gold = await cloud.compute.placements.create(operator, { name: 'gold', description: '', isolated: false })
  flavor = await cloud.compute.flavors.create(operator, { name: 'golden', vcpus: 1, ram: 128, swap: 0 })
  await cloud.compute.placements.assign(operator, gold.id, 'flavors', [flavor.id])
})
afterEach(() => cloud.close())

const carry = () => cloud.compute.placements.assign(operator, gold.id, 'nodes', [thisNodeId])
const carryNoMore = () => cloud.compute.placements.withdraw(operator, gold.id, 'nodes', thisNodeId)
const rowOf = (id: string) => cloud.memory.get<Instance>('server', id)!

async function create(flavorId: string, change: Partial<z.input<typeof InstanceDraft>> = {}): Promise<string> {
  const volumes = [{ source: 'blank', size: GiB, boot_index: 0 }]
  const draft = InstanceDraft.parse({ name: 'web', flavor: flavorId, volumes, networks: [], ...change })
  const [row] = await cloud.compute.instances.create(member, draft)
  await cloud.server.idle()
  return row!.id
}

test('adds the placements of the new flavor on a live resize, unless the resize fails', async () => {
  const id = await create('s1.micro', { allow_live_resize: true })
  const { vcpus, ram } = rowOf(id).flavor
  const larger = await cloud.compute.flavors.create(operator, { name: 'larger', vcpus: vcpus + 1, ram, swap: 0 })
  await cloud.compute.placements.assign(operator, gold.id, 'flavors', [larger.id])
  const resize = () => cloud.compute.instances.resize(member, id, larger.id, { restart: false })
  expect(await refusal(resize())).toMatchObject({ code: 'no_valid_host' })
  await carry()
  const { machines } = cloud.hypervisor.faults
  machines.add('fault-grow')
  await resize()
  await cloud.server.idle()
  expect(rowOf(id)).toMatchObject({ status: 'ACTIVE', traits: [], flavor: { vcpus } })
  machines.delete('fault-grow')
  await resize()
  await cloud.server.idle()
  expect(rowOf(id)).toMatchObject({ status: 'ACTIVE', traits: [gold.id], flavor: { id: larger.id } })
})

test('adds the placements of the new flavor on a resize, and refuses the flavor if the node lacks them', async () => {
  const id = await create('s1.micro')
  await cloud.compute.instances.stop(member, id, { hard: true, timeoutSeconds: 0 })
  await cloud.server.idle()
  expect(await refusal(cloud.compute.instances.resize(member, id, flavor.id, { restart: false }))).toMatchObject({
    ...{ code: 'no_valid_host', message: 'No node has the placement “gold”' },
    fields: { flavor: [expect.any(String)] },
  })
  await carry()
  await cloud.compute.instances.resize(member, id, flavor.id, { restart: false })
  await cloud.server.idle()
  expect(rowOf(id)).toMatchObject({ status: 'SHUTOFF', traits: [gold.id], flavor: { id: flavor.id } })
})

test('refuses to unshelve while the node lacks the placement, but leaves running instances alone', async () => {
  await carry()
  const id = await create(flavor.id)
  await carryNoMore()
  expect(rowOf(id)).toMatchObject({ status: 'ACTIVE', traits: [gold.id] })
  await cloud.compute.instances.shelve(member, id)
  await cloud.server.idle()
  expect(await refusal(cloud.compute.instances.unshelve(member, id))).toMatchObject({ code: 'no_valid_host' })
  expect(rowOf(id)).toMatchObject({ status: 'SHELVED_OFFLOADED', task_state: null })
  await carry()
  await cloud.compute.instances.unshelve(member, id)
  await cloud.server.idle()
  expect(rowOf(id)).toMatchObject({ status: 'ACTIVE' })
})

test('refuses to unshelve on a node that has since been isolated, without naming the placement', async () => {
  const id = await create('s1.micro')
  await cloud.compute.instances.shelve(member, id)
  await cloud.server.idle()
  await cloud.compute.placements.update(operator, gold.id, { isolated: true })
  await carry()
  expect(await refusal(cloud.compute.instances.unshelve(member, id))).toMatchObject({
    ...{ code: 'no_valid_host', message: expect.not.stringContaining('gold') },
  })
})

test('refuses to remove the placement of an isolated node from an instance running on it', async () => {
  await cloud.compute.placements.update(operator, gold.id, { isolated: true })
  await carry()
  const id = await create(flavor.id)
  const taking = cloud.compute.instances.update(operator, id, { traits: [] })
  expect(await refusal(taking)).toMatchObject({ code: 'no_valid_host', fields: { traits: [expect.any(String)] } })
  await carryNoMore()
  expect(await cloud.compute.instances.update(operator, id, { traits: [] })).toMatchObject({ traits: [] })
})

test('removes deleted flavors and images from their placements', async () => {
  const image = await cloud.compute.images.create(member, imageDraft({ name: 'golden' }), Readable.from([rawDisk()]))
  await cloud.server.idle()
  await cloud.compute.placements.assign(operator, gold.id, 'images', [image.id])
  await cloud.compute.images.delete(member, image.id)
  await cloud.compute.flavors.delete(operator, flavor.id)
  expect(cloud.memory.get<Placement>('placement', gold.id)).toMatchObject({ images: [], flavors: [] })
  await cloud.compute.placements.delete(operator, gold.id)
  expect(cloud.memory.get('placement', gold.id)).toBeNull()
})

test('keeps the placements of the host across a restart, even if the host was renamed', async () => {
  await carry()
  const { memory, folder } = cloud
  await cloud.engine.close()
  cloud.server.kill()
  cloud = await openSimulatedCloud({ memory, folder, host: { hostname: 'renamed' } })
  expect(memory.all('compute_node')).toMatchObject([
    { id: thisNodeId, host: 'renamed', state: 'up', traits: [gold.id] },
  ])
})
