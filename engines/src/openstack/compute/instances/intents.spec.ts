import { GiB } from '@mainstay/contract/core/bytes'
import { VolumeDraft } from '@mainstay/contract/storage/volumes'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { refusal } from '../../../conformance/cloud'
import { volumeCommands } from '../../storage/volumes/commands'
import { startComputeFixture, type ComputeFixture } from '../../testing/compute-fixture'
import { serverRefusal } from '../../testing/fake-cloud/servers'
import { instanceReader } from './reader'

let fixture: ComputeFixture
beforeEach(async () => {
  fixture = await startComputeFixture()
})
afterEach(() => fixture.close())

const task = 'OS-EXT-STS:task_state'
const down = () => serverRefusal(503, 'serviceUnavailable', 'The service is not there')
/** Simulates a server that dies, or loses its database, before the cloud receives the command. */
function diesBefore(verb: string, path: string): void {
  fixture.cloud.on('compute', verb, path, () => {
    fixture.intents.isCutOff = true
    return down()
  })
}
/** Simulates a server that dies after the cloud has accepted the command, but before recording it. */
const diesAfterwards = () => (fixture.intents.isCutOff = true)
const card = { id: 'n1', fixed_ips: [{ ip_address: '10.0.0.40' }] }
const nothingDone = 'The server stopped before the cloud accepted the command. Nothing was done. Try again.'

test('stores an intent before sending, and replaces it with the task', async () => {
  const { id } = await fixture.add()
  let written = 0
  fixture.cloud.on('compute', 'POST', '/servers/:id/action', () => {
    written = fixture.intents.open.size
    return { status: 202 }
  })
  await fixture.instances.resize(fixture.member, id, 'f2', { restart: true })
  expect(written).toBe(1)
  expect(fixture.intents.open.size).toBe(0)
  expect(fixture.begun).toMatchObject([{ name: 'compute.server.resize', subject: { id }, serial: false }])
})

test('leaves no intent and no task behind when the cloud rejects the command', async () => {
  const { id } = await fixture.add()
  fixture.cloud.on('compute', 'POST', '/servers/:id/action', () => serverRefusal(409, 'conflictingRequest', 'No'))
  await refusal(fixture.instances.resize(fixture.member, id, 'f2', { restart: true }))
  expect([fixture.intents.open.size, fixture.begun.length]).toEqual([0, 0])
})

test('resolves a command with an unknown outcome without reporting the failure twice', async () => {
  const { id } = await fixture.add({ status: 'SHUTOFF' })
  fixture.cloud.on('compute', 'POST', '/servers/:id/action', down)
  expect(await refusal(fixture.instances.start(fixture.member, id))).toMatchObject({ code: 'engine_unavailable' })
  expect(await fixture.runIntent()).toBeNull()
  expect(fixture.begun).toEqual([])
})

describe('a server that dies before sending', () => {
  test('fails the resize task and keeps the flavor', async () => {
    const { id } = await fixture.add()
    diesBefore('POST', '/servers/:id/action')
    await refusal(fixture.instances.resize(fixture.member, id, 'f2', { restart: true }))
    await expect(fixture.runIntent()).rejects.toThrow(nothingDone)
    expect(fixture.begun).toEqual([])
  })

  test('keeps the instance, and restores the flags of its volumes', async () => {
    const { id: volume } = fixture.cinder.add({})
    const server = await fixture.add()
    fixture.nova.attach(server, volume, '/dev/vdb')
    await fixture.engine.refresh(instanceReader, server.id)
    const fates: unknown[] = []
    fixture.cloud.on('compute', 'PUT', '/servers/:id/os-volume_attachments/:volume', ({ body }) => {
      fates.push(
        (body as { volumeAttachment: { delete_on_termination: boolean } }).volumeAttachment.delete_on_termination,
      )
      // the server dies before it can restore the flag
      return fates.length === 2 ? down() : { status: 202 }
    })
    diesBefore('DELETE', '/servers/:id')
    await refusal(fixture.instances.delete(fixture.member, server.id, [volume]))
    await expect(fixture.runIntent()).rejects.toThrow(nothingDone)
    expect(fates).toEqual([true, false, false])
  })

  test('deletes the ports created for a new instance', async () => {
    const { neutron } = fixture
    diesBefore('POST', '/servers')
    // the server cannot delete them itself
    fixture.cloud.on('network', 'DELETE', '/ports/:id', down)
    await refusal(fixture.create({ networks: [card] }))
    expect(neutron.ports.size).toBe(1)
    fixture.cloud.on('network', 'DELETE', '/ports/:id', ({ params }) => {
      neutron.ports.delete(params['id']!)
      return { status: 204 }
    })
    await expect(fixture.runIntent()).rejects.toThrow(nothingDone)
    expect(neutron.ports.size).toBe(0)
    expect(fixture.begun).toEqual([])
  })
})

describe('a server that dies after sending', () => {
  test('tracks and confirms a resize', async () => {
    const server = await fixture.add()
    diesAfterwards()
    await fixture.instances.resize(fixture.member, server.id, 'f2', { restart: true })
    expect(fixture.begun).toEqual([])
    expect(await fixture.runIntent()).toBeNull()
    expect(fixture.begun).toMatchObject([
      { name: 'compute.server.resize', subject: { id: server.id }, args: { flavor: 'm1.tiny', until: 'settled' } },
    ])
    Object.assign(server, { status: 'VERIFY_RESIZE', [task]: null })
    server['flavor'] = { original_name: 'm1.tiny', vcpus: 1, ram: 128, extra_specs: {} }
    await fixture.runTask()
    expect(fixture.nova.actionsOf(server.id)).toContainEqual({ confirmResize: null })
  })

  test('tracks a deletion and deletes the ports created for the instance', async () => {
    const [made] = await fixture.create({ networks: [card] })
    const [port] = fixture.neutron.ports.values()
    port!.device_id = made!.id
    fixture.nova.task(fixture.nova.servers.get(made!.id)!, null)
    Object.assign(fixture.nova.servers.get(made!.id)!, { status: 'ACTIVE' })
    await fixture.engine.refresh(instanceReader, made!.id)
    diesAfterwards()
    await fixture.instances.delete(fixture.member, made!.id, null)
    await fixture.runIntent()
    expect(fixture.begun.at(-1)).toMatchObject({ name: 'compute.server.delete', args: { ports: [port!.id] } })
    fixture.nova.servers.delete(made!.id)
    await fixture.runTask()
    expect(fixture.neutron.ports.size).toBe(0)
  })

  test('finds created instances by their tag, tracks them and removes the tag', async () => {
    diesAfterwards()
    const made = await fixture.create({ count: 2, tags: ['blue'] })
    expect(made[0]!.tags).toEqual(['blue'])
    await fixture.runIntent()
    expect(fixture.begun.map(({ subject }) => subject.id).toSorted()).toEqual(made.map(({ id }) => id).toSorted())
    const server = fixture.nova.servers.get(fixture.begun.at(-1)!.subject.id)!
    expect(server.tags).toHaveLength(2)
    Object.assign(server, { status: 'ACTIVE', [task]: null })
    await fixture.runTask()
    expect(server.tags).toEqual(['blue'])
  })

  test('finds a created volume and tracks it', async () => {
    const volumes = volumeCommands(fixture.engine)
    diesAfterwards()
    const made = await volumes.create(fixture.member, VolumeDraft.parse({ name: 'data', size: GiB, bootable: true }))
    await fixture.runIntent()
    expect(fixture.begun).toMatchObject([{ name: 'compute.volume.create', subject: { id: made.id, name: 'data' } }])
  })
})

test('creates an instance that has the maximum number of tags', async () => {
  const tags = Array.from({ length: 50 }, (_, n) => `tag-${n}`)
  await fixture.create({ tags })
  expect(fixture.makings()[0]!.server['tags']).toEqual(tags)
})
