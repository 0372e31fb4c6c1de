import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { isOnEncryptedDisk } from './disk-encryption'

let root: string
let folder: string
let files: { mountinfo: string; blockDevices: string }
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'disk-encryption-'))
  folder = join(root, 'data folder')
  files = { mountinfo: join(root, 'mountinfo'), blockDevices: join(root, 'block') }
  await mkdir(folder)
})

/** Creates the kernel files of a block device with the devices below it, and its device mapper UUID. */
async function device(name: string, below: string[], uuid?: string) {
  for (const one of below) await mkdir(join(files.blockDevices, name, 'slaves', one), { recursive: true })
  await mkdir(join(files.blockDevices, name, 'dm'), { recursive: true })
  if (uuid) await writeFile(join(files.blockDevices, name, 'dm', 'uuid'), `${uuid}\n`)
}
const mounts = (...lines: [point: string, source: string][]) =>
  writeFile(
    files.mountinfo,
    lines
      .map(([point, source], id) => `${id} 1 0:1 / ${point.replaceAll(' ', '\\040')} rw - btrfs ${source} rw\n`)
      .join(''),
  )

it('finds LUKS on the device of the closest mount, also below LVM', async () => {
  await device('dm-1', ['dm-0'], 'LVM-x')
  await device('dm-0', ['sda2'], 'CRYPT-LUKS2-x')
  await mounts(['/', '/dev/sda1'], [folder, '/dev/dm-1'])
  expect(await isOnEncryptedDisk(folder, files)).toBe(true)
  await mounts(['/', '/dev/dm-1'], [folder, '/dev/sda1'])
  expect(await isOnEncryptedDisk(folder, files)).toBe(false)
})

it('does not call a folder encrypted if one of its disks is not, or if its device is unknown', async () => {
  await device('md0', ['dm-0', 'sdb'])
  await device('dm-0', [], 'CRYPT-LUKS2-x')
  await mounts([folder, '/dev/md0'])
  expect(await isOnEncryptedDisk(folder, files)).toBe(false)
  await mounts([`${folder}s`, '/dev/dm-0'], ['/', 'overlay'])
  expect(await isOnEncryptedDisk(folder, files)).toBe(false)
  await mounts()
  expect(await isOnEncryptedDisk(folder, files)).toBe(false)
})
