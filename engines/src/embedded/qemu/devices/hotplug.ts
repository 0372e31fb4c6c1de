import { blockNodes } from '../../../image-files/capture-disks'
import { MachineFault, type MachineDisk, type MachineNic, type MachineSpec } from '../../hypervisor'
import { blockNode, diskDevice, nicDevice } from './arguments'
import { blockNodeName, diskDeviceId, netdevId, nicDeviceId } from './ids'
import type { TapPlug } from '../../../network-model/wanted'
import { plugAll } from '../machines/launch'
import { networkOf } from './network'
import { busOf } from './places'
import { QmpError, type Qmp } from '../qmp'
import { grantDisk } from '../confinement/grants'
import type { Confinement } from '../confinement/confinement'
import { asFault } from '../reasons'
import { hasWayOut, type MachineRecord } from '../machines/record'

/*
 * Attaches and detaches devices at run time. Each device consists of two objects in QEMU: a guest device and its
 * backend (block node, netdev). The guest may take some time to release the device, and the backend can be removed only
 * after that.
 */

const askAgainMs = 5_000

/** The part of a machine that hotplugging requires. */
interface Wired {
  readonly record: Readonly<MachineRecord>
  readonly folder: string
  readonly confinement: Confinement
  qmp(): Qmp
  rewire(spec: MachineSpec): void
}

export async function attachDisk(machine: Wired, disk: MachineDisk): Promise<void> {
  const qmp = machine.qmp()
  const { spec } = machine.record
  if (spec.disks.some(({ id }) => id === disk.id)) return
  if (!isHotPluggable(disk)) {
    throw new MachineFault(
      'failed',
      'Disks of this type can be attached or detached only while the virtual machine is shut down',
    )
  }
  // Update the record first: after an interruption, the next server process compares it with QEMU.
  const wired = { ...disk, bootIndex: null }
  machine.rewire({ ...spec, disks: [...spec.disks, wired] })
  try {
    await grantDisk(machine.confinement, wired)
    await qmp.execute('blockdev-add', blockNode(wired, machine.folder))
    try {
      await qmp.execute('device_add', diskDevice(wired, machine.record.places))
    } catch (error) {
      await removeBlockNode(qmp, disk.id)
      throw error
    }
  } catch (error) {
    unwireDisk(machine, disk.id)
    throw asFault(error)
  }
}

export async function detachDisk(machine: Wired, diskId: string, timeoutMs: number): Promise<void> {
  const disk = machine.record.spec.disks.find(({ id }) => id === diskId)
  if (disk && !isHotPluggable(disk)) {
    throw new MachineFault(
      'failed',
      'Disks of this type can be attached or detached only while the virtual machine is shut down',
    )
  }
  await takeAway(machine.qmp(), diskDeviceId(diskId), timeoutMs)
  await diskIsGone(machine, diskId)
}

export async function attachNic(machine: Wired, nic: MachineNic): Promise<void> {
  const qmp = machine.qmp()
  const { spec } = machine.record
  if (spec.nics.some(({ id }) => id === nic.id)) return
  if (nic.port && !machine.record.onSwitches && machine.confinement.switches) {
    throw new MachineFault(
      'failed',
      'The virtual machine was started before this host had networks. Shut it down and start it',
    )
  }
  const taps = machine.record.onSwitches ? await plugAll(machine.confinement, [nic]) : new Map<string, TapPlug>()
  const network = networkOf(nic, { wayOut: hasWayOut(machine.record), taps })
  machine.rewire({ ...spec, nics: [...spec.nics, nic] })
  try {
    await qmp.execute('netdev_add', network)
    try {
      await qmp.execute('device_add', nicDevice(nic, machine.record.places))
    } catch (error) {
      await qmp.execute('netdev_del', { id: netdevId(nic.id) })
      throw error
    }
  } catch (error) {
    unwireNic(machine, nic.id)
    throw asFault(error)
  }
}

export async function detachNic(machine: Wired, nicId: string, timeoutMs: number): Promise<void> {
  await takeAway(machine.qmp(), nicDeviceId(nicId), timeoutMs)
  await nicIsGone(machine, nicId)
}

export async function growDisk(machine: Wired, diskId: string, sizeBytes: number): Promise<void> {
  const qmp = machine.qmp()
  const node = blockNodeName(diskId)
  const found = (await blockNodes(qmp)).find((one) => one['node-name'] === node)
  const now = found?.image['virtual-size']
  if (now === undefined) throw new MachineFault('failed', 'The virtual machine does not have this disk')
  if (sizeBytes < now) throw new MachineFault('failed', 'A disk cannot shrink')
  if (sizeBytes <= now) return
  // after the process was killed, bitmaps are incomplete, and a disk cannot be resized with them
  for (const { name, inconsistent } of found?.['dirty-bitmaps'] ?? [])
    if (inconsistent) await qmp.execute('block-dirty-bitmap-remove', { node, name })
  await qmp.execute('block_resize', { 'node-name': node, size: sizeBytes })
}

/** Cleans up after the guest has released a device, even after a timeout or if this was not requested. */
export async function deviceIsGone(machine: Wired, deviceId: string): Promise<void> {
  const { disks, nics } = machine.record.spec
  const disk = disks.find(({ id }) => diskDeviceId(id) === deviceId)
  const nic = nics.find(({ id }) => nicDeviceId(id) === deviceId)
  if (disk) await diskIsGone(machine, disk.id)
  if (nic) await nicIsGone(machine, nic.id)
}

/** Returns the disks and interfaces of `spec` that the machine actually has. */
export async function presentDevices(qmp: Qmp, spec: MachineSpec): Promise<Pick<MachineSpec, 'disks' | 'nics'>> {
  const devices = await qmp.execute<{ name: string }[]>('qom-list', { path: '/machine/peripheral' })
  const names = new Set(devices.map(({ name }) => name))
  const disks = spec.disks.filter(({ id }) => names.has(diskDeviceId(id)))
  const nics = spec.nics.filter(({ id }) => names.has(nicDeviceId(id)))
  for (const { id } of spec.disks) if (!names.has(diskDeviceId(id))) await removeBlockNode(qmp, id)
  for (const { id } of spec.nics) if (!names.has(nicDeviceId(id))) await removeNetdev(qmp, id)
  return { disks, nics }
}

const isHotPluggable = (disk: MachineDisk) => !['ide', 'sata'].includes(busOf(disk))

async function takeAway(qmp: Qmp, deviceId: string, timeoutMs: number): Promise<void> {
  const end = Date.now() + timeoutMs
  const isAnswer = ({ event, data }: { event: string; data: Record<string, unknown> }) =>
    data['device'] === deviceId && (event === 'DEVICE_DELETED' || event === 'DEVICE_UNPLUG_GUEST_ERROR')
  for (;;) {
    const patienceMs = Math.min(askAgainMs, end - Date.now())
    if (patienceMs <= 0) break
    const answer = qmp.nextEvent(isAnswer, patienceMs)
    answer.catch(() => undefined)
    try {
      await qmp.execute('device_del', { id: deviceId })
    } catch (error) {
      // The device may already be gone, or an earlier request may still be pending.
      if (/not found/i.test(String(error))) return
      if (!/in the process of unplug/i.test(String(error))) throw error
    }
    try {
      const { event } = await answer
      if (event === 'DEVICE_DELETED') return
      break
    } catch (error) {
      // A guest that is still booting may miss the first request.
      if (!(error instanceof QmpError && error.code === 'timeout')) throw error
    }
  }
  throw new MachineFault(
    'guest_busy',
    'The guest did not release the device. Stop using it there, or shut down the virtual machine',
  )
}

async function diskIsGone(machine: Wired, diskId: string): Promise<void> {
  await removeBlockNode(machine.qmp(), diskId)
  unwireDisk(machine, diskId)
}

async function nicIsGone(machine: Wired, nicId: string): Promise<void> {
  await removeNetdev(machine.qmp(), nicId)
  if (machine.record.onSwitches) await machine.confinement.switches?.unplug(nicId)
  unwireNic(machine, nicId)
}

function unwireDisk(machine: Wired, diskId: string): void {
  const { spec } = machine.record
  machine.rewire({ ...spec, disks: spec.disks.filter(({ id }) => id !== diskId) })
}
function unwireNic(machine: Wired, nicId: string): void {
  const { spec } = machine.record
  machine.rewire({ ...spec, nics: spec.nics.filter(({ id }) => id !== nicId) })
}

/** Idempotent, because several callers clean up after the same device. */
async function removeBlockNode(qmp: Qmp, diskId: string): Promise<void> {
  await qmp.execute('blockdev-del', { 'node-name': blockNodeName(diskId) }).catch(unlessMissing)
}
async function removeNetdev(qmp: Qmp, nicId: string): Promise<void> {
  await qmp.execute('netdev_del', { id: netdevId(nicId) }).catch(unlessMissing)
}
const unlessMissing = (error: unknown) => {
  if (!/not found|Failed to find|Cannot find/i.test(String(error))) throw error
}
