import type { HostDisk } from '@mainstay/contract/infrastructure/node-facts'
import * as z from 'zod'

/** A disk without the values that SMART reports. */
export type FoundDisk = Omit<HostDisk, 'smart_status' | 'temperature'>

const Text = z.string().nullish()
const Bytes = z.union([z.number(), z.string().regex(/^\d+$/).transform(Number)])
const Device = z.object({
  name: z.string(),
  path: z.string(),
  type: z.string(),
  size: Bytes,
  rota: z.boolean().nullish(),
  tran: Text,
  model: Text,
  serial: Text,
  wwn: Text,
  zoned: Text,
  fstype: Text,
  fsused: Bytes.nullish(),
  mountpoint: Text,
  mountpoints: z.array(z.string().nullable()).optional(),
  get children() {
    return z.array(Device).optional()
  },
})
type Device = z.infer<typeof Device>
const Lsblk = z.object({ blockdevices: z.array(Device) })

/** Names of RAM disks, and of devices that exist only while something is connected to them. */
const notADisk = /^(zram|ram|nbd|fd|sr)\d+$/

/** Whether a mount point belongs to the running system. */
const isOfSystem = (mount: string): boolean => /^(\/|\/usr|\/var|\/boot(\/.*)?|\[SWAP\])$/.test(mount)

/** Parses `lsblk -J -b -O`. The disk that contains `dataFolder` is marked as a system disk. */
export function parseDisks(text: string, dataFolder: string | null = null): FoundDisk[] {
  const disks = Lsblk.parse(JSON.parse(text)).blockdevices.filter(
    ({ type, name, size }) => type === 'disk' && size > 0 && !notADisk.test(name),
  )
  const dataMount = mountOf(dataFolder, disks.flatMap(devicesIn).flatMap(mountsOf))
  const keys = new Set<string>()
  return disks.map((disk) => {
    const devices = devicesIn(disk)
    const mounts = devices.flatMap(mountsOf)
    // several paths to the same disk report the same serial number
    const names = [disk.serial, disk.wwn].map((name) => name?.trim() ?? '')
    const key = names.find((name) => name !== '' && !keys.has(name)) ?? disk.path
    keys.add(key)
    const used = devices.flatMap(({ fsused }) => fsused ?? [])
    return {
      ...{ key, device: disk.name, type: typeOf(disk) },
      model: disk.model?.trim() || null,
      serial_number: disk.serial?.trim() || null,
      size: disk.size,
      used: used.length === 0 ? null : used.reduce((sum, bytes) => sum + bytes, 0),
      is_system: mounts.some((mount) => isOfSystem(mount) || mount === dataMount),
      holders: [...new Set(devices.flatMap(holdersIn))],
      zoned: isZoned(disk),
    }
  })
}

/** Returns a device and all devices on it without duplicates, because a volume may span several partitions. */
function devicesIn(device: Device): Device[] {
  const all = [device, ...(device.children ?? []).flatMap(devicesIn)]
  return [...new Map(all.map((one) => [one.name, one])).values()]
}

const mountsOf = ({ mountpoint, mountpoints }: Device): string[] =>
  (mountpoints ?? [mountpoint ?? null]).filter((mount) => mount !== null)

/** Returns the mount point that contains the folder; null if none of them does. */
export const mountOf = (folder: string | null, mounts: readonly string[]): string | null =>
  mounts
    .filter((mount) => folder !== null && `${folder}/`.startsWith(mount === '/' ? mount : `${mount}/`))
    .toSorted((one, other) => other.length - one.length)[0] ?? null

const isZoned = ({ zoned }: Device): boolean => zoned === 'host-managed' || zoned === 'host-aware'

function typeOf(disk: Device): HostDisk['type'] {
  if (disk.tran === 'nvme') return 'nvme'
  if (disk.tran === 'iscsi') return 'iscsi'
  if (isZoned(disk)) return 'smr'
  return disk.rota ? 'hdd' : 'ssd'
}

/**
 * Returns the users of a device: mount points, LVM, RAID or encryption. Without these, returns its file system or its
 * partitions.
 */
function holdersIn(device: Device): string[] {
  const { type, name, fstype, children = [] } = device
  const mounts = mountsOf(device)
  const named =
    type === 'lvm'
      ? [`LVM ${name}`]
      : type.startsWith('raid')
        ? [`RAID ${name}`]
        : type === 'crypt'
          ? [`LUKS ${name}`]
          : []
  if (mounts.length > 0) return [...named, ...mounts.map((mount) => (mount === '[SWAP]' ? 'swap' : mount))]
  if (named.length > 0 || children.length > 0) return named
  if (fstype != null && fstype !== '') return [`${fstype} ${name}`]
  return type === 'disk' ? [] : [`${type} ${name}`]
}
