import { MachineFault, type MachineDisk, type MachineSpec } from '../../hypervisor'
import { diskDeviceId, nicDeviceId } from './ids'

/*
 * Fixed bus slots for devices. QEMU could choose them itself, but when a machine is restored, every device must be in
 * the slot that its saved memory expects, whatever was attached and detached before.
 */

/** Slot on its bus by device ID. */
export type Places = Record<string, number>

type Bus = 'pci' | 'scsi' | 'ide' | 'sata' | 'usb'

/** Slots for disks and interfaces; lower ones are used by built-in devices. */
const numbers: Record<Bus, { first: number; last: number }> = {
  pci: { first: 8, last: 31 },
  scsi: { first: 0, last: 127 },
  // The last of the four slots is used by the seed.
  ide: { first: 0, last: 2 },
  sata: { first: 0, last: 5 },
  // The first slot is used by the tablet.
  usb: { first: 2, last: 15 },
}

/** PCI slots of built-in devices. */
export const pciSlot = { video: 2, usb: 3, scsi: 4, entropy: 5, sata: 6, memory: 7 }
export const seedIdeNumber = 3

/**
 * Returns the bus of a disk. virtio has no CD-ROM drives, and a USB one would look like a flash drive, so both use
 * SCSI.
 */
export const busOf = (disk: MachineDisk): Bus => {
  if (disk.bus === 'virtio') return disk.cdrom ? 'scsi' : 'pci'
  if (disk.bus === 'usb') return disk.cdrom ? 'scsi' : 'usb'
  return disk.bus
}

type Devices = Pick<MachineSpec, 'disks' | 'nics'>

const seats = ({ disks, nics }: Devices) => [
  ...disks.map((disk) => ({ device: diskDeviceId(disk.id), bus: busOf(disk) })),
  ...nics.map((nic) => ({ device: nicDeviceId(nic.id), bus: 'pci' as const })),
]

/** Keeps the slots of known devices and assigns one to each new device. */
export function placed(devices: Devices, before: Places): Places {
  const all = seats(devices)
  const places: Places = {}
  for (const { device } of all) {
    const place = before[device]
    if (place !== undefined) places[device] = place
  }
  for (const { device, bus } of all) {
    places[device] ??= firstFree(
      bus,
      all.filter((seat) => seat.bus === bus).map((seat) => places[seat.device]),
    )
  }
  return places
}

function firstFree(bus: Bus, taken: (number | undefined)[]): number {
  for (let number = numbers[bus].first; number <= numbers[bus].last; number++) {
    if (!taken.includes(number)) return number
  }
  throw new MachineFault('failed', 'The virtual machine cannot have another disk or network interface of this type')
}
