import { createHash } from 'node:crypto'
import { MachineFault } from '../../hypervisor'

const wellFormed = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

/** An id becomes a folder's name and a part of QEMU's words, so it must look like one. */
export function checkedId(id: string): string {
  if (!wellFormed.test(id)) throw new MachineFault('failed', 'This is not the id of a machine, disk or network card')
  return id
}

/** QEMU's name for the device that the guest sees. */
export const diskDeviceId = (id: string) => `disk-${checkedId(id)}`
export const nicDeviceId = (id: string) => `nic-${checkedId(id)}`
export const netdevId = (id: string) => `net-${checkedId(id)}`

/** QEMU's name for the file behind a disk. At most 31 characters are allowed, a UUID has 36. */
export const blockNodeName = (id: string) => `b${createHash('sha256').update(checkedId(id)).digest('hex').slice(0, 28)}`
