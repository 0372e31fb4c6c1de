import { realpathSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { engineFolder } from '../confinement/confinement'
import { MachineFault, type MachineDisk, type MachineNic, type MachineSize, type MachineSpec } from '../../hypervisor'
import { blockNodeName, diskDeviceId, netdevId, nicDeviceId } from './ids'
import type { TapPlug } from '../../../network-model/wanted'
import { asOption, networkOf } from './network'
import { nothingGrown, headroomDevices, sizeOptions } from './headroom'
import { busOf, pciSlot, seedIdeNumber, type Places } from './places'

/** What the host and its QEMU decide, as opposed to the spec. */
export interface EmulatorChoice {
  accelerator: 'kvm' | 'tcg'
  /** Its KVM has what Windows uses of Hyper-V. */
  hyperV: boolean
  /** With its version, e.g. `pc-i440fx-7.2`: saved memory can only be read by the same. */
  machineType: string
  sandbox: boolean
  /** The UEFI firmware; null where it is not installed. */
  uefi: { code: string; variables: string } | null
}

/** Files of a machine, in its folder, which is QEMU's working directory. */
export const fileNames = {
  /** The one folder where QEMU makes files by itself; all others it finds. */
  sockets: 'sockets',
  qmp: 'sockets/qmp.sock',
  vnc: 'sockets/vnc.sock',
  serial: 'sockets/serial.sock',
  serialLog: 'serial.log',
  olderSerialLog: 'serial.1.log',
  errors: 'stderr.log',
  pid: 'qemu.pid',
  nvram: 'nvram.fd',
  memory: 'memory',
  memorySocket: 'memory.sock',
  record: 'machine.json',
}

/** The inherited file from which `waitForMemory` lets QEMU read. */
export const memoryFileDescriptor = 3

/**
 * The command line of a machine. It starts stopped, so that a process is known before its guest runs, and waits for
 * saved memory if so told. Values of others (paths, names) are in JSON, where nothing needs escaping.
 */
export function machineArguments(
  spec: MachineSpec,
  places: Places,
  choice: EmulatorChoice,
  start: Partial<Start> = {},
): string[] {
  const { waitForMemory, grown, wayOut, taps, folder } = { ...asItStarts, ...start }
  return [
    ...['-name', `guest=${spec.id},debug-threads=on`],
    ...(uuid.test(spec.id) ? ['-uuid', spec.id] : []),
    ...processor(spec, choice),
    ...(choice.sandbox ? sandboxOption : []),
    // A guest that switches itself off stays as a stopped process until it was seen, even by a later server.
    ...['-no-user-config', '-nodefaults', '-no-shutdown', '-S'],
    ...['-rtc', clockOf(spec), '-boot', 'strict=on'],
    // A guest that puts itself to sleep would look like one that hangs.
    ...['-global', 'PIIX4_PM.disable_s3=1', '-global', 'PIIX4_PM.disable_s4=1'],
    ...['-chardev', `socket,id=qmp,path=${fileNames.qmp},server=on,wait=off`, '-mon', 'chardev=qmp,mode=control'],
    ...screenAndSerial,
    ...controllers(spec),
    ...headroomDevices(spec, grown, processorModel(choice.accelerator)),
    ...firmware(spec, choice),
    ...inBootOrder(spec.disks).flatMap((disk) => [
      ...['-blockdev', JSON.stringify(blockNode(disk, folder))],
      ...['-device', JSON.stringify(diskDevice(disk, places))],
    ]),
    ...spec.nics.flatMap((nic) => [
      ...['-netdev', asOption(networkOf(nic, { wayOut, taps }))],
      ...['-device', JSON.stringify(nicDevice(nic, places))],
    ]),
    ...seed(spec, folder),
    ...(waitForMemory ? ['-incoming', 'defer'] : []),
  ]
}

interface Start {
  waitForMemory: boolean
  grown: MachineSize
  /** False: its cards lead nowhere. */
  wayOut: boolean
  /** Of cards that are plugged into the dataplane, by their ids. */
  taps: ReadonlyMap<string, TapPlug>
  /** The machine's; null names all files by their whole paths. */
  folder: string | null
}

const asItStarts: Start = { waitForMemory: false, grown: nothingGrown, wayOut: true, taps: new Map(), folder: null }

/**
 * A file of the engine's as QEMU is to name it. Its user may enter the engine's folders, but not each that leads there
 * (of `/root`, say), so names begin at the machine's folder, where it is put.
 */
export function fileSeenFrom(folder: string | null, path: string): string {
  if (folder === null) return resolve(path)
  try {
    const from = realpathSync(folder)
    const to = join(realpathSync(dirname(resolve(path))), basename(path))
    return to.startsWith(`${engineFolder(from)}/`) ? relative(from, to) : to
  } catch {
    return resolve(path)
  }
}

/** No new processes and no new rights for a QEMU that a guest has taken over. */
export const sandboxOption = ['-sandbox', 'on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny']

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Windows keeps local time in the clock, and counts its ticks: those that came too late are made up for. */
const clockOf = ({ isWindows }: MachineSpec) => (isWindows ? 'base=localtime,driftfix=slew' : 'base=utc')

/** Without these, Windows takes a busy host for a broken processor. They need nothing of the host. */
const patience = ['hv_relaxed', 'hv_spinlocks=0x1fff']
/** Interrupts and clocks that cost Windows less than those of hardware. KVM alone has them, and not everywhere. */
export const hyperVFeatures = [
  ...['hv_vapic', 'hv_time', 'hv_vpindex', 'hv_runtime', 'hv_synic', 'hv_stimer'],
  ...['hv_frequencies', 'hv_tlbflush', 'hv_ipi'],
]

function processorOf({ isWindows }: MachineSpec, { accelerator, hyperV }: EmulatorChoice): string {
  const features = isWindows ? [...patience, ...(accelerator === 'kvm' && hyperV ? hyperVFeatures : [])] : []
  return [processorModel(accelerator), ...features].join(',')
}

const processor = (spec: MachineSpec, choice: EmulatorChoice) => [
  ...[
    '-machine',
    `${choice.machineType},usb=off,vmport=off,dump-guest-core=off${spec.firmware === 'uefi' ? uefiDrives : ''}`,
  ],
  // Without a limit the translations of each guest may grow to 1 GiB.
  ...['-accel', choice.accelerator === 'kvm' ? 'kvm' : 'tcg,thread=multi,tb-size=256'],
  ...['-cpu', processorOf(spec, choice)],
  ...sizeOptions(spec),
]

/** The probe starts a guest with the very same. */
export const processorModel = (accelerator: 'kvm' | 'tcg') => (accelerator === 'kvm' ? 'host' : 'max')

const screenAndSerial = [
  ...['-display', 'none', '-vnc', `unix:${fileNames.vnc},lossy=off,share=force-shared`],
  ...['-device', `VGA,id=video,bus=pci.0,addr=0x${pciSlot.video.toString(16)}`],
  '-chardev',
  `socket,id=serial,path=${fileNames.serial},server=on,wait=off,logfile=${fileNames.serialLog},logappend=on`,
  ...['-device', 'isa-serial,chardev=serial,id=serial0'],
]

const controllers = ({ disks }: MachineSpec) => [
  ...['-device', `qemu-xhci,id=usb,bus=pci.0,addr=0x${pciSlot.usb.toString(16)},p2=15,p3=15`],
  // Its pointer is where the viewer's is; a mouse would have to be caught.
  ...['-device', 'usb-tablet,id=tablet,bus=usb.0,port=1'],
  ...['-device', `virtio-scsi-pci,id=scsi,bus=pci.0,addr=0x${pciSlot.scsi.toString(16)}`],
  ...['-object', 'rng-random,id=random,filename=/dev/urandom'],
  ...['-device', `virtio-rng-pci,id=rng,rng=random,bus=pci.0,addr=0x${pciSlot.entropy.toString(16)}`],
  ...(disks.some((disk) => busOf(disk) === 'sata')
    ? ['-device', `ich9-ahci,id=sata,bus=pci.0,addr=0x${pciSlot.sata.toString(16)}`]
    : []),
]

const uefiDrives = ',pflash0=uefi-code,pflash1=uefi-variables'

function firmware(spec: MachineSpec, { uefi }: EmulatorChoice): string[] {
  if (spec.firmware === 'bios') return []
  if (!uefi) throw new MachineFault('failed', 'This host has no UEFI firmware for machines (package ovmf)')
  return [
    ...['-blockdev', JSON.stringify(fileNode('uefi-code', uefi.code, true))],
    ...['-blockdev', JSON.stringify(fileNode('uefi-variables', fileNames.nvram, false))],
  ]
}

const fileNode = (name: string, filename: string, readOnly: boolean) => ({
  driver: 'raw',
  'node-name': name,
  'read-only': readOnly,
  file: { driver: 'file', filename },
})

/** What QEMU opens: never a backing file, never a format that it guessed. */
export const blockNode = (disk: MachineDisk, folder: string | null = null) => ({
  driver: disk.format,
  'node-name': blockNodeName(disk.id),
  'read-only': disk.cdrom,
  discard: 'unmap',
  'detect-zeroes': disk.cdrom ? 'off' : 'unmap',
  ...(disk.format === 'qcow2' ? { backing: null } : {}),
  file: {
    driver: 'file',
    filename: fileSeenFrom(folder, disk.path),
    discard: 'unmap',
    locking: 'on',
  },
})

/** The device as the guest sees it. */
export function diskDevice(disk: MachineDisk, places: Places): Record<string, unknown> {
  const id = diskDeviceId(disk.id)
  const place = places[id] ?? 0
  const common = {
    id,
    drive: blockNodeName(disk.id),
    ...(disk.bootIndex === null ? {} : { bootindex: disk.bootIndex }),
    // A full host must stop the guest, which can go on later, instead of telling it that its disk is broken.
    ...(disk.cdrom ? {} : { werror: 'enospc', rerror: 'report' }),
  }
  // Guests list disks by it (`/dev/disk/by-id`); virtio has 20 characters.
  const serial = disk.id.slice(0, 20)
  const kind = disk.cdrom ? 'cd' : 'hd'
  switch (busOf(disk)) {
    case 'pci':
      return { driver: 'virtio-blk-pci', bus: 'pci.0', addr: hex(place), serial, ...common }
    case 'scsi':
      return { driver: `scsi-${kind}`, bus: 'scsi.0', 'scsi-id': place, lun: 0, serial, ...common }
    case 'ide':
      return { driver: `ide-${kind}`, ...ideSeat(place), serial, ...common }
    case 'sata':
      return { driver: `ide-${kind}`, bus: `sata.${place}`, unit: 0, serial, ...common }
    case 'usb': {
      return { driver: 'usb-storage', bus: 'usb.0', port: String(place), serial, removable: false, ...usbOnly(common) }
    }
  }
}

/** A USB stick passes nothing about errors on to QEMU's block layer. */
const usbOnly = ({ id, drive, bootindex }: { id: string; drive: string; bootindex?: number }) => ({
  id,
  drive,
  ...(bootindex === undefined ? {} : { bootindex }),
})

const ideSeat = (place: number) => ({ bus: `ide.${Math.floor(place / 2)}`, unit: place % 2 })
const hex = (value: number) => `0x${value.toString(16)}`

/** The card; what it is plugged into is `userNetwork`. */
export const nicDevice = (nic: MachineNic, places: Places) => ({
  driver: 'virtio-net-pci',
  id: nicDeviceId(nic.id),
  bus: 'pci.0',
  addr: hex(places[nicDeviceId(nic.id)] ?? 0),
  netdev: netdevId(nic.id),
  mac: nic.mac,
  // Nothing is booted from the network; its ROM would only cost time.
  romfile: '',
})

function seed({ seed: path }: MachineSpec, folder: string | null): string[] {
  if (path === null) return []
  const file = { driver: 'file', filename: fileSeenFrom(folder, path) }
  return [
    ...['-blockdev', JSON.stringify({ driver: 'raw', 'node-name': 'seed', 'read-only': true, file })],
    ...['-device', JSON.stringify({ driver: 'ide-cd', id: 'seed', drive: 'seed', ...ideSeat(seedIdeNumber) })],
  ]
}

/** QEMU refuses two disks with the same number; the caller's order is kept instead. */
const inBootOrder = (disks: MachineDisk[]) => {
  const bootable = disks
    .filter((disk) => disk.bootIndex !== null)
    .sort((a, b) => (a.bootIndex ?? 0) - (b.bootIndex ?? 0))
  return disks.map((disk) => ({ ...disk, bootIndex: disk.bootIndex === null ? null : bootable.indexOf(disk) }))
}
