import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { needs } from '../../../../../tools/lib/vitest/host-features'
import type { Hypervisor, MachineEvent, MachineSpec } from '../../hypervisor'
import {
  ask,
  booting,
  cleanUp,
  consoleSays,
  dataFolder,
  diskOf,
  eventOf,
  guestImage,
  guestSpec,
  open,
  refusal,
  type,
} from '../testbed'

const mebibyte = 1024 ** 2

const folder = dataFolder()
const small = join(folder, 'small')

// mounting the disk that fills up requires root
describe('on a host whose disk is full', { timeout: 120_000, ...needs('root', 'mounts', 'QEMU') }, () => {
  let hypervisor: Hypervisor
  let events: MachineEvent[]
  let guest: MachineSpec

  beforeAll(async () => {
    mkdirSync(small)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', small], { stdio: 'ignore' })
    guestImage()
    ;({ hypervisor, events } = await open(folder))
    const disk = diskOf(join(small, 'data.qcow2'))
    await hypervisor.disks.createBlank(disk.path, 32 * mebibyte)
    guest = await guestSpec(hypervisor, folder, { disks: [disk] })
    await booting(hypervisor, guest.id, () => hypervisor.machines.start(guest))
  }, 300_000)

  afterAll(async () => {
    await hypervisor.machines.cut(guest.id)
    execFileSync('umount', [small])
    await cleanUp(hypervisor, folder)
  })

  test('a guest is paused without data loss, and can continue once space is available', async () => {
    await ask(hypervisor, guest.id, 'dd if=/dev/urandom of=/tmp/random bs=1M count=8')
    await type(
      hypervisor,
      guest.id,
      'dd if=/tmp/random of=/dev/vdb bs=1M; sync; echo 3 > /proc/sys/vm/drop_caches; echo "all ""written"',
    )
    expect(await eventOf(events, guest.id, 'paused')).toMatchObject({
      reason: expect.stringContaining('full') as string,
    })
    execFileSync('mount', ['-o', 'remount,size=60m', small])
    await hypervisor.machines.unpause(guest.id)
    await consoleSays(hypervisor, guest.id, /all written/)
    const compare = 'head -c 8388608 /dev/vdb | cmp - /tmp/random && echo same'
    expect(await ask(hypervisor, guest.id, compare)).toBe('same')
  })

  test('a machine keeps running if it cannot be suspended', async () => {
    const own = join(folder, 'machines', guest.id, 'memory.part')
    // A link to the small file system simulates a full disk.
    execFileSync('mount', ['-o', 'remount,size=16m', small])
    writeFileSync(join(small, 'memory'), '')
    rmSync(own, { force: true })
    execFileSync('ln', ['-s', join(small, 'memory'), own])
    expect(await refusal(hypervisor.machines.suspend(guest.id))).toMatchObject({ code: 'disk_full' })
    expect(await hypervisor.machines.state(guest.id)).toBe('running')
    expect(await ask(hypervisor, guest.id, 'hostname')).toBe('guest')
    expect(existsSync(own)).toBe(false)
  })
})
