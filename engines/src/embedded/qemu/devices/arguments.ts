import { realpathSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { engineFolder } from '../confinement/confinement'
import { MachineFault, type MachineDisk, type MachineNic, type MachineSize, type MachineSpec } from '../../hypervisor'
import { blockNodeName, diskDeviceId, netdevId, nicDeviceId } from './ids'
import type { TapPlug } from '../../../network-model/wanted'
import { asOption, networkOf } from './network'
import { nothingGrown, headroomDevices, sizeOptions } from './headroom'
import { agentPort } from '../guest-agent/guest'
import { busOf, pciSlot, seedIdeNumber, type Places } from './places'

/** Settings that depend on the host and its QEMU rather than on the spec. */
export interface EmulatorChoice {
  accelerator: 'kvm' | 'tcg'
  /** Whether the host's KVM supports the Hyper-V enlightenments for Windows. */
  hyperV: boolean
  /**
   * Includes the version, e.g. `pc-i440fx-7.2`, because saved memory can only be restored with the same machine type.
   */
  machineType: string
  sandbox: boolean
  /** The UEFI firmware; null if it is not installed. */
  uefi: { code: string; variables: string } | null
}

/** Files in a machine's folder, which is QEMU's working directory. */
export const fileNames = {
  /** The only folder in which QEMU creates files; all other files are created before it starts. */
  sockets: 'sockets',
  qmp: 'sockets/qmp.sock',
  vnc: 'sockets/vnc.sock',
  serial: 'sockets/serial.sock',
  agent: 'sockets/agent.sock',
  serialLog: 'serial.log',
  olderSerialLog: 'serial.1.log',
  errors: 'stderr.log',
  pid: 'qemu.pid',
  nvram: 'nvram.fd',
  memory: 'memory',
  memorySocket: 'memory.sock',
  record: 'machine.json',
}

/** The inherited file descriptor from which QEMU reads saved memory. */
export const memoryFileDescriptor = 3

/**
 * Returns the command line of a machine. The guest is paused at first, so that the process can be recorded before the
 * guest runs. With `waitForMemory`, QEMU waits for saved memory. User input (paths, names) is passed as JSON, which
 * requires no escaping.
 */
export function machineArguments(
  spec: MachineSpec,
  places: Places,
  choice: EmulatorChoice,
  start: Partial<Start> = {},
): string[] {
  const { waitForMemory, grown, wayOut, taps, folder, hasAgentPort } = { ...asItStarts, ...start }
  return [
    ...['-name', `guest=${spec.id},debug-threads=on`],
    ...(uuid.test(spec.id) ? ['-uuid', spec.id] : []),
    ...processor(spec, choice),
    ...(choice.sandbox ? sandboxOption : []),
    // After the guest has shut down, the process remains until a server, possibly a later one, has noticed.
    ...['-no-user-config', '-nodefaults', '-no-shutdown', '-S'],
    ...['-rtc', clockOf(spec), '-boot', 'strict=on'],
    // A guest in ACPI sleep would appear to hang.
    ...['-global', 'PIIX4_PM.disable_s3=1', '-global', 'PIIX4_PM.disable_s4=1'],
    ...['-chardev', `socket,id=qmp,path=${fileNames.qmp},server=on,wait=off`, '-mon', 'chardev=qmp,mode=control'],
    ...screenAndSerial,
    ...controllers(spec, hasAgentPort),
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
  /** Whether user-mode networks may connect to the outside. */
  wayOut: boolean
  /** Taps of interfaces connected to the dataplane, by interface ID. */
  taps: ReadonlyMap<string, TapPlug>
  /** The machine's folder, to which paths are made relative; null: use absolute paths. */
  folder: string | null
  /** False only for saved memory of a machine that has no port for a guest agent. */
  hasAgentPort: boolean
}

const asItStarts: Start = {
  ...{ waitForMemory: false, grown: nothingGrown, wayOut: true, taps: new Map(), folder: null, hasAgentPort: true },
}

/**
 * Returns the path through which QEMU must open an engine file. It is relative to the machine's folder, because QEMU's
 * user cannot traverse all parent folders (such as `/root`).
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

/** A compromised QEMU can neither start processes nor gain privileges. */
export const sandboxOption = ['-sandbox', 'on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny']

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Returns the clock options. Windows expects local time. It also counts timer ticks, so missed ticks are delivered
 * later.
 */
const clockOf = ({ isWindows }: MachineSpec) => (isWindows ? 'base=localtime,driftfix=slew' : 'base=utc')

/** Without these, Windows treats delays on a busy host as hardware errors. They work without KVM. */
const patience = ['hv_relaxed', 'hv_spinlocks=0x1fff']
/**
 * Enlightenments that reduce the cost of interrupts and clocks for Windows. They require KVM and are not available on
 * all hosts.
 */
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
  // Without a limit, the translation cache of each guest could grow to 1 GiB.
  ...['-accel', choice.accelerator === 'kvm' ? 'kvm' : 'tcg,thread=multi,tb-size=256'],
  ...['-cpu', processorOf(spec, choice)],
  ...sizeOptions(spec),
]

/** Returns the CPU model of the virtual machines. The probe also uses it. */
export const processorModel = (accelerator: 'kvm' | 'tcg') => (accelerator === 'kvm' ? 'host' : 'max')

const screenAndSerial = [
  ...['-display', 'none', '-vnc', `unix:${fileNames.vnc},lossy=off,share=force-shared`],
  ...['-device', `VGA,id=video,bus=pci.0,addr=0x${pciSlot.video.toString(16)}`],
  '-chardev',
  `socket,id=serial,path=${fileNames.serial},server=on,wait=off,logfile=${fileNames.serialLog},logappend=on`,
  ...['-device', 'isa-serial,chardev=serial,id=serial0'],
]

const entropyAddress = `bus=pci.0,addr=0x${pciSlot.entropy.toString(16)}`

/** A port for the guest agent. It shares a PCI slot, because all others can be used by disks and interfaces. */
const guestAgentPort = [
  ...['-device', `virtio-serial-pci,id=ports,max_ports=2,${entropyAddress}.1`],
  ...['-chardev', `socket,id=${agentPort},path=${fileNames.agent},server=on,wait=off`],
  ...['-device', `virtserialport,id=agent-port,bus=ports.0,nr=1,chardev=${agentPort},name=org.qemu.guest_agent.0`],
]

const controllers = ({ disks }: MachineSpec, hasAgentPort: boolean) => [
  ...['-device', `qemu-xhci,id=usb,bus=pci.0,addr=0x${pciSlot.usb.toString(16)},p2=15,p3=15`],
  // An absolute pointer follows the viewer's pointer; a mouse would have to be captured.
  ...['-device', 'usb-tablet,id=tablet,bus=usb.0,port=1'],
  ...['-device', `virtio-scsi-pci,id=scsi,bus=pci.0,addr=0x${pciSlot.scsi.toString(16)}`],
  ...['-object', 'rng-random,id=random,filename=/dev/urandom'],
  ...['-device', `virtio-rng-pci,id=rng,rng=random,${entropyAddress}${hasAgentPort ? '.0,multifunction=on' : ''}`],
  ...(hasAgentPort ? guestAgentPort : []),
  ...(disks.some((disk) => busOf(disk) === 'sata')
    ? ['-device', `ich9-ahci,id=sata,bus=pci.0,addr=0x${pciSlot.sata.toString(16)}`]
    : []),
]

const uefiDrives = ',pflash0=uefi-code,pflash1=uefi-variables'

function firmware(spec: MachineSpec, { uefi }: EmulatorChoice): string[] {
  if (spec.firmware === 'bios') return []
  if (!uefi) throw new MachineFault('failed', 'This host has no UEFI firmware for virtual machines (package ovmf)')
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

/** Uses a fixed format and no backing file, so that QEMU never probes the format or opens other files. */
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

/** Returns the guest device for a disk. */
export function diskDevice(disk: MachineDisk, places: Places): Record<string, unknown> {
  const id = diskDeviceId(disk.id)
  const place = places[id] ?? 0
  const common = {
    id,
    drive: blockNodeName(disk.id),
    ...(disk.bootIndex === null ? {} : { bootindex: disk.bootIndex }),
    // If the host's storage is full, pause the guest instead of reporting a disk error, so that it can continue later.
    ...(disk.cdrom ? {} : { werror: 'enospc', rerror: 'report' }),
  }
  // Guests list disks by serial (`/dev/disk/by-id`); virtio allows 20 characters.
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

/** Removes the error policies, which `usb-storage` does not support. */
const usbOnly = ({ id, drive, bootindex }: { id: string; drive: string; bootindex?: number }) => ({
  id,
  drive,
  ...(bootindex === undefined ? {} : { bootindex }),
})

const ideSeat = (place: number) => ({ bus: `ide.${Math.floor(place / 2)}`, unit: place % 2 })
const hex = (value: number) => `0x${value.toString(16)}`

/** Returns the guest device for an interface; `userNetwork` is its backend. */
export const nicDevice = (nic: MachineNic, places: Places) => ({
  driver: 'virtio-net-pci',
  id: nicDeviceId(nic.id),
  bus: 'pci.0',
  addr: hex(places[nicDeviceId(nic.id)] ?? 0),
  netdev: netdevId(nic.id),
  mac: nic.mac,
  // Network boot is not supported, so do not load the ROM.
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

/**
 * Renumbers the boot indexes of disks in the caller's order, because QEMU refuses two disks with the same boot index.
 */
const inBootOrder = (disks: MachineDisk[]) => {
  const bootable = disks
    .filter((disk) => disk.bootIndex !== null)
    .sort((a, b) => (a.bootIndex ?? 0) - (b.bootIndex ?? 0))
  return disks.map((disk) => ({ ...disk, bootIndex: disk.bootIndex === null ? null : bootable.indexOf(disk) }))
}
