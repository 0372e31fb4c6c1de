import { readdir, readFile, realpath } from 'node:fs/promises'
import { basename, join } from 'node:path'

/** Files in which the kernel describes mounts and block devices. */
interface KernelFiles {
  mountinfo: string
  blockDevices: string
}
const kernelFiles: KernelFiles = { mountinfo: '/proc/self/mountinfo', blockDevices: '/sys/class/block' }

/** Decodes a path from mountinfo, where spaces and other separators are written as octal numbers. */
const decoded = (text: string): string =>
  text.replace(/\\(\d{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))

/** Returns the device that a folder is on, such as `/dev/mapper/data`, or null if it is unknown. */
async function deviceOf(folder: string, { mountinfo }: KernelFiles): Promise<string | null> {
  const mounts = (await readFile(mountinfo, 'utf8')).split('\n').flatMap((line) => {
    const [before = '', after] = line.split(' - ')
    const point = before.split(' ')[4]
    const device = after?.split(' ')[1]
    return point === undefined || device === undefined ? [] : [{ point: decoded(point), device: decoded(device) }]
  })
  // later mounts hide earlier ones, and the longest path is the closest one
  const [closest] = mounts
    .filter(({ point }) => `${folder}/`.startsWith(point === '/' ? '/' : `${point}/`))
    .toReversed()
    .toSorted((one, other) => other.point.length - one.point.length)
  return closest?.device ?? null
}

/** Whether a block device is encrypted by dm-crypt, or lies on such devices only (LVM, RAID). */
async function isCrypt(name: string, { blockDevices }: KernelFiles): Promise<boolean> {
  const kind = await readFile(join(blockDevices, name, 'dm', 'uuid'), 'utf8').catch(() => '')
  if (kind.startsWith('CRYPT-')) return true
  const below = await readdir(join(blockDevices, name, 'slaves')).catch(() => [])
  const each = await Promise.all(below.map((one) => isCrypt(one, { mountinfo: '', blockDevices })))
  return each.length > 0 && each.every(Boolean)
}

/** Whether the disks below a folder are encrypted with LUKS, according to the kernel. */
export async function isOnEncryptedDisk(folder: string, files: KernelFiles = kernelFiles): Promise<boolean> {
  const device = await deviceOf(await realpath(folder), files).catch(() => null)
  if (!device?.startsWith('/')) return false
  const name = basename(await realpath(device).catch(() => device))
  return isCrypt(name, files)
}
