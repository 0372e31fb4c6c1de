import { createHash } from 'node:crypto'
import { MachineFault } from '../../hypervisor'

const wellFormed = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

/** Validates an ID, which is used in folder names and QEMU arguments. */
export function checkedId(id: string): string {
  if (!wellFormed.test(id))
    throw new MachineFault('failed', 'This is not the ID of a virtual machine, disk or network interface')
  return id
}

/** Returns the name of the guest device in QEMU. */
export const diskDeviceId = (id: string) => `disk-${checkedId(id)}`
export const nicDeviceId = (id: string) => `nic-${checkedId(id)}`
export const netdevId = (id: string) => `net-${checkedId(id)}`

/** Returns the name of the block node in QEMU. Hashed, because names have at most 31 characters and a UUID has 36. */
export const blockNodeName = (id: string) => `b${createHash('sha256').update(checkedId(id)).digest('hex').slice(0, 28)}`
