import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { InstanceDraft, type Instance } from '@mainstay/contract/compute/instances'
import type { Image } from '@mainstay/contract/compute/images'
import { instanceInProgress } from '@mainstay/contract/compute/instance-rules'
import { imageInProgress } from '@mainstay/contract/compute/image-rules'
import { GiB } from '@mainstay/contract/core/bytes'
import { taskIsOver } from '@mainstay/contract/core/tasks'
import { volumeInProgress } from '@mainstay/contract/storage/volume-rules'
import { deviceOwners, type Port } from '@mainstay/contract/networking/ports'
import type { SecurityGroup } from '@mainstay/contract/networking/security-groups'
import type { RecycledItem } from '@mainstay/contract/storage/recycle-bin'
import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import type { Volume } from '@mainstay/contract/storage/volumes'
import { afterEach, expect, test } from 'vitest'
import { imageDraft } from '../conformance/cloud'
import { rawDisk } from '../conformance/images'
import { defaultNetworkId } from './networking/default-network'
import { memberOf, openSimulatedCloud, type SimulatedCloud } from './testing/embedded-cloud'
import { cardOf } from './networking/ports'
import { openMemory, type Memory } from './testing/memory'

/*
 * Kills the server at every step of a day's work: before each transaction begins and commits, and before and after each
 * call to the hypervisor. After each kill, the next server must recover everything.
 *
 * The day is split into hours, so that a late kill costs no more than an early one: each hour starts with a copy of the
 * state after the previous hour, and with a fresh server.
 */

const killsAtOnce = 16
/** These times are short, because a guest's shutdown or the check of an image never finishes after a kill. */
const limits = { pressAgainMs: 100, imageCheckMs: 300 }
const scope = memberOf('ours')
const folders: string[] = []
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })))

/** Objects whose creation was acknowledged to the caller before the kill. */
interface Acknowledged {
  instances: Set<string>
  volumes: Set<string>
  images: Set<string>
  points: Set<string>
  /** Objects whose deletion was requested. They may be gone even if the request was not acknowledged. */
  deleted: Set<string>
}

/** State known to the caller. */
interface Notes extends Acknowledged {
  image: string
  one: string
  other: string
  extra: string
  /** Recovery points of the extra volume, oldest first. */
  ofExtra: string[]
  restored: string
}

const nothing = (): Notes => ({
  ...{ instances: new Set(), volumes: new Set(), images: new Set(), points: new Set() },
  ...{ deleted: new Set(), image: '', one: '', other: '', extra: '', ofExtra: [], restored: '' },
})

/** State that survives the server, and the facts that the caller knows. */
interface World {
  folder: string
  memory: Memory
  notes: Notes
}

type Hour = (cloud: SimulatedCloud, notes: Notes) => Promise<unknown>

const kept = { deleted_at: '2026-01-01T00:00:00.000Z', expires_at: '2026-01-08T00:00:00.000Z' }

/** Creates recovery points of all volumes of a virtual machine. */
const backUp: Hour = async ({ storage: { volumeBackups }, memory }, notes) => {
  const volume_ids = memory.get<Instance>('server', notes.one)!.volumes.map(({ id }) => id)
  const order = { volume_ids, name: 'hourly', description: '', full: false, plan: null }
  for (const { id, volume_id } of await volumeBackups.createInstant(scope, order)) {
    notes.points.add(id)
    if (volume_id === notes.extra) notes.ofExtra.push(id)
  }
}

/** The server is idle at the end of each hour. */
const hours: Hour[] = [
  async ({ compute: { images } }, notes) => {
    const image = await images.create(scope, imageDraft(), Readable.from([rawDisk()]))
    notes.images.add((notes.image = image.id))
  },
  async ({ compute: { instances }, storage: { volumes } }, notes) => {
    const draft = InstanceDraft.parse({
      name: 'web',
      count: 2,
      flavor: 's1.nano',
      volumes: [
        { source: 'image', id: notes.image, size: GiB },
        { source: 'blank', size: GiB, rm: false },
      ],
      networks: [{ id: defaultNetworkId }],
      allow_live_resize: true,
    })
    const [one, other] = await instances.create(scope, draft)
    notes.instances.add((notes.one = one!.id)).add((notes.other = other!.id))
    const disk = { name: 'extra', description: '', size: GiB, image_id: null, bootable: false }
    const extra = await volumes.create(scope, disk)
    notes.volumes.add((notes.extra = extra.id))
  },
  async ({ compute: { instances }, networking: { interfaces } }, { one, other, extra }) => {
    await instances.attachVolume(scope, one, extra, false)
    await interfaces.attach(scope, one, { id: defaultNetworkId, fixed_ips: [], mac: null })
    await instances.stop(scope, other, { hard: false, timeoutSeconds: 60 })
  },
  backUp,
  backUp,
  backUp,
  async ({ storage: { volumeBackups } }, notes) => {
    const { restored_volume_id } = await volumeBackups.restore(scope, notes.ofExtra[1]!, { name: 'restored' })
    notes.volumes.add((notes.restored = restored_volume_id))
  },
  ({ storage: { volumeBackups } }, { ofExtra, deleted }) => {
    deleted.add(ofExtra[0]!)
    return volumeBackups.expire(scope, ofExtra.slice(0, 1))
  },
  async ({ storage: { volumeBackups, volumes } }, { ofExtra, deleted, restored }) => {
    deleted.add(ofExtra[2]!).add(restored)
    await volumeBackups.delete(scope, ofExtra[2]!)
    await volumes.delete(scope, restored)
  },
  async ({ compute: { instances }, storage: { volumes } }, { other, extra }) => {
    await volumes.extend(scope, extra, 2 * GiB)
    await instances.resize(scope, other, 's1.micro', { restart: false })
  },
  ({ compute: { instances } }, { one }) => instances.resize(scope, one, 's1.tiny', { restart: false }),
  async ({ compute: { instances }, networking: { interfaces }, memory }, { one, other, extra }) => {
    await instances.detachVolume(scope, one, extra)
    await interfaces.detach(scope, one, memory.get<Instance>('server', one)!.network_data[1]!.port_id)
    await instances.start(scope, other)
  },
  ({ compute: { instances } }, { other }) => instances.resize(scope, other, 's1.nano', { restart: true }),
  ({ compute: { instances } }, { other }) => instances.shelve(scope, other),
  ({ compute: { instances } }, { other }) => instances.unshelve(scope, other),
  ({ compute: { instances } }, { other, image }) => instances.rescue(scope, other, image),
  ({ compute: { instances } }, { other }) => instances.unrescue(scope, other),
  async ({ compute: { instances }, storage: { volumes } }, { other, extra }) => {
    await instances.recycle(scope, other, null, kept)
    await volumes.recycle(scope, extra, kept)
  },
  async ({ storage: { recycleBin } }, { other, extra }) => {
    await recycleBin.restore(scope, other)
    await recycleBin.restore(scope, extra)
  },
  async ({ compute: { instances }, storage: { volumes } }, { one, other, extra, deleted }) => {
    await instances.suspend(scope, one)
    deleted.add(other)
    await instances.delete(scope, other, null)
    deleted.add(extra)
    await volumes.delete(scope, extra)
  },
  ({ compute: { instances } }, { one }) => instances.recycle(scope, one, null, kept),
  ({ storage: { recycleBin } }, { one, deleted }) => {
    deleted.add(one)
    return recycleBin.delete(scope, one)
  },
]

/** Wraps a part of the hypervisor so that its calls also count as steps. */
function stepping<Part extends object>(part: Part, step: () => void): Part {
  const quiet = ['state', 'known', 'facts', 'free']
  return new Proxy(part, {
    get(target, name: string) {
      const call = (target as Record<string, unknown>)[name]
      if (typeof call !== 'function' || quiet.includes(name)) return call
      return async (...args: unknown[]) => {
        step()
        const result: unknown = await call.apply(target, args)
        step()
        return result
      }
    },
  })
}

/** Runs one hour of work, killing the server at step `killAt`. Returns the number of steps. */
async function workUntil({ folder, memory, notes }: World, hour: Hour, killAt: number): Promise<number> {
  let steps = 0
  let cloud: SimulatedCloud | null = null
  let isDead = false
  const step = () => {
    if (isDead) throw new Error('this server was killed')
    if (!cloud || ++steps !== killAt) return
    isDead = true
    cloud.server.kill()
    throw new Error('this server was killed')
  }
  cloud = await openSimulatedCloud({ folder, memory, limits, beforeStep: step, wrap: (part) => stepping(part, step) })
  await hour(cloud, notes).catch((error: unknown) => {
    if (!isDead) throw error
  })
  await cloud.server.idle()
  // pending callbacks still run, but fail because the server is dead
  await new Promise((resolve) => setTimeout(resolve, 5))
  isDead = true
  cloud.server.kill()
  await cloud.hypervisor.close()
  return steps
}

async function checkPromises({ folder, memory, notes: told }: World): Promise<void> {
  const cloud = await openSimulatedCloud({ folder, memory, limits })
  await cloud.server.idle()
  const rows = memory.all<Instance>('server')
  const volumes = memory.all<Volume>('volume')
  const images = memory.all<Image>('image')

  expect(
    memory.tasks().filter(({ state }) => !taskIsOver(state)),
    'no task is left running',
  ).toEqual([])
  const bin = memory.all<RecycledItem>('recycled_item')
  const binMachines = bin.filter(({ kind }) => kind === 'server')
  const inBin = bin.flatMap(({ id, kind, volumes: disks }) => (kind === 'volume' ? [id] : disks.map((disk) => disk.id)))
  const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id)
  for (const id of told.instances) if (!told.deleted.has(id)) expect([...ids(rows), ...ids(bin)]).toContain(id)
  for (const id of told.volumes) if (!told.deleted.has(id)) expect([...ids(volumes), ...ids(bin)]).toContain(id)
  for (const id of told.images) expect(ids(images)).toContain(id)
  for (const { id } of bin)
    expect([...ids(rows), ...ids(volumes)], 'nothing is in the bin and beside it').not.toContain(id)
  expect(
    bin.filter(({ status, fault }) => status !== 'recycled' || fault !== null),
    'nothing in the bin stays busy',
  ).toEqual([])

  expect(rows.filter(instanceInProgress), 'no instance stays busy').toEqual([])
  expect(
    rows.filter(({ status }) => status === 'ERROR'),
    'nothing went wrong but the kill',
  ).toEqual([])
  expect(
    volumes.filter((row) => volumeInProgress(row) || row.status.startsWith('error')),
    'no volume stays busy',
  ).toEqual([])
  expect(
    images.filter(({ status }) => imageInProgress(status) || status === 'error'),
    'no image stays busy',
  ).toEqual([])

  const points = memory.all<VolumeBackup>('volume_backup')
  for (const id of told.points) if (!told.deleted.has(id)) expect(ids(points)).toContain(id)
  expect(
    points.filter((row) => row.status !== 'available' || row.fault !== null),
    'no recovery point stays busy',
  ).toEqual([])
  for (const { id, parent_id, has_dependents } of points) {
    expect(has_dependents).toBe(points.some((row) => row.parent_id === id))
    if (parent_id !== null) expect(ids(points), 'what a recovery point needs is there').toContain(parent_id)
  }

  const names = (part: string) => readdirSync(join(folder, part)).toSorted()
  expect(names('volumes'), 'each volume has its file, and no file is left over').toEqual(
    [...ids(volumes), ...inBin].map((id) => `${id}.qcow2`).toSorted(),
  )
  expect(names('images')).toEqual(images.map(({ id }) => id).toSorted())
  expect(names('points')).toEqual([])
  expect(
    names('backups').map((name) => name.replace(/(-whole)?\.qcow2$/, '')),
    'each recovery point has its file, and no file is left over',
  ).toEqual(ids(points).toSorted())
  expect(names('uploads')).toEqual([])
  expect(names('rescues')).toEqual(rows.filter(({ status }) => status === 'RESCUE').map(({ id }) => `${id}.qcow2`))
  expect(names('seeds')).toEqual(
    ids([...rows, ...binMachines])
      .map((id) => `${id}.iso`)
      .toSorted(),
  )

  const cards = rows.flatMap((row) => row.network_data)
  const ports = memory.all<Port>('port')
  const ofMachines = ports.filter(({ device_owner }) => device_owner === deviceOwners.instance)
  expect(ofMachines.map(cardOf), 'each card is a port, and no port is left over').toEqual(
    expect.arrayContaining(cards.filter((card) => ofMachines.some(({ id }) => id === card.id))),
  )
  expect(ofMachines, 'what is in the bin has no ports').toHaveLength(cards.length)
  const addresses = ports.flatMap(({ fixed_ips }) => fixed_ips)
  expect(memory.privateCount('address'), 'addresses are given back').toBe(addresses.length)
  expect(memory.privateCount('mac')).toBe(ports.length)
  for (const { id, port_count } of memory.all<SecurityGroup>('security_group'))
    expect(port_count).toBe(ports.filter(({ security_groups }) => security_groups.includes(id)).length)
  expect(memory.privateCount('recycled_item')).toBe(bin.length)

  const machineOf: Record<string, string> = {
    ACTIVE: 'running',
    RESCUE: 'running',
    SHUTOFF: 'off',
    SHELVED_OFFLOADED: 'off',
    SUSPENDED: 'saved',
  }
  for (const { id, status } of rows) expect(await cloud.hypervisor.machines.state(id)).toBe(machineOf[status])
  const known = await cloud.hypervisor.machines.known()
  expect(ids(known).toSorted()).toEqual(ids([...rows, ...binMachines]).toSorted())
  for (const { id } of binMachines) expect(['off', 'saved']).toContain(await cloud.hypervisor.machines.state(id))
  for (const { id, flavor } of rows) {
    const size = await cloud.hypervisor.machines.size(id)
    if (size) expect(size, 'a machine has its flavor').toMatchObject({ vcpus: flavor.vcpus, ramMiB: flavor.ram })
  }
  for (const row of rows) {
    for (const { id, size } of row.volumes) {
      expect(volumes.find((volume) => volume.id === id)).toMatchObject({
        status: 'in-use',
        size,
        attachments: [{ server_id: row.id }],
      })
    }
  }
  await cloud.close()
}

const freshFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'mainstay-crash-'))
  folders.push(folder)
  return folder
}

const copyOf = ({ folder, memory, notes }: World): World => {
  const copy = freshFolder()
  cpSync(folder, copy, { recursive: true })
  return { folder: copy, memory: memory.copy(), notes: structuredClone(notes) }
}

test('recovers everything after a kill at any step, and leaves nothing half-finished', async () => {
  let before: World = { folder: freshFolder(), memory: openMemory(), notes: nothing() }
  let all = 0
  for (const [at, hour] of hours.entries()) {
    const after = copyOf(before)
    const steps = await workUntil(after, hour, -1)
    const killed = async (killAt: number) => {
      const world = copyOf(before)
      await workUntil(world, hour, killAt)
      await checkPromises(world).catch((error: unknown) => {
        throw new Error(`killed at step ${killAt} of ${steps} in hour ${at + 1}`, { cause: error })
      })
    }
    // the runs are independent and spend most of their time waiting
    for (let first = 1; first <= steps; first += killsAtOnce)
      await Promise.all(
        Array.from({ length: Math.min(killsAtOnce, steps - first + 1) }, (_, nth) => killed(first + nth)),
      )
    all += steps
    before = after
  }
  expect(all).toBeGreaterThan(100)
}, 600_000)
