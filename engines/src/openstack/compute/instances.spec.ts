import { Instance, InstanceDraft } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type * as z from 'zod'
import { refusal } from '../../conformance/cloud'
import type { InstancesPort } from '../../ports/compute'
import { Secret } from '../../ports/secret'
import { volumeReader } from '../storage/volumes-shape'
import { startEngineGround, type EngineGround } from '../testing/engine-ground'
import { pretendImages, type PretendedImages } from '../testing/pretended-images'
import { pretendNetworks, type PretendedNetworks } from '../testing/pretended-networks'
import {
  pretendServers,
  serverRefusal,
  volumesOf,
  type PretendedServer,
  type PretendedServers,
} from '../testing/pretended-servers'
import { pretendVolumes, type PretendedVolumes } from '../testing/pretended-volumes'
import { instanceCommands } from './instances'
import { instanceReader } from './instances-reader'

let ground: EngineGround
let nova: PretendedServers
let cinder: PretendedVolumes
let glance: PretendedImages
let neutron: PretendedNetworks
let instances: InstancesPort

beforeEach(async () => {
  ground = await startEngineGround([instanceReader, volumeReader])
  cinder = pretendVolumes(ground.cloud)
  glance = pretendImages(ground.cloud)
  neutron = pretendNetworks(ground.cloud)
  nova = pretendServers(ground.cloud, cinder)
  instances = instanceCommands(ground.engine)
})
afterEach(() => ground.close())

/** A server that the index knows, as if made by another client. */
async function add(server: Partial<PretendedServer> = {}): Promise<PretendedServer> {
  const made = nova.add(server)
  await ground.engine.refresh(instanceReader, made.id)
  return made
}
const indexed = (id: string) => ground.index.get(`server/${id}`) as Instance | undefined
const image = () => glance.add({ name: 'tiny', status: 'active', disk_format: 'raw', size: GiB })
const draft = (change: Partial<z.input<typeof InstanceDraft>> = {}) =>
  InstanceDraft.parse({
    name: 'web',
    flavor: 'f1',
    volumes: [{ source: 'image', id: image().id, size: GiB }],
    networks: [{ id: 'n1' }],
    ...change,
  })
const create = (change: Parameters<typeof draft>[0] = {}) => instances.create(ground.member, draft(change))
const sent = () =>
  (
    ground.cloud.received.find(({ verb, path }) => verb === 'POST' && path === '/servers')!.body as {
      server: Record<string, unknown>
    }
  ).server
async function allRows(): Promise<Instance[]> {
  const rows: Instance[] = []
  for await (const page of instanceReader.all(ground.engine.reading)) rows.push(...page)
  return rows
}
const serverCalls = () => ground.cloud.received.filter(({ verb, path }) => verb === 'POST' && path === '/servers')

describe('a new instance', () => {
  test('is told of at once, in BUILD, and followed by a task', async () => {
    const [made] = await create({ description: 'The first', tags: ['blue'], metadata: { role: 'web' } })
    expect(made).toEqual(Instance.parse(made))
    expect(made).toMatchObject({
      ...{ name: 'web', description: 'The first', status: 'BUILD', task_state: 'scheduling', tags: ['blue'] },
      flavor: { id: 'f1', original_name: 'm1.nano', vcpus: 1, ram: 64 },
      ...{ metadata: { role: 'web' }, project_id: 'p-demo', user_id: 'u-demo', ha_enabled: false },
    })
    expect(indexed(made!.id)).toEqual(made)
    expect(ground.begun).toMatchObject([{ name: 'compute.server.create', subject: { kind: 'server', id: made!.id } }])
    expect(serverCalls()[0]).toMatchObject({ token: { user: { name: 'demo' } } })
  })

  test('gets its disks in the order in which it boots from them, sizes in GiB', async () => {
    const disc = glance.add({ status: 'active', disk_format: 'iso', size: GiB + 1 })
    const existing = cinder.add({})
    const volumes = [
      { source: 'iso' as const, id: disc.id, boot_index: 0 },
      { source: 'blank' as const, size: 3 * GiB, boot_index: 7 },
      { source: 'volume' as const, id: existing.id },
    ]
    await create({ volumes })
    expect(sent()['block_device_mapping_v2']).toEqual([
      {
        ...{ source_type: 'image', uuid: disc.id, volume_size: 2, device_type: 'cdrom', boot_index: 0 },
        ...{ destination_type: 'volume', delete_on_termination: true },
      },
      {
        ...{ source_type: 'blank', volume_size: 3, boot_index: 1 },
        ...{ destination_type: 'volume', delete_on_termination: true },
      },
      {
        ...{ source_type: 'volume', uuid: existing.id, boot_index: -1 },
        ...{ destination_type: 'volume', delete_on_termination: false },
      },
    ])
  })

  test('several of one call are numbered, and answered in that order', async () => {
    const made = await create({ name: 'many', count: 3 })
    expect(made.map(({ name }) => name)).toEqual(['many-1', 'many-2', 'many-3'])
    expect(sent()).toMatchObject({ min_count: 3, max_count: 3, return_reservation_id: true })
    expect(ground.begun).toHaveLength(3)
  })

  test('without a network reads its script from a drive', async () => {
    await create({ networks: [], user_data: 'IyEv\nYmlu' })
    expect(sent()).toMatchObject({ networks: 'none', user_data: 'IyEvYmlu', config_drive: true })
  })

  test('a chosen address is taken before anything else is made, and goes with what was refused', async () => {
    const networks = (ip_address: string) => [{ id: 'n1', fixed_ips: [{ ip_address }], mac: '52:54:00:12:34:56' }]
    await create({ networks: networks('10.0.0.77') })
    const [port] = neutron.ports.values()
    expect(port).toMatchObject({ mac_address: '52:54:00:12:34:56', project_id: 'p-demo' })
    expect(sent()['networks']).toEqual([{ port: port!.id }])
    expect(await refusal(create({ networks: networks('10.0.0.77') }))).toMatchObject({
      code: 'ip_address_in_use',
      fields: { 'networks.0.fixed_ips': [expect.any(String)] },
    })
    expect(await refusal(create({ networks: networks('192.0.2.7') }))).toMatchObject({
      code: 'validation',
      fields: { 'networks.0.fixed_ips': [expect.any(String)] },
    })
    ground.cloud.on('compute', 'POST', '/servers', () => serverRefusal(400, 'badRequest', 'Not this one'))
    expect(await refusal(create({ networks: networks('10.0.0.78') }))).toMatchObject({ code: 'validation' })
    expect([...neutron.ports.values()].map(({ id }) => id)).toEqual([port!.id])
  })

  test('gives names to the volumes that the cloud made for it', async () => {
    const [made] = await create()
    const server = nova.servers.get(made!.id)!
    const { id } = cinder.add({ name: '', size: 1 })
    nova.attach(server, id, '/dev/vda', true)
    Object.assign(server, { status: 'ACTIVE' })
    nova.task(server, null)
    await ground.runTask()
    expect(cinder.volumes.get(id)).toMatchObject({ name: 'web-boot' })
    expect(indexed(made!.id)).toMatchObject({
      volumes: [{ id, name: 'web-boot', size: GiB, boot_index: 0, device: 'vda', delete_on_termination: true }],
    })
  })

  test.each([
    ['flavor', { flavor: 'no-such-flavor' }],
    ['key_name', { key_name: 'no-such-key' }],
    ['networks.0.id', { networks: [{ id: 'no-such-network' }] }],
    ['volumes.0.id', { volumes: [{ source: 'image' as const, id: 'no-such-image', size: GiB }] }],
    ['volumes.0.id', { volumes: [{ source: 'volume' as const, id: 'no-such-volume', boot_index: 0 }] }],
  ])('what a draft names and is not there is refused at %s, and nothing is made', async (field, change) => {
    expect(await refusal(create(change))).toMatchObject({ fields: { [field]: [expect.any(String)] } })
    expect([serverCalls(), [...neutron.ports]]).toEqual([[], []])
  })

  test('what does not fit is refused at its field', async () => {
    const disc = glance.add({ status: 'active', disk_format: 'iso', size: GiB })
    const large = glance.add({ status: 'active', disk_format: 'qcow2', virtual_size: 3 * GiB, min_ram: 4096 })
    const from = (id: string, size = 3 * GiB) => ({ volumes: [{ source: 'image' as const, id, size }] })
    expect(await refusal(create(from(disc.id)))).toMatchObject({ fields: { 'volumes.0.id': [expect.any(String)] } })
    expect(await refusal(create(from(large.id, GiB)))).toMatchObject({
      fields: { 'volumes.0.size': ['Use at least 3 GiB for this image'] },
    })
    expect(await refusal(create(from(large.id)))).toMatchObject({ fields: { flavor: [expect.any(String)] } })
    expect(await refusal(create({ count: 2, ...from(image().id, 600 * GiB) }))).toMatchObject({
      code: 'quota_exceeded',
      fields: { volumes: [expect.any(String)] },
      data: { resource: 'storage', limit: 1000 * GiB, used: GiB, requested: 1200 * GiB },
    })
  })
})

describe('a row', () => {
  test('is joined from what stands around the server', async () => {
    const { id } = cinder.add({
      name: 'root',
      size: 2,
      volume_image_metadata: { image_id: 'i1', image_name: 'tiny', os_distro: 'debian', os_admin_user: 'root' },
    })
    const server = nova.add({ tags: ['blue'], 'OS-EXT-STS:task_state': 'a-new-one', status: 'NEWLY' })
    nova.attach(server, id, '/dev/vda', true)
    neutron.add({ device_id: server.id, device_owner: 'compute:nova' })
    neutron.add({ device_id: server.id, device_owner: 'network:dhcp' })
    const [row] = await allRows()
    expect(row).toEqual(Instance.parse(row))
    expect(row).toMatchObject({
      ...{ status: 'UNKNOWN', task_state: null, host: 'node-1', host_status: 'UP' },
      ...{ image_id: 'i1', image_name: 'tiny', os_distro: 'debian', username: 'root' },
      volumes: [{ id, name: 'root', size: 2 * GiB, boot_index: 0, device: 'vda', delete_on_termination: true }],
      networks: [{ id: 'n1', name: 'private' }],
      network_data: [{ network_id: 'n1', network_name: 'private', fixed_ips: [{ ip_address: '10.0.0.10' }] }],
      statistics: { metrics: { block_capacity: 2 * GiB } },
    })
    expect((await instanceReader.some(ground.engine.reading, [server.id, 'gone'])).get(server.id)).toEqual(row)
  })

  test('says why it is in error', async () => {
    const { id } = await add({
      status: 'ERROR',
      fault: { code: 500, message: 'No valid host was found. ', created: '2026-11-21T20:00:03Z' },
    })
    expect(indexed(id)).toMatchObject({ fault: { code: 'no_valid_host', message: 'No valid host was found. ' } })
  })

  test('of what is deleted, also softly, is none', async () => {
    const [deleted, soft] = [nova.add({ status: 'DELETED' }), nova.add({ status: 'SOFT_DELETED' })]
    const found = await instanceReader.some(ground.engine.reading, [deleted.id, soft.id, 'gone'])
    expect([...found.values()]).toEqual([null, null, null])
    expect(await allRows()).toEqual([])
  })

  test('of a server whose cell is down says little, and stays', async () => {
    const { id } = nova.add()
    const bare: Record<string, unknown> = {
      id,
      status: 'UNKNOWN',
      tenant_id: 'p-demo',
      created: '2026-11-21T20:00:00Z',
    }
    nova.servers.set(id, bare as PretendedServer)
    const row = (await instanceReader.some(ground.engine.reading, [id])).get(id)
    expect(row).toMatchObject({ id, status: 'UNKNOWN', volumes: [] })
    expect(row).toEqual(Instance.parse(row))
  })

  test('what changed since then is asked for, what is gone included', async () => {
    const { id } = nova.add()
    const since = new Date('2026-11-21T20:00:00Z')
    expect(await instanceReader.changedSince!(ground.engine.reading, since)).toEqual([id])
    expect(ground.cloud.received.at(-1)!.query.get('changes-since')).toBe(since.toISOString())
  })
})

describe('power', () => {
  test.each([
    ['start', 'SHUTOFF', 'powering-on', { 'os-start': null }],
    ['pause', 'ACTIVE', 'pausing', { pause: null }],
    ['unpause', 'PAUSED', 'unpausing', { unpause: null }],
    ['suspend', 'ACTIVE', 'suspending', { suspend: null }],
    ['resume', 'SUSPENDED', 'resuming', { resume: null }],
  ] as const)('%s is sent by the caller, answered under way, and followed', async (command, status, task, action) => {
    const { id } = await add({ status })
    expect(await instances[command](ground.member, id)).toMatchObject({ id, task_state: task })
    expect(indexed(id)).toMatchObject({ task_state: task })
    expect(nova.actionsOf(id)).toEqual([action])
    expect(ground.begun).toMatchObject([{ name: `compute.server.${command}`, args: { until: 'settled' } }])
  })

  test('switching off waits as long as the cloud does, so it cannot be asked to wait for ever', async () => {
    const { id } = await add()
    const stop = (hard: boolean, timeoutSeconds: number) => instances.stop(ground.member, id, { hard, timeoutSeconds })
    expect(await refusal(stop(false, -1))).toMatchObject({
      code: 'unsupported',
      fields: { timeout: [expect.any(String)] },
    })
    expect(await stop(false, 60)).toMatchObject({ task_state: 'powering-off' })
    expect(await refusal(instances.cancelStop(ground.member, id))).toMatchObject({ code: 'unsupported' })
    expect(nova.actionsOf(id)).toEqual([{ 'os-stop': null }])
  })

  test('a reboot is soft or hard', async () => {
    const [soft, hard] = [await add(), await add({ status: 'ERROR' })]
    expect(await instances.reboot(ground.member, soft.id, { hard: false })).toMatchObject({ status: 'REBOOT' })
    expect(await instances.reboot(ground.member, hard.id, { hard: true })).toMatchObject({
      ...{ status: 'HARD_REBOOT', task_state: 'rebooting_hard' },
    })
  })

  test('what the state does not allow is refused before the cloud is asked, after a second look', async () => {
    const server = await add({ status: 'SHUTOFF' })
    expect(await refusal(instances.pause(ground.member, server.id))).toMatchObject({
      code: 'invalid_state',
      data: { status: 'SHUTOFF' },
    })
    server.status = 'ACTIVE'
    expect(await instances.pause(ground.member, server.id)).toMatchObject({ task_state: 'pausing' })
  })

  test('what the cloud refuses for its state is told in its words, and the row follows', async () => {
    const server = await add()
    nova.task(server, 'image_snapshot')
    expect(await refusal(instances.pause(ground.member, server.id))).toMatchObject({
      code: 'invalid_state',
      message: expect.stringContaining('task_state image_snapshot'),
      data: { service: 'compute', cloud_request_id: expect.stringMatching(/^req-/) },
    })
    expect(indexed(server.id)).toMatchObject({ task_state: 'image_snapshot' })
  })

  test('a reset says what the hypervisor says', async () => {
    const { id } = await add({ status: 'ERROR', 'OS-EXT-STS:power_state': 4 })
    expect(await instances.resetState(ground.operator, id, null)).toMatchObject({ task_state: 'powering-off' })
    expect(await instances.resetState(ground.operator, id, 'error')).toMatchObject({ status: 'ERROR' })
    expect(nova.actionsOf(id)).toEqual([
      { 'os-resetState': { state: 'active' } },
      { 'os-stop': null },
      { 'os-resetState': { state: 'error' } },
    ])
  })
})

describe('a resize', () => {
  test('is confirmed by the task, by the service account, and once', async () => {
    const server = await add({ status: 'SHUTOFF' })
    await instances.resize(ground.member, server.id, 'f2')
    expect(ground.begun).toMatchObject([{ name: 'compute.server.resize', args: { flavor: 'm1.tiny' } }])
    Object.assign(server, { status: 'VERIFY_RESIZE', flavor: { ...server.flavor, original_name: 'm1.tiny', ram: 128 } })
    nova.task(server, null)
    await ground.runTask()
    expect(nova.actionsOf(server.id)).toEqual([{ resize: { flavorRef: 'f2' } }, { confirmResize: null }])
    expect(ground.cloud.received.findLast(({ verb }) => verb === 'POST')).toMatchObject({
      token: { user: { name: 'service' } },
    })
    expect(indexed(server.id)).toMatchObject({ status: 'SHUTOFF', flavor: { id: 'f2', ram: 128 } })
  })

  test('that no node takes fails its task', async () => {
    const server = await add({ status: 'SHUTOFF' })
    await instances.resize(ground.member, server.id, 'f2')
    server.status = 'SHUTOFF'
    nova.task(server, null)
    await expect(ground.runTask()).rejects.toMatchObject({ code: 'no_valid_host' })
  })

  test('to no flavor, or to the same one, is refused at its field', async () => {
    const { id } = await add({ status: 'SHUTOFF' })
    for (const flavor of ['no-such-flavor', 'f1'])
      expect(await refusal(instances.resize(ground.member, id, flavor))).toMatchObject({
        fields: { flavor: [expect.any(String)] },
      })
    expect(nova.actionsOf(id)).toEqual([])
  })
})

describe('deleting', () => {
  async function withTwoVolumes() {
    const server = nova.add()
    const [boot, data] = [cinder.add({ name: 'boot' }), cinder.add({ name: 'data' })]
    nova.attach(server, boot.id, '/dev/vda', true)
    nova.attach(server, data.id, '/dev/vdb', false)
    await ground.engine.refresh(instanceReader, server.id)
    return { server, boot, data }
  }
  const doomed = (server: PretendedServer) =>
    volumesOf(server).flatMap((volume) => (volume.delete_on_termination ? [volume.id] : []))

  test('takes the volumes that are flagged, or those that are named', async () => {
    const first = await withTwoVolumes()
    expect(await instances.delete(ground.member, first.server.id, null)).toMatchObject({ task_state: 'deleting' })
    expect(doomed(first.server)).toEqual([first.boot.id])
    const second = await withTwoVolumes()
    await instances.delete(ground.member, second.server.id, [second.data.id])
    expect(doomed(second.server)).toEqual([second.data.id])
    expect(ground.begun.at(-1)).toMatchObject({
      name: 'compute.server.delete',
      args: { until: 'gone', volumes: [second.data.id] },
    })
    const other = await withTwoVolumes()
    expect(await refusal(instances.delete(ground.member, other.server.id, [first.boot.id]))).toMatchObject({
      fields: { delete_volumes: [expect.any(String)] },
    })
  })

  test('that is refused leaves the volumes as they were flagged', async () => {
    const { server, boot } = await withTwoVolumes()
    ground.cloud.on('compute', 'DELETE', '/servers/:id', () =>
      serverRefusal(403, 'forbidden', 'It is locked by policy'),
    )
    expect(await refusal(instances.delete(ground.member, server.id, []))).toMatchObject({ code: 'forbidden' })
    expect(doomed(server)).toEqual([boot.id])
  })

  test('waits for its volumes, and takes away the cards that were made for it', async () => {
    const { server, boot } = await withTwoVolumes()
    await create({ networks: [{ id: 'n1', mac: '52:54:00:12:34:56' }] })
    const [port] = neutron.ports.values()
    Object.assign(port!, { device_id: server.id, device_owner: 'compute:nova' })
    neutron.add({ device_id: server.id, description: 'mine' })
    await instances.delete(ground.member, server.id, null)
    nova.servers.delete(server.id)
    cinder.volumes.delete(boot.id)
    await ground.runTask()
    expect(indexed(server.id)).toBeUndefined()
    expect([...neutron.ports.values()].map(({ description }) => description)).toEqual(['mine'])
  })
})

describe('volumes of an instance', () => {
  test('one is attached, and its device told before it is there', async () => {
    const server = await add()
    const { id } = cinder.add({ name: 'data' })
    await ground.engine.refresh(volumeReader, id)
    const row = await instances.attachVolume(ground.member, server.id, id, true)
    expect(row.volumes).toMatchObject([
      { id, name: 'data', device: 'vdb', boot_index: null, delete_on_termination: true },
    ])
    expect(ground.index.get(`volume/${id}`)).toMatchObject({ status: 'attaching' })
    expect(await refusal(instances.attachVolume(ground.member, server.id, id, true))).toMatchObject({
      code: 'volume_in_use',
      fields: { volume_id: [expect.any(String)] },
    })
    nova.attach(server, id, '/dev/vdb')
    await ground.runTask()
    expect(ground.index.get(`volume/${id}`)).toMatchObject({ status: 'in-use' })
  })

  test('one is detached, but not the one that it boots from', async () => {
    const server = nova.add()
    const [boot, data] = [cinder.add({}), cinder.add({})]
    nova.attach(server, boot.id, '/dev/vda')
    nova.attach(server, data.id, '/dev/vdb')
    await ground.engine.refresh(instanceReader, server.id)
    for (const { id } of [boot, data]) await ground.engine.refresh(volumeReader, id)
    expect(await refusal(instances.detachVolume(ground.member, server.id, boot.id))).toMatchObject({
      code: 'volume_in_use',
    })
    await instances.detachVolume(ground.member, server.id, data.id)
    expect(ground.index.get(`volume/${data.id}`)).toMatchObject({ status: 'detaching' })
    Object.assign(data, { status: 'in-use' })
    await expect(ground.runTask()).rejects.toMatchObject({ code: 'guest_busy' })
  })
})

test('cards come and go; one with a chosen address is made first, and taken away last', async () => {
  const server = await add()
  ground.cloud.on('compute', 'POST', '/servers/:id/os-interface', ({ body }) => {
    const { port_id, net_id } = (body as { interfaceAttachment: { port_id?: string; net_id?: string } })
      .interfaceAttachment
    const port = port_id ? neutron.ports.get(port_id)! : neutron.add({ network_id: net_id! })
    Object.assign(port, { device_id: server.id, device_owner: 'compute:nova' })
    return { body: {} }
  })
  ground.cloud.on('compute', 'DELETE', '/servers/:id/os-interface/:port', ({ params }) => {
    Object.assign(neutron.ports.get(params['port']!)!, { device_id: '' })
    return { status: 202 }
  })
  await instances.attachInterface(ground.member, server.id, { id: 'n1', fixed_ips: [], mac: null })
  const two = { id: 'n1', fixed_ips: [{ ip_address: '10.0.0.99' }], mac: null }
  const { network_data } = await instances.attachInterface(ground.member, server.id, two)
  expect(network_data.map((card) => card.fixed_ips[0]!.ip_address)).toEqual(['10.0.0.10', '10.0.0.99'])
  const chosen = network_data[1]!.port_id
  await instances.detachInterface(ground.member, server.id, chosen)
  await ground.runTask()
  expect(neutron.ports.has(chosen)).toBe(false)
  expect(indexed(server.id)!.network_data).toHaveLength(1)
  expect(await refusal(instances.detachInterface(ground.member, server.id, chosen))).toMatchObject({
    code: 'not_found',
  })
})

test('name, description, tags and metadata change at once', async () => {
  const { id } = await add()
  expect(await instances.update(ground.member, id, { name: 'after', description: 'New' })).toMatchObject({
    ...{ name: 'after', description: 'New' },
  })
  expect(await refusal(instances.update(ground.member, id, { ha_enabled: true }))).toMatchObject({
    code: 'unsupported',
  })
  expect((await instances.setTag(ground.member, id, 'red & blue')).tags).toEqual(['red & blue'])
  expect((await instances.removeTag(ground.member, id, 'red & blue')).tags).toEqual([])
  expect(await refusal(instances.removeTag(ground.member, id, 'red'))).toMatchObject({ code: 'not_found' })
  const words = Object.fromEntries(Array.from({ length: 129 }, (_, at) => [`w${at}`, 'x']))
  expect(await refusal(instances.setMetadata(ground.member, id, words))).toMatchObject({ code: 'quota_exceeded' })
})

test("another project's instance is answered like none, and the cloud is not asked", async () => {
  const { id } = await add()
  const before = ground.cloud.received.length
  const calls = [
    instances.start(ground.stranger, id),
    instances.delete(ground.stranger, id, null),
    instances.cancelStop(ground.stranger, id),
    instances.setTag(ground.stranger, id, 'seen'),
    instances.openScreen(ground.stranger, id),
    instances.consoleLog(ground.stranger, id, 100),
    instances.stat(ground.stranger, id),
    instances.resetState(ground.stranger, id, null),
    instances.shelve(ground.stranger, id),
    instances.rescue(ground.stranger, id, null),
    instances.setPassword(ground.stranger, id, new Secret('a long one')),
  ]
  for (const call of calls) expect(await refusal(call)).toMatchObject({ code: 'not_found' })
  expect(ground.cloud.received).toHaveLength(before)
})

describe('what only a real cloud does', () => {
  test('a rescue boots the image that is named, or the one that it was made of', async () => {
    const { id } = await add({ image: { id: 'gone' } })
    expect(await refusal(instances.rescue(ground.member, id, null))).toMatchObject({
      fields: { image_id: [expect.any(String)] },
    })
    const rescue = glance.add({ status: 'active', disk_format: 'raw', size: GiB })
    await instances.rescue(ground.member, id, rescue.id)
    expect(nova.actionsOf(id)).toEqual([{ rescue: { rescue_image_ref: rescue.id } }])
  })

  test('what is shelved gives up its room, also where the cloud would keep it for a while', async () => {
    const server = await add()
    await instances.shelve(ground.member, server.id)
    server.status = 'SHELVED'
    nova.task(server, null)
    await ground.runTask()
    expect(nova.actionsOf(server.id)).toEqual([{ shelve: null }, { shelveOffload: null }])
  })

  test('a migration is live where it runs, to the node that is named, and fails where it stays', async () => {
    const { id } = await add()
    await instances.migrate(ground.operator, id, { node: 'node-2', cold: false })
    expect(nova.actionsOf(id)).toEqual([{ 'os-migrateLive': { host: 'node-2', block_migration: 'auto' } }])
    await expect(ground.runTask()).rejects.toMatchObject({ code: 'conflict' })
    const off = await add({ status: 'SHUTOFF' })
    await instances.migrate(ground.operator, off.id, { node: null, cold: false })
    expect(nova.actionsOf(off.id)).toEqual([{ migrate: null }])
  })

  test('a password that no agent takes is refused so, and never told', async () => {
    const { id } = await add({ image: { id: glance.add({ hw_qemu_guest_agent: 'yes' }).id } })
    ground.cloud.on('compute', 'POST', '/servers/:id/action', () =>
      serverRefusal(
        409,
        'conflictingRequest',
        'Failed to set admin password on it because QEMU guest agent is not enabled',
      ),
    )
    const refused = await refusal(instances.setPassword(ground.member, id, new Secret('correct horse')))
    expect(refused).toMatchObject({ code: 'guest_agent_unavailable' })
    expect(JSON.stringify([refused, ground.logged, ground.begun])).not.toContain('correct horse')
  })
})
