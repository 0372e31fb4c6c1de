import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Image } from '@mainstay/contract/compute/images'
import { InstanceDraft, type Instance } from '@mainstay/contract/compute/instances'
import { GiB, MiB } from '@mainstay/contract/core/bytes'
import type { Port } from '@mainstay/contract/networking/ports'
import type { SecurityGroup } from '@mainstay/contract/networking/security-groups'
import type { Volume } from '@mainstay/contract/storage/volumes'
import { afterEach, describe, expect, test } from 'vitest'
import type * as z from 'zod'
import { imageDraft, refusal, until, type StartCloud } from '../conformance/cloud'
import { cloudSuites, describeEngine } from '../conformance/engine'
import { rawDisk } from '../conformance/images'
import { thisNodeId } from '../ports/named-id'
import { defaultNetworkId } from './networking/default-network'
import { memberOf, openSimulatedCloud, operator, type SimulatedCloud } from './testing/embedded-cloud'
import { openMemory } from './testing/memory'

/** Opens the engine with simulated machines and in-memory records. */
const start: StartCloud = async () => {
  const cloud = await openSimulatedCloud()
  return {
    ...cloud.engine.ports,
    capabilities: cloud.engine.capabilities.compute,
    balancingCapabilities: cloud.engine.capabilities['load-balancing'],
    member: memberOf('ours'),
    stranger: memberOf('theirs'),
    operator,
    row: async (kind, id) => cloud.memory.get(kind, id),
    bootImage: () => Readable.from([rawDisk()]),
    flavor: 's1.nano',
    largerFlavor: 's1.micro',
    network: defaultNetworkId,
    node: thisNodeId,
    address: (place) => `10.20.3.${place}`,
    close: cloud.close,
  }
}

describeEngine(start, cloudSuites)

const scope = memberOf('ours')
let cloud: SimulatedCloud

const blank = (change: Partial<z.input<typeof InstanceDraft>> = {}) =>
  InstanceDraft.parse({
    name: 'web',
    flavor: 's1.nano',
    volumes: [{ source: 'blank', size: GiB, boot_index: 0 }],
    networks: [],
    ...change,
  })
const create = async (change: Parameters<typeof blank>[0] = {}) => {
  const [row] = await cloud.compute.instances.create(scope, blank(change))
  await cloud.server.idle()
  return rowOf(row!.id)
}
const rowOf = (id: string) => cloud.memory.get<Instance>('server', id)!
const failed = () => cloud.memory.tasks().filter(({ state }) => state === 'failed')

describe('the embedded engine', () => {
  afterEach(() => cloud.close())

  test('reports an error with its reason when a machine ends unexpectedly, and restarts it with a hard reboot', async () => {
    cloud = await openSimulatedCloud()
    const { id } = await create()
    cloud.hypervisor.happen(id, 'crashed', 'killed by signal 9')
    await until('the row to say so', async () => rowOf(id).status === 'ERROR')
    expect(rowOf(id).fault).toMatchObject({ message: 'The virtual machine stopped unexpectedly: killed by signal 9' })
    expect(await refusal(cloud.compute.instances.start(scope, id))).toMatchObject({ code: 'invalid_state' })
    await cloud.compute.instances.reboot(scope, id, { hard: true })
    await cloud.server.idle()
    expect(rowOf(id)).toMatchObject({ status: 'ACTIVE', task_state: null, fault: null })
  })

  test('reports an instance as SHUTOFF soon after its guest shuts itself down', async () => {
    cloud = await openSimulatedCloud()
    const { id } = await create()
    cloud.hypervisor.happen(id, 'off')
    await until('the row to say so', async () => rowOf(id).status === 'SHUTOFF')
  })

  test('reports an error with its reason when an instance fails to start, and deletes it with its disk', async () => {
    cloud = await openSimulatedCloud()
    const row = await create({ name: 'fault-start' })
    expect(row).toMatchObject({
      status: 'ERROR',
      task_state: null,
      fault: { message: expect.stringContaining('did not start') },
    })
    expect(failed()).toMatchObject([{ name: 'compute.server.create', error: expect.stringContaining('did not start') }])
    await cloud.compute.instances.delete(scope, row.id, null)
    await cloud.server.idle()
    expect(cloud.memory.all('server')).toEqual([])
    expect(cloud.memory.all('volume')).toEqual([])
  })

  test('sets the volume to error and leaves no file if its disk cannot be created', async () => {
    cloud = await openSimulatedCloud()
    cloud.hypervisor.faults.diskFull = true
    expect(await refusal(cloud.compute.instances.create(scope, blank()))).toMatchObject({ code: 'disk_full' })
    expect(cloud.memory.all('server')).toEqual([])
    cloud.hypervisor.faults.diskFull = false
    const [row] = await cloud.compute.instances.create(scope, blank())
    cloud.hypervisor.faults.diskFull = true
    await cloud.server.idle()
    expect(rowOf(row!.id)).toMatchObject({ status: 'ERROR', fault: { code: 'disk_full' } })
    const [volume] = cloud.memory.all<Volume>('volume')
    expect(volume).toMatchObject({ status: 'error', fault: 'The disk storage is full' })
    expect(existsSync(cloud.engine.files.volume(volume!.id))).toBe(false)
  })

  test('undoes everything when a creation is cancelled', async () => {
    cloud = await openSimulatedCloud()
    const { machines } = cloud.hypervisor
    const startAtOnce = machines.start
    // cancel while the machine is starting
    machines.start = (spec) => (cloud.server.cancel(cloud.memory.tasks()[0]!.id), startAtOnce(spec))
    await cloud.compute.instances.create(scope, blank({ networks: [{ id: defaultNetworkId }] }))
    await cloud.server.idle()
    expect(cloud.memory.tasks()).toMatchObject([{ state: 'cancelled' }])
    for (const kind of ['server', 'volume']) expect(cloud.memory.all(kind)).toEqual([])
    for (const kind of ['server', 'volume']) expect(cloud.memory.privateCount(kind)).toBe(0)
    // only the network's own port and address are left
    expect(cloud.memory.all<Port>('port')).toMatchObject([{ device_owner: 'network:dhcp' }])
    for (const kind of ['address', 'mac']) expect(cloud.memory.privateCount(kind)).toBe(1)
    // the default groups of the operators' project and of this project
    expect(cloud.memory.all<SecurityGroup>('security_group').map((it) => it.port_count)).toEqual([0, 0])
    expect(await cloud.hypervisor.machines.known()).toEqual([])
  })

  test('returns limit, usage and requested amount when a quota is exceeded, and creates nothing', async () => {
    cloud = await openSimulatedCloud({ limits: { quotas: { instances: 3 } } })
    await create()
    const refused = await refusal(cloud.compute.instances.create(scope, blank({ count: 3 })))
    expect(refused).toMatchObject({
      code: 'quota_exceeded',
      fields: { count: [expect.any(String)] },
      data: { resource: 'instances', limit: 3, used: 1, requested: 3 },
    })
    expect(cloud.memory.all('server')).toHaveLength(1)
    // another project has its own quota
    await cloud.compute.instances.create(memberOf('theirs'), blank({ count: 3 }))
  })

  test('refuses a flavor that the host cannot run, and states the available resources', async () => {
    cloud = await openSimulatedCloud({ host: { cpuCores: 2, ramBytes: 2048 * MiB }, limits: { hostReserveMiB: 1024 } })
    const refused = (flavor: string, count = 1) =>
      refusal(cloud.compute.instances.create(scope, blank({ flavor, count })))
    const noHost = (...numbers: string[]) => ({
      code: 'no_valid_host',
      fields: { flavor: [expect.stringMatching(new RegExp(numbers.join('.*')))] },
    })
    expect(await refused('s1.large')).toMatchObject(noHost('4 vCPUs', '2 processors'))
    expect(await refused('s1.small')).toMatchObject(noHost('2048 MiB', '1024 MiB'))
    expect(await refused('s1.tiny', 3)).toMatchObject(noHost('1536 MiB', '1024'))
    await create({ flavor: 's1.tiny' })
    expect(await refused('s1.tiny', 2)).toMatchObject(noHost('1024 MiB', 'only 512 of 1024 MiB are free'))
  })

  test('attaches an ISO without copying it, and refuses to delete the ISO while it is in a drive', async () => {
    cloud = await openSimulatedCloud()
    const iso = Buffer.alloc(0x9000)
    iso.write('\u0001CD001\u0001', 0x80_00, 'latin1')
    const image = await cloud.compute.images.create(scope, imageDraft({ name: 'Installer' }), Readable.from([iso]))
    const row = await create({
      volumes: [
        { source: 'iso', id: image.id },
        { source: 'blank', size: GiB, boot_index: 1 },
      ],
    })
    expect(row).toMatchObject({ status: 'ACTIVE', image_id: image.id, volumes: [{ boot_index: 1 }] })
    expect(await refusal(cloud.compute.images.delete(scope, image.id))).toMatchObject({ code: 'image_in_use' })
    await cloud.compute.instances.delete(scope, row.id, null)
    await cloud.server.idle()
    await cloud.compute.images.delete(scope, image.id)
    expect(cloud.memory.all<Image>('image')).toEqual([])
  })

  test('keeps a volume attached if the guest does not release it', async () => {
    cloud = await openSimulatedCloud()
    const { id } = await create({
      name: 'fault-busy',
      volumes: [
        { source: 'blank', size: GiB, boot_index: 0 },
        { source: 'blank', size: GiB },
      ],
    })
    const second = rowOf(id).volumes[1]!.id
    await cloud.compute.instances.detachVolume(scope, id, second)
    await cloud.server.idle()
    expect(failed()).toMatchObject([{ name: 'compute.server.detach_volume' }])
    expect(rowOf(id).volumes).toHaveLength(2)
    expect(cloud.memory.get('volume', second)).toMatchObject({ status: 'in-use' })
  })

  test('updates the metrics of running instances', async () => {
    cloud = await openSimulatedCloud({ limits: { figuresMs: 600 } })
    const { id } = await create()
    await until('the figures', async () => rowOf(id).statistics.metrics.cpu_usage !== null)
    expect(rowOf(id).statistics.metrics).toMatchObject({ mem_usage: expect.any(Number), block_capacity: GiB })
    const stat = await cloud.compute.instances.stat(scope, id)
    expect(stat).toMatchObject({ cpu_usage: expect.any(Number), disks: [{ read_bytes: expect.any(Number) }] })
  })

  test('leaves memory usage null if the guest does not report it', async () => {
    cloud = await openSimulatedCloud()
    const { id } = await create()
    const { machines } = cloud.hypervisor
    const { usage } = machines
    machines.usage = async (of) => {
      const known = await usage(of)
      return known && { ...known, ramBytes: null }
    }
    expect(await cloud.compute.instances.stat(scope, id)).toMatchObject({ mem_usage: null, block_capacity: GiB })
  })

  test('removes orphaned files on startup, but only in the folder that belongs to the records', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mainstay-garbage-'))
    const memory = openMemory()
    cloud = await openSimulatedCloud({ folder, memory })
    const { id, volumes } = await create()
    const kept = cloud.engine.files.volume(volumes[0]!.id)
    const litter = [
      cloud.engine.files.volume('nobody'),
      cloud.engine.files.image('nobody'),
      cloud.engine.files.upload('nobody'),
    ]
    const again = async (records = memory) => {
      cloud.server.kill()
      await cloud.engine.close()
      for (const path of litter) writeFileSync(path, 'left over')
      cloud = await openSimulatedCloud({ folder, memory: records })
    }
    await again()
    expect(litter.filter((path) => existsSync(path))).toEqual([])
    expect(existsSync(kept)).toBe(true)
    expect(rowOf(id).status).toBe('ACTIVE')
    await expect(again(openMemory())).rejects.toThrow('contains the disks of another database')
    expect(litter.filter((path) => existsSync(path))).toEqual(litter)
    expect(existsSync(kept)).toBe(true)
    await again()
    expect(await cloud.hypervisor.machines.state(id)).toBe('running')
    rmSync(folder, { recursive: true, force: true })
  })
})
