import { GiB } from '@mainstay/contract/core/bytes'
import { VolumeDraft } from '@mainstay/contract/storage/volumes'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { refusal } from '../../../conformance/cloud'
import { volumeCommands } from '../../storage/volumes/commands'
import { startComputeGround, type ComputeGround } from '../../testing/compute-ground'
import { serverRefusal } from '../../testing/pretended-servers'
import { instanceReader } from './reader'

let ground: ComputeGround
beforeEach(async () => {
  ground = await startComputeGround()
})
afterEach(() => ground.close())

const task = 'OS-EXT-STS:task_state'
const down = () => serverRefusal(503, 'serviceUnavailable', 'The service is not there')
/** The server dies, or its database goes away, before the command has left. */
function diesBefore(verb: string, path: string): void {
  ground.cloud.on('compute', verb, path, () => {
    ground.intents.isCutOff = true
    return down()
  })
}
/** The cloud takes the command, and the server dies before it can write that down. */
const diesAfterwards = () => (ground.intents.isCutOff = true)
const card = { id: 'n1', fixed_ips: [{ ip_address: '10.0.0.40' }] }
const nothingDone = 'The server stopped before the cloud took this; nothing was done. Start it anew'

test('what is meant is written down before it is sent, and makes way for the task that follows', async () => {
  const { id } = await ground.add()
  let written = 0
  ground.cloud.on('compute', 'POST', '/servers/:id/action', () => {
    written = ground.intents.open.size
    return { status: 202 }
  })
  await ground.instances.resize(ground.member, id, 'f2', { restart: true })
  expect(written).toBe(1)
  expect(ground.intents.open.size).toBe(0)
  expect(ground.begun).toMatchObject([{ name: 'compute.server.resize', subject: { id }, serial: false }])
})

test('what the cloud refuses leaves no intent and no task', async () => {
  const { id } = await ground.add()
  ground.cloud.on('compute', 'POST', '/servers/:id/action', () => serverRefusal(409, 'conflictingRequest', 'No'))
  await refusal(ground.instances.resize(ground.member, id, 'f2', { restart: true }))
  expect([ground.intents.open.size, ground.begun.length]).toEqual([0, 0])
})

test('what nobody knows the fate of is found out, and who was told of the failure is not told again', async () => {
  const { id } = await ground.add({ status: 'SHUTOFF' })
  ground.cloud.on('compute', 'POST', '/servers/:id/action', down)
  expect(await refusal(ground.instances.start(ground.member, id))).toMatchObject({ code: 'engine_unavailable' })
  expect(await ground.runIntent()).toBeNull()
  expect(ground.begun).toEqual([])
})

describe('a server that dies before it has sent', () => {
  test('a resize leaves a failed task, and the flavor as it was', async () => {
    const { id } = await ground.add()
    diesBefore('POST', '/servers/:id/action')
    await refusal(ground.instances.resize(ground.member, id, 'f2', { restart: true }))
    await expect(ground.runIntent()).rejects.toThrow(nothingDone)
    expect(ground.begun).toEqual([])
  })

  test('a deletion leaves the instance, and its volumes with the fate that they had', async () => {
    const { id: volume } = ground.cinder.add({})
    const server = await ground.add()
    ground.nova.attach(server, volume, '/dev/vdb')
    await ground.engine.refresh(instanceReader, server.id)
    const fates: unknown[] = []
    ground.cloud.on('compute', 'PUT', '/servers/:id/os-volume_attachments/:volume', ({ body }) => {
      fates.push(
        (body as { volumeAttachment: { delete_on_termination: boolean } }).volumeAttachment.delete_on_termination,
      )
      // the server is gone when the fate would be put back
      return fates.length === 2 ? down() : { status: 202 }
    })
    diesBefore('DELETE', '/servers/:id')
    await refusal(ground.instances.delete(ground.member, server.id, [volume]))
    await expect(ground.runIntent()).rejects.toThrow(nothingDone)
    expect(fates).toEqual([true, false, false])
  })

  test('a creation takes back the cards that were made beforehand', async () => {
    const { neutron } = ground
    diesBefore('POST', '/servers')
    // nor could it take them back itself
    ground.cloud.on('network', 'DELETE', '/ports/:id', down)
    await refusal(ground.create({ networks: [card] }))
    expect(neutron.ports.size).toBe(1)
    ground.cloud.on('network', 'DELETE', '/ports/:id', ({ params }) => {
      neutron.ports.delete(params['id']!)
      return { status: 204 }
    })
    await expect(ground.runIntent()).rejects.toThrow(nothingDone)
    expect(neutron.ports.size).toBe(0)
    expect(ground.begun).toEqual([])
  })
})

describe('a server that dies after it has sent', () => {
  test('a resize is followed and confirmed', async () => {
    const server = await ground.add()
    diesAfterwards()
    await ground.instances.resize(ground.member, server.id, 'f2', { restart: true })
    expect(ground.begun).toEqual([])
    expect(await ground.runIntent()).toBeNull()
    expect(ground.begun).toMatchObject([
      { name: 'compute.server.resize', subject: { id: server.id }, args: { flavor: 'm1.tiny', until: 'settled' } },
    ])
    Object.assign(server, { status: 'VERIFY_RESIZE', [task]: null })
    server['flavor'] = { original_name: 'm1.tiny', vcpus: 1, ram: 128, extra_specs: {} }
    await ground.runTask()
    expect(ground.nova.actionsOf(server.id)).toContainEqual({ confirmResize: null })
  })

  test('a deletion is followed, and the cards that were made for it are deleted', async () => {
    const [made] = await ground.create({ networks: [card] })
    const [port] = ground.neutron.ports.values()
    port!.device_id = made!.id
    ground.nova.task(ground.nova.servers.get(made!.id)!, null)
    Object.assign(ground.nova.servers.get(made!.id)!, { status: 'ACTIVE' })
    await ground.engine.refresh(instanceReader, made!.id)
    diesAfterwards()
    await ground.instances.delete(ground.member, made!.id, null)
    await ground.runIntent()
    expect(ground.begun.at(-1)).toMatchObject({ name: 'compute.server.delete', args: { ports: [port!.id] } })
    ground.nova.servers.delete(made!.id)
    await ground.runTask()
    expect(ground.neutron.ports.size).toBe(0)
  })

  test('what it created is found by its mark and followed, and the mark is taken away', async () => {
    diesAfterwards()
    const made = await ground.create({ count: 2, tags: ['blue'] })
    expect(made[0]!.tags).toEqual(['blue'])
    await ground.runIntent()
    expect(ground.begun.map(({ subject }) => subject.id).toSorted()).toEqual(made.map(({ id }) => id).toSorted())
    const server = ground.nova.servers.get(ground.begun.at(-1)!.subject.id)!
    expect(server.tags).toHaveLength(2)
    Object.assign(server, { status: 'ACTIVE', [task]: null })
    await ground.runTask()
    expect(server.tags).toEqual(['blue'])
  })

  test('what it did to a volume is followed as well, and one that it made is found', async () => {
    const volumes = volumeCommands(ground.engine)
    diesAfterwards()
    const made = await volumes.create(ground.member, VolumeDraft.parse({ name: 'data', size: GiB, bootable: true }))
    await ground.runIntent()
    expect(ground.begun).toMatchObject([{ name: 'compute.volume.create', subject: { id: made.id, name: 'data' } }])
  })
})

test('who has as many tags as there may be gets their instance as well', async () => {
  const tags = Array.from({ length: 50 }, (_, n) => `tag-${n}`)
  await ground.create({ tags })
  expect(ground.makings()[0]!.server['tags']).toEqual(tags)
})
