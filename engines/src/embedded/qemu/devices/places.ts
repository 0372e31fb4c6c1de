import { MachineFault, type MachineDisk, type MachineSpec } from '../../hypervisor'
import { diskDeviceId, nicDeviceId } from './ids'

/*
 * Where each device sits. QEMU would choose by itself, but a restored machine must find every device where its
 * saved memory remembers it, whatever was attached and detached in between.
 */

/** Device id to its number on its bus. */
export type Places = Record<string, number>

type Bus = 'pci' | 'scsi' | 'ide' | 'sata' | 'usb'

/** The numbers that a bus has for disks and cards; those below are taken by the machine's own parts. */
const numbers: Record<Bus, { first: number; last: number }> = {
  pci: { first: 8, last: 31 },
  scsi: { first: 0, last: 127 },
  // The last of the four is the seed's.
  ide: { first: 0, last: 2 },
  sata: { first: 0, last: 5 },
  // The tablet is at the first.
  usb: { first: 2, last: 15 },
}

/** What is in use of the PCI bus before any disk or card. */
export const pciSlot = { video: 2, usb: 3, scsi: 4, entropy: 5, sata: 6, memory: 7 }
export const seedIdeNumber = 3

/** No CD-ROM drive exists for virtio, and one on USB cannot be told from a stick: both become SCSI. */
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

/** Keeps the places that devices have and gives one to each that has none. */
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
  throw new MachineFault('failed', 'The machine has no room for another disk or network card of this kind')
}
