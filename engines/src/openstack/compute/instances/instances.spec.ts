import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { refusal } from '../../../conformance/cloud'
import { Secret } from '../../../ports/secret'
import { volumeReader } from '../../storage/volumes/shape'
import { startComputeGround, type ComputeGround } from '../../testing/compute-ground'
import { serverRefusal, volumesOf, type PretendedServer } from '../../testing/pretended-servers'
import { instanceReader } from './reader'

let ground: ComputeGround
beforeEach(async () => {
  ground = await startComputeGround()
})
afterEach(() => ground.close())

describe('deleting', () => {
  async function withTwoVolumes() {
    const server = ground.nova.add()
    const [boot, data] = [ground.cinder.add({ name: 'boot' }), ground.cinder.add({ name: 'data' })]
    ground.nova.attach(server, boot.id, '/dev/vda', true)
    ground.nova.attach(server, data.id, '/dev/vdb', false)
    await ground.engine.refresh(instanceReader, server.id)
    return { server, boot, data }
  }
  const doomed = (server: PretendedServer) =>
    volumesOf(server).flatMap((volume) => (volume.delete_on_termination ? [volume.id] : []))

  test('takes the volumes that are flagged, or those that are named', async () => {
    const first = await withTwoVolumes()
    expect(await ground.instances.delete(ground.member, first.server.id, null)).toMatchObject({
      task_state: 'deleting',
    })
    expect(doomed(first.server)).toEqual([first.boot.id])
    const second = await withTwoVolumes()
    await ground.instances.delete(ground.member, second.server.id, [second.data.id])
    expect(doomed(second.server)).toEqual([second.data.id])
    expect(ground.begun.at(-1)).toMatchObject({
      name: 'compute.server.delete',
      args: { until: 'gone', volumes: [second.boot.id, second.data.id] },
    })
    const other = await withTwoVolumes()
    expect(await refusal(ground.instances.delete(ground.member, other.server.id, [first.boot.id]))).toMatchObject({
      fields: { delete_volumes: [expect.any(String)] },
    })
  })

  test('that is refused leaves the volumes as they were flagged', async () => {
    const { server, boot } = await withTwoVolumes()
    ground.cloud.on('compute', 'DELETE', '/servers/:id', () =>
      serverRefusal(403, 'forbidden', 'It is locked by policy'),
    )
    expect(await refusal(ground.instances.delete(ground.member, server.id, []))).toMatchObject({ code: 'forbidden' })
    expect(doomed(server)).toEqual([boot.id])
  })

  test('waits for its volumes, and takes away the cards that were made for it', async () => {
    const { server, boot } = await withTwoVolumes()
    await ground.create({ networks: [{ id: 'n1', mac: '52:54:00:12:34:56' }] })
    const [port] = ground.neutron.ports.values()
    Object.assign(port!, { device_id: server.id, device_owner: 'compute:nova' })
    ground.neutron.add({ device_id: server.id, description: 'mine' })
    await ground.instances.delete(ground.member, server.id, null)
    ground.nova.servers.delete(server.id)
    ground.cinder.volumes.delete(boot.id)
    await ground.runTask()
    expect(ground.indexed(server.id)).toBeUndefined()
    expect([...ground.neutron.ports.values()].map(({ description }) => description)).toEqual(['mine'])
  })
})

describe('volumes of an instance', () => {
  test('one is attached, and its device told before it is there', async () => {
    const server = await ground.add()
    const { id } = ground.cinder.add({ name: 'data' })
    await ground.engine.refresh(volumeReader, id)
    const row = await ground.instances.attachVolume(ground.member, server.id, id, true)
    expect(row.volumes).toMatchObject([
      { id, name: 'data', device: 'vdb', boot_index: null, delete_on_termination: true },
    ])
    expect(ground.index.get(`volume/${id}`)).toMatchObject({ status: 'attaching' })
    expect(await refusal(ground.instances.attachVolume(ground.member, server.id, id, true))).toMatchObject({
      code: 'volume_in_use',
      fields: { volume_id: [expect.any(String)] },
    })
    ground.nova.attach(server, id, '/dev/vdb')
    await ground.runTask()
    expect(ground.index.get(`volume/${id}`)).toMatchObject({ status: 'in-use' })
  })

  test('one is detached, but not the one that it boots from', async () => {
    const server = ground.nova.add()
    const [boot, data] = [ground.cinder.add({}), ground.cinder.add({})]
    ground.nova.attach(server, boot.id, '/dev/vda')
    ground.nova.attach(server, data.id, '/dev/vdb')
    await ground.engine.refresh(instanceReader, server.id)
    for (const { id } of [boot, data]) await ground.engine.refresh(volumeReader, id)
    expect(await refusal(ground.instances.detachVolume(ground.member, server.id, boot.id))).toMatchObject({
      code: 'volume_in_use',
    })
    await ground.instances.detachVolume(ground.member, server.id, data.id)
    expect(ground.index.get(`volume/${data.id}`)).toMatchObject({ status: 'detaching' })
    Object.assign(data, { status: 'in-use' })
    await expect(ground.runTask()).rejects.toMatchObject({ code: 'guest_busy' })
  })
})

test('cards come and go; one with a chosen address is made first, and taken away last', async () => {
  const server = await ground.add()
  ground.cloud.on('compute', 'POST', '/servers/:id/os-interface', ({ body }) => {
    const { port_id, net_id } = (body as { interfaceAttachment: { port_id?: string; net_id?: string } })
      .interfaceAttachment
    const port = port_id ? ground.neutron.ports.get(port_id)! : ground.neutron.add({ network_id: net_id! })
    Object.assign(port, { device_id: server.id, device_owner: 'compute:nova' })
    return { body: {} }
  })
  ground.cloud.on('compute', 'DELETE', '/servers/:id/os-interface/:port', ({ params }) => {
    Object.assign(ground.neutron.ports.get(params['port']!)!, { device_id: '' })
    return { status: 202 }
  })
  await ground.interfaces.attach(ground.member, server.id, { id: 'n1', fixed_ips: [], mac: null })
  const two = { id: 'n1', fixed_ips: [{ ip_address: '10.0.0.99' }], mac: null }
  const { network_data } = await ground.interfaces.attach(ground.member, server.id, two)
  expect(network_data.map((card) => card.fixed_ips[0]!.ip_address)).toEqual(['10.0.0.10', '10.0.0.99'])
  const chosen = network_data[1]!.port_id
  await ground.interfaces.detach(ground.member, server.id, chosen)
  await ground.runTask()
  expect(ground.neutron.ports.has(chosen)).toBe(false)
  expect(ground.indexed(server.id)!.network_data).toHaveLength(1)
  expect(await refusal(ground.interfaces.detach(ground.member, server.id, chosen))).toMatchObject({
    code: 'not_found',
  })
})

test('name, description, tags and metadata change at once', async () => {
  const { id } = await ground.add()
  expect(await ground.instances.update(ground.member, id, { name: 'after', description: 'New' })).toMatchObject({
    ...{ name: 'after', description: 'New' },
  })
  expect(await refusal(ground.instances.update(ground.member, id, { ha_enabled: true }))).toMatchObject({
    code: 'unsupported',
  })
  expect((await ground.instances.setTag(ground.member, id, 'red & blue')).tags).toEqual(['red & blue'])
  expect((await ground.instances.removeTag(ground.member, id, 'red & blue')).tags).toEqual([])
  expect(await refusal(ground.instances.removeTag(ground.member, id, 'red'))).toMatchObject({ code: 'not_found' })
  const words = Object.fromEntries(Array.from({ length: 129 }, (_, at) => [`w${at}`, 'x']))
  expect(await refusal(ground.instances.setMetadata(ground.member, id, words))).toMatchObject({
    code: 'quota_exceeded',
  })
})

test("another project's instance is answered like none, and the cloud is not asked", async () => {
  const { id } = await ground.add()
  const before = ground.cloud.received.length
  const calls = [
    ground.instances.start(ground.stranger, id),
    ground.instances.delete(ground.stranger, id, null),
    ground.instances.cancelStop(ground.stranger, id),
    ground.instances.setTag(ground.stranger, id, 'seen'),
    ground.instances.openConsole(ground.stranger, id, 'vnc'),
    ground.instances.consoleLog(ground.stranger, id, 100),
    ground.instances.stat(ground.stranger, id),
    ground.instances.resetState(ground.stranger, id, null),
    ground.instances.shelve(ground.stranger, id),
    ground.instances.rescue(ground.stranger, id, null),
    ground.instances.setPassword(ground.stranger, id, new Secret('a long one')),
  ]
  for (const call of calls) expect(await refusal(call)).toMatchObject({ code: 'not_found' })
  expect(ground.cloud.received).toHaveLength(before)
})
