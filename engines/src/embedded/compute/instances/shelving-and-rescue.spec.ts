import { existsSync } from 'node:fs'
import { Readable } from 'node:stream'
import type { Image } from '@mainstay/contract/compute/images'
import { InstanceDraft, type Instance } from '@mainstay/contract/compute/instances'
import { GiB, MiB } from '@mainstay/contract/core/bytes'
import { afterEach, describe, expect, test } from 'vitest'
import type * as z from 'zod'
import { imageDraft, refusal, until } from '../../../conformance/cloud'
import { rawDisk } from '../../../conformance/images'
import { memberOf, openSimulatedCloud, operator, type SimulatedCloud } from '../../testing/embedded-cloud'

const scope = memberOf('ours')
let cloud: SimulatedCloud
afterEach(() => cloud.close())

const rowOf = (id: string) => cloud.memory.get<Instance>('server', id)!
async function create(change: Partial<z.input<typeof InstanceDraft>> = {}): Promise<Instance> {
  const draft = InstanceDraft.parse({
    name: 'web',
    flavor: 's1.nano',
    volumes: [{ source: 'blank', size: GiB, boot_index: 0 }],
    networks: [],
    ...change,
  })
  const [row] = await cloud.compute.instances.create(scope, draft)
  await cloud.server.idle()
  return rowOf(row!.id)
}
async function act(command: Promise<Instance>): Promise<Instance> {
  const { id } = await command
  await cloud.server.idle()
  return rowOf(id)
}
const used = async () => {
  const quotas = await cloud.compute.quotas(scope, 'ours')
  const { storage } = await cloud.storage.quotas(scope, 'ours')
  return [quotas.instances.used, quotas.vcpus.used, quotas.ram.used, storage.used]
}

describe('shelving', () => {
  test('releases only vCPUs and memory, both in the quota and on the host', async () => {
    cloud = await openSimulatedCloud()
    const { id, flavor, host } = await create()
    expect(await used()).toEqual([1, flavor.vcpus, flavor.ram, GiB])
    expect(await act(cloud.compute.instances.shelve(scope, id))).toMatchObject({
      status: 'SHELVED_OFFLOADED',
      host: null,
    })
    expect(await used()).toEqual([1, 0, 0, GiB])
    expect(await cloud.compute.stat(operator)).toMatchObject({
      servers: { total: 1 },
      vcpus: { used: 0 },
      ram: { used: 0 },
    })
    expect(await act(cloud.compute.instances.unshelve(scope, id))).toMatchObject({ status: 'ACTIVE', host })
    expect(await used()).toEqual([1, flavor.vcpus, flavor.ram, GiB])
  })

  test('unshelves only within the quota, and counts the instance again immediately', async () => {
    cloud = await openSimulatedCloud({ limits: { quotas: { vcpus: 1 } }, delays: { start: 100 } })
    const one = await create()
    await act(cloud.compute.instances.shelve(scope, one.id))
    const other = await create()
    expect(await refusal(cloud.compute.instances.unshelve(scope, one.id))).toMatchObject({
      code: 'quota_exceeded',
      data: { resource: 'vcpus', limit: 1, used: 1, requested: 1 },
    })
    expect(rowOf(one.id)).toMatchObject({ status: 'SHELVED_OFFLOADED', task_state: null })
    await act(cloud.compute.instances.shelve(scope, other.id))
    const coming = cloud.compute.instances.unshelve(scope, one.id)
    expect(await refusal(coming.then(() => cloud.compute.instances.unshelve(scope, other.id)))).toMatchObject({
      code: 'quota_exceeded',
    })
    expect(await act(coming)).toMatchObject({ status: 'ACTIVE' })
  })

  test('unshelves only if the host has enough capacity', async () => {
    cloud = await openSimulatedCloud({ host: { cpuCores: 8, ramBytes: 1536 * MiB }, limits: { hostReserveMiB: 1024 } })
    const one = await create({ flavor: 's1.tiny' })
    await act(cloud.compute.instances.shelve(scope, one.id))
    await create({ flavor: 's1.tiny' })
    expect(await refusal(cloud.compute.instances.unshelve(scope, one.id))).toMatchObject({ code: 'no_valid_host' })
  })

  test('keeps an instance shelved if it fails to start again, and shows the reason', async () => {
    cloud = await openSimulatedCloud()
    const { id } = await create()
    await act(cloud.compute.instances.shelve(scope, id))
    cloud.hypervisor.faults.machines.add('fault-start')
    expect(await act(cloud.compute.instances.unshelve(scope, id))).toMatchObject({
      status: 'SHELVED_OFFLOADED',
      task_state: null,
      fault: { message: expect.stringContaining('did not start') },
    })
    expect(await used()).toEqual([1, 0, 0, GiB])
    cloud.hypervisor.faults.machines.clear()
    expect(await act(cloud.compute.instances.unshelve(scope, id))).toMatchObject({ status: 'ACTIVE', fault: null })
  })

  test('discards saved memory, and keeps the instance shelved when its state is reset', async () => {
    cloud = await openSimulatedCloud()
    const { id } = await create()
    await act(cloud.compute.instances.suspend(scope, id))
    await act(cloud.compute.instances.shelve(scope, id))
    expect(await cloud.hypervisor.machines.state(id)).toBe('off')
    expect(await cloud.compute.instances.resetState(operator, id, null)).toMatchObject({ status: 'SHELVED_OFFLOADED' })
  })
})

describe('a rescue', () => {
  const image = async (change: Parameters<typeof imageDraft>[0] = {}, bytes = rawDisk()): Promise<Image> => {
    const { id } = await cloud.compute.images.create(
      scope,
      imageDraft({ name: 'Rescuer', ...change }),
      Readable.from([bytes]),
    )
    await cloud.server.idle()
    return cloud.memory.get<Image>('image', id)!
  }
  const disksOf = async (id: string) => (await cloud.hypervisor.machines.usage(id))?.disks.map((disk) => disk.id)

  test('boots from a copy of the image, followed by the instance disks, and removes the copy afterwards', async () => {
    cloud = await openSimulatedCloud()
    const { id, volumes } = await create()
    const own = volumes[0]!.id
    const { id: imageId } = await image()
    const copy = cloud.engine.files.rescue(id)
    expect(await act(cloud.compute.instances.rescue(scope, id, imageId))).toMatchObject({
      status: 'RESCUE',
      fault: null,
    })
    expect(await disksOf(id)).toEqual([`rescue-${id}`, own])
    expect(existsSync(copy)).toBe(true)
    expect(await cloud.compute.instances.resetState(operator, id, null)).toMatchObject({ status: 'RESCUE' })
    expect(await act(cloud.compute.instances.unrescue(scope, id))).toMatchObject({ status: 'ACTIVE' })
    expect(await disksOf(id)).toEqual([own])
    expect(existsSync(copy)).toBe(false)
  })

  test('boots directly from an ISO, which stays in use until the rescue ends', async () => {
    cloud = await openSimulatedCloud()
    const iso = Buffer.alloc(0x9000)
    iso.write('\u0001CD001\u0001', 0x80_00, 'latin1')
    const { id: imageId } = await image({ name: 'Live' }, iso)
    const { id, volumes } = await create()
    await act(cloud.compute.instances.rescue(scope, id, imageId))
    expect(await disksOf(id)).toEqual([imageId, volumes[0]!.id])
    expect(await refusal(cloud.compute.images.delete(scope, imageId))).toMatchObject({ code: 'image_in_use' })
    await act(cloud.compute.instances.unrescue(scope, id))
    await cloud.compute.images.delete(scope, imageId)
  })

  test('ends when the guest shuts itself down or the machine dies', async () => {
    cloud = await openSimulatedCloud()
    const { id, volumes } = await create()
    const { id: imageId } = await image()
    const own = [volumes[0]!.id]
    await act(cloud.compute.instances.rescue(scope, id, imageId))
    cloud.hypervisor.happen(id, 'off')
    await until('the row to say so', async () => rowOf(id).status === 'SHUTOFF')
    expect(await act(cloud.compute.instances.start(scope, id))).toMatchObject({ status: 'ACTIVE' })
    expect(await disksOf(id)).toEqual(own)

    await act(cloud.compute.instances.rescue(scope, id, imageId))
    cloud.hypervisor.happen(id, 'crashed', 'killed by signal 9')
    await until('the row to say so', async () => rowOf(id).status === 'ERROR')
    expect(await act(cloud.compute.instances.reboot(scope, id, { hard: true }))).toMatchObject({ status: 'ACTIVE' })
    expect(await disksOf(id)).toEqual(own)
    expect(existsSync(cloud.engine.files.rescue(id))).toBe(false)
  })

  test('shows why it failed to start, and leaves nothing behind when the instance is deleted', async () => {
    cloud = await openSimulatedCloud()
    const { id } = await create()
    const { id: imageId } = await image()
    cloud.hypervisor.faults.machines.add('fault-start')
    expect(await act(cloud.compute.instances.rescue(scope, id, imageId))).toMatchObject({
      status: 'ERROR',
      fault: { message: expect.stringContaining('did not start') },
    })
    const copy = cloud.engine.files.rescue(id)
    expect(existsSync(copy)).toBe(true)
    await cloud.compute.instances.delete(scope, id, null)
    await cloud.server.idle()
    expect(existsSync(copy)).toBe(false)
    expect(cloud.memory.privateCount('server')).toBe(0)
  })

  test('refuses an image that does not exist or requires more memory', async () => {
    cloud = await openSimulatedCloud()
    const { id } = await create()
    const refused = (imageId: string | null) => refusal(cloud.compute.instances.rescue(scope, id, imageId))
    const atField = { fields: { image_id: [expect.any(String)] } }
    expect(await refused(null)).toMatchObject(atField)
    expect(await refused('no-such-image')).toMatchObject(atField)
    const { id: large } = await image({ min_ram: 1_000_000 })
    expect(await refused(large)).toMatchObject(atField)
    expect(rowOf(id)).toMatchObject({ status: 'ACTIVE', task_state: null })
  })
})
