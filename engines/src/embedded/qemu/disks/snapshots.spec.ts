import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { needs } from '../../../../../tools/lib/vitest/host-features'
import type { Disks } from '../../hypervisor'
import { openTestDisks, refusal } from '../testbed'

const MiB = 1024 ** 2

describe('snapshots in a disk', { timeout: 240_000, ...needs('QEMU') }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'mainstay-snapshots-'))
  const at = (name: string) => join(folder, `${name}.qcow2`)
  const write = (disk: string, byte: number) =>
    execFileSync('qemu-io', ['-f', 'qcow2', '-c', `write -P ${byte} 0 1M`, at(disk)], { stdio: 'ignore' })
  /** Whether the first MiB of a disk has this content. */
  const holds = (disk: string, byte: number): boolean => {
    const said = execFileSync('qemu-io', ['-r', '-f', 'qcow2', '-c', `read -P ${byte} 0 1M`, at(disk)], {
      encoding: 'utf8',
    })
    return !said.includes('verification failed')
  }
  const check = (disk: string) => execFileSync('qemu-img', ['check', '-q', at(disk)])
  let disks: Disks
  let number = 0
  let disk: string

  beforeAll(() => {
    disks = openTestDisks(folder)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  beforeEach(async () => {
    disk = `disk-${number++}`
    await disks.createBlank(at(disk), 8 * MiB)
    write(disk, 1)
  })

  test('keep the content, to which the disk can be reverted more than once', async () => {
    await disks.createSnapshot(at(disk), 'first')
    for (const byte of [2, 3]) {
      write(disk, byte)
      expect(holds(disk, byte)).toBe(true)
      await disks.revertTo(at(disk), 'first')
      expect(holds(disk, 1)).toBe(true)
    }
    check(disk)
  })

  test('are not changed or removed if a change is repeated', { tags: 'all' }, async () => {
    await disks.createSnapshot(at(disk), 'first')
    write(disk, 2)
    await disks.createSnapshot(at(disk), 'first')
    await disks.revertTo(at(disk), 'first')
    expect(holds(disk, 1)).toBe(true)
    await disks.deleteSnapshot(at(disk), 'first')
    await disks.deleteSnapshot(at(disk), 'first')
    expect(await refusal(disks.revertTo(at(disk), 'first'))).toMatchObject({ code: 'image_truncated' })
    check(disk)
  })

  test('can be copied to a larger disk, which is independent', { tags: 'all' }, async () => {
    await disks.createSnapshot(at(disk), 'first')
    write(disk, 2)
    await disks.createFrom(at(`${disk}-copy`), { path: at(disk), snapshot: 'first' }, 16 * MiB)
    await disks.deleteSnapshot(at(disk), 'first')
    expect(holds(`${disk}-copy`, 1)).toBe(true)
    expect(holds(disk, 2)).toBe(true)
    expect(await disks.facts(at(`${disk}-copy`))).toMatchObject({ format: 'qcow2', virtualBytes: 16 * MiB })
  })

  test('keep the size that the disk had', { tags: 'all' }, async () => {
    await disks.createSnapshot(at(disk), 'small')
    await disks.grow(at(disk), 16 * MiB)
    await disks.createFrom(at(`${disk}-copy`), { path: at(disk), snapshot: 'small' }, 8 * MiB)
    expect(await disks.facts(at(`${disk}-copy`))).toMatchObject({ virtualBytes: 8 * MiB })
    await disks.revertTo(at(disk), 'small')
    expect(await disks.facts(at(disk))).toMatchObject({ virtualBytes: 8 * MiB })
    check(disk)
  })

  test('cannot be created while another process has the disk open', async () => {
    // QEMU's programs lock a file with the same locks as a machine
    const holder = execFileSync('sh', [
      '-c',
      `qemu-storage-daemon --daemonize --pidfile ${folder}/pid --blockdev driver=file,filename=${at(disk)},node-name=f --blockdev driver=qcow2,file=f,node-name=d && cat ${folder}/pid`,
    ])
    try {
      expect(await refusal(disks.createSnapshot(at(disk), 'late'))).toMatchObject({ code: 'disk_in_use' })
    } finally {
      process.kill(Number(holder.toString().trim()))
    }
  })
})
