import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { refusal } from '../../../conformance/cloud'
import { Secret } from '../../../ports/secret'
import { volumeReader } from '../../storage/volumes/shape'
import { startComputeFixture, type ComputeFixture } from '../../testing/compute-fixture'
import { serverRefusal, volumesOf, type FakeServer } from '../../testing/fake-cloud/servers'
import { instanceReader } from './reader'

let fixture: ComputeFixture
beforeEach(async () => {
  fixture = await startComputeFixture()
})
afterEach(() => fixture.close())

describe('deleting instances', () => {
  async function withTwoVolumes() {
    const server = fixture.nova.add()
    const [boot, data] = [fixture.cinder.add({ name: 'boot' }), fixture.cinder.add({ name: 'data' })]
    fixture.nova.attach(server, boot.id, '/dev/vda', true)
    fixture.nova.attach(server, data.id, '/dev/vdb', false)
    await fixture.engine.refresh(instanceReader, server.id)
    return { server, boot, data }
  }
  const doomed = (server: FakeServer) =>
    volumesOf(server).flatMap((volume) => (volume.delete_on_termination ? [volume.id] : []))

  test('deletes the flagged volumes, or exactly the given ones', async () => {
    const first = await withTwoVolumes()
    expect(await fixture.instances.delete(fixture.member, first.server.id, null)).toMatchObject({
      task_state: 'deleting',
    })
    expect(doomed(first.server)).toEqual([first.boot.id])
    const second = await withTwoVolumes()
    await fixture.instances.delete(fixture.member, second.server.id, [second.data.id])
    expect(doomed(second.server)).toEqual([second.data.id])
    expect(fixture.begun.at(-1)).toMatchObject({
      name: 'compute.server.delete',
      args: { until: 'gone', volumes: [second.boot.id, second.data.id] },
    })
    const other = await withTwoVolumes()
    expect(await refusal(fixture.instances.delete(fixture.member, other.server.id, [first.boot.id]))).toMatchObject({
      fields: { delete_volumes: [expect.any(String)] },
    })
  })

  test('restores the flags of the volumes when the deletion is refused', async () => {
    const { server, boot } = await withTwoVolumes()
    fixture.cloud.on('compute', 'DELETE', '/servers/:id', () =>
      serverRefusal(403, 'forbidden', 'It is locked by policy'),
    )
    expect(await refusal(fixture.instances.delete(fixture.member, server.id, []))).toMatchObject({ code: 'forbidden' })
    expect(doomed(server)).toEqual([boot.id])
  })

  test('waits for the volumes and deletes the ports created for the instance', async () => {
    const { server, boot } = await withTwoVolumes()
    await fixture.create({ networks: [{ id: 'n1', mac: '52:54:00:12:34:56' }] })
    const [port] = fixture.neutron.ports.values()
    Object.assign(port!, { device_id: server.id, device_owner: 'compute:nova' })
    fixture.neutron.add({ device_id: server.id, description: 'mine' })
    await fixture.instances.delete(fixture.member, server.id, null)
    fixture.nova.servers.delete(server.id)
    fixture.cinder.volumes.delete(boot.id)
    await fixture.runTask()
    expect(fixture.indexed(server.id)).toBeUndefined()
    expect([...fixture.neutron.ports.values()].map(({ description }) => description)).toEqual(['mine'])
  })
})

describe('volumes of an instance', () => {
  test('attaches a volume, and shows its device before the cloud has attached it', async () => {
    const server = await fixture.add()
    const { id } = fixture.cinder.add({ name: 'data' })
    await fixture.engine.refresh(volumeReader, id)
    const row = await fixture.instances.attachVolume(fixture.member, server.id, id, true)
    expect(row.volumes).toMatchObject([
      { id, name: 'data', device: 'vdb', boot_index: null, delete_on_termination: true },
    ])
    expect(fixture.index.get(`volume/${id}`)).toMatchObject({ status: 'attaching' })
    expect(await refusal(fixture.instances.attachVolume(fixture.member, server.id, id, true))).toMatchObject({
      code: 'volume_in_use',
      fields: { volume_id: [expect.any(String)] },
    })
    fixture.nova.attach(server, id, '/dev/vdb')
    await fixture.runTask()
    expect(fixture.index.get(`volume/${id}`)).toMatchObject({ status: 'in-use' })
  })

  test('detaches a volume, but not the boot volume', async () => {
    const server = fixture.nova.add()
    const [boot, data] = [fixture.cinder.add({}), fixture.cinder.add({})]
    fixture.nova.attach(server, boot.id, '/dev/vda')
    fixture.nova.attach(server, data.id, '/dev/vdb')
    await fixture.engine.refresh(instanceReader, server.id)
    for (const { id } of [boot, data]) await fixture.engine.refresh(volumeReader, id)
    expect(await refusal(fixture.instances.detachVolume(fixture.member, server.id, boot.id))).toMatchObject({
      code: 'volume_in_use',
    })
    await fixture.instances.detachVolume(fixture.member, server.id, data.id)
    expect(fixture.index.get(`volume/${data.id}`)).toMatchObject({ status: 'detaching' })
    Object.assign(data, { status: 'in-use' })
    await expect(fixture.runTask()).rejects.toMatchObject({ code: 'guest_busy' })
  })
})

test('attaches and detaches interfaces, and creates and deletes a port for a chosen address', async () => {
  const server = await fixture.add()
  fixture.cloud.on('compute', 'POST', '/servers/:id/os-interface', ({ body }) => {
    const { port_id, net_id } = (body as { interfaceAttachment: { port_id?: string; net_id?: string } })
      .interfaceAttachment
    const port = port_id ? fixture.neutron.ports.get(port_id)! : fixture.neutron.add({ network_id: net_id! })
    Object.assign(port, { device_id: server.id, device_owner: 'compute:nova' })
    return { body: {} }
  })
  fixture.cloud.on('compute', 'DELETE', '/servers/:id/os-interface/:port', ({ params }) => {
    Object.assign(fixture.neutron.ports.get(params['port']!)!, { device_id: '' })
    return { status: 202 }
  })
  await fixture.interfaces.attach(fixture.member, server.id, { id: 'n1', fixed_ips: [], mac: null })
  const two = { id: 'n1', fixed_ips: [{ ip_address: '10.0.0.99' }], mac: null }
  const { network_data } = await fixture.interfaces.attach(fixture.member, server.id, two)
  expect(network_data.map((card) => card.fixed_ips[0]!.ip_address)).toEqual(['10.0.0.10', '10.0.0.99'])
  const chosen = network_data[1]!.port_id
  await fixture.interfaces.detach(fixture.member, server.id, chosen)
  await fixture.runTask()
  expect(fixture.neutron.ports.has(chosen)).toBe(false)
  expect(fixture.indexed(server.id)!.network_data).toHaveLength(1)
  expect(await refusal(fixture.interfaces.detach(fixture.member, server.id, chosen))).toMatchObject({
    code: 'not_found',
  })
})

test('changes name, description, tags and metadata immediately', async () => {
  const { id } = await fixture.add()
  expect(await fixture.instances.update(fixture.member, id, { name: 'after', description: 'New' })).toMatchObject({
    ...{ name: 'after', description: 'New' },
  })
  expect(await refusal(fixture.instances.update(fixture.member, id, { ha_enabled: true }))).toMatchObject({
    code: 'unsupported',
  })
  expect((await fixture.instances.setTag(fixture.member, id, 'red & blue')).tags).toEqual(['red & blue'])
  expect((await fixture.instances.removeTag(fixture.member, id, 'red & blue')).tags).toEqual([])
  expect(await refusal(fixture.instances.removeTag(fixture.member, id, 'red'))).toMatchObject({ code: 'not_found' })
  const words = Object.fromEntries(Array.from({ length: 129 }, (_, at) => [`w${at}`, 'x']))
  expect(await refusal(fixture.instances.setMetadata(fixture.member, id, words))).toMatchObject({
    code: 'quota_exceeded',
  })
})

test('returns not_found for instances in other projects, without calling the cloud', async () => {
  const { id } = await fixture.add()
  const before = fixture.cloud.received.length
  const calls = [
    fixture.instances.start(fixture.stranger, id),
    fixture.instances.delete(fixture.stranger, id, null),
    fixture.instances.cancelStop(fixture.stranger, id),
    fixture.instances.setTag(fixture.stranger, id, 'seen'),
    fixture.instances.openConsole(fixture.stranger, id, 'vnc'),
    fixture.instances.consoleLog(fixture.stranger, id, 100),
    fixture.instances.stat(fixture.stranger, id),
    fixture.instances.resetState(fixture.stranger, id, null),
    fixture.instances.shelve(fixture.stranger, id),
    fixture.instances.rescue(fixture.stranger, id, null),
    fixture.instances.setPassword(fixture.stranger, id, new Secret('a long one')),
  ]
  for (const call of calls) expect(await refusal(call)).toMatchObject({ code: 'not_found' })
  expect(fixture.cloud.received).toHaveLength(before)
})
