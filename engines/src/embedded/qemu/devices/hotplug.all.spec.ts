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
  guestImage,
  guestSpec,
  nicOf,
  open,
  refusal,
  specOf,
  until,
} from '../testbed'

const mebibyte = 1024 ** 2

describe('devices of a running machine', { timeout: 120_000, ...needs('QEMU') }, () => {
  const folder = dataFolder()
  let hypervisor: Hypervisor
  let events: MachineEvent[]
  let guest: MachineSpec

  const blank = async (name: string, size = 16 * mebibyte) => {
    const path = join(folder, name)
    await hypervisor.disks.createBlank(path, size)
    return diskOf(path)
  }

  beforeAll(async () => {
    guestImage()
    ;({ hypervisor, events } = await open(folder))
    guest = await guestSpec(hypervisor, folder)
    await booting(hypervisor, guest.id, () => hypervisor.machines.start(guest))
  }, 300_000)

  afterAll(() => cleanUp(hypervisor, folder))

  test('a disk can be attached, grown, detached and attached again', async () => {
    const { machines, disks } = hypervisor
    const disk = await blank('data.qcow2')
    await machines.attachDisk(guest.id, disk)
    await consoleSays(hypervisor, guest.id, /disk vdb: attached, 16 MiB/)
    await ask(hypervisor, guest.id, 'mke2fs -q /dev/vdb; mount /dev/vdb /mnt; echo precious > /mnt/note; umount /mnt')

    await machines.growDisk(guest.id, disk.id, 32 * mebibyte)
    await consoleSays(hypervisor, guest.id, /disk vdb: now 32 MiB/)
    expect(await disks.facts(disk.path)).toMatchObject({ format: 'qcow2', virtualBytes: 32 * mebibyte })
    expect(await refusal(machines.growDisk(guest.id, disk.id, mebibyte))).toMatchObject({ code: 'failed' })

    await machines.detachDisk(guest.id, disk.id)
    await consoleSays(hypervisor, guest.id, /disk vdb: detached/)
    await machines.detachDisk(guest.id, disk.id)

    await machines.attachDisk(guest.id, disk)
    await until('the disk to be back', async () => (await ask(hypervisor, guest.id, 'ls /sys/block')).includes('vdb'))
    expect(await ask(hypervisor, guest.id, 'mount /dev/vdb /mnt; cat /mnt/note; umount /mnt')).toBe('precious')
    await machines.detachDisk(guest.id, disk.id)
  })

  test('a SCSI disk and a CD can be attached and detached', async () => {
    const disk = { ...(await blank('scsi.qcow2')), bus: 'scsi' as const }
    const cd = diskOf(join(folder, 'cd.iso'), { format: 'raw', cdrom: true })
    await hypervisor.disks.writeSeed(cd.path, { readme: 'hello' })
    for (const each of [disk, cd]) await hypervisor.machines.attachDisk(guest.id, each)
    await consoleSays(hypervisor, guest.id, /disk sda: attached, 16 MiB/)
    await consoleSays(hypervisor, guest.id, /disk sr0: attached/)
    expect(await ask(hypervisor, guest.id, 'mount -o ro /dev/sr0 /mnt; cat /mnt/readme; umount /mnt')).toBe('hello')
    for (const each of [disk, cd]) await hypervisor.machines.detachDisk(guest.id, each.id)
    await consoleSays(hypervisor, guest.id, /disk sda: detached/)
  })

  test('a network interface can be attached and detached', async () => {
    const nic = nicOf({ address: '10.1.0.9', cidr: '10.1.0.0/16', mac: '52:54:00:aa:bb:cc' })
    await hypervisor.machines.attachNic(guest.id, nic)
    await consoleSays(hypervisor, guest.id, /network eth0: address 10\.1\.0\.9\/16/)
    expect(await ask(hypervisor, guest.id, 'cat /sys/class/net/eth0/address')).toBe('52:54:00:aa:bb:cc')
    await hypervisor.machines.detachNic(guest.id, nic.id)
    await consoleSays(hypervisor, guest.id, /network eth0: detached/)
  })

  test('keep their slots across suspend and resume', async () => {
    const [first, second] = [await blank('first.qcow2'), await blank('second.qcow2', 24 * mebibyte)]
    await hypervisor.machines.attachDisk(guest.id, first)
    await hypervisor.machines.attachDisk(guest.id, second)
    await hypervisor.machines.detachDisk(guest.id, first.id)
    await hypervisor.machines.suspend(guest.id)
    await hypervisor.close()
    ;({ hypervisor, events } = await open(folder))
    await hypervisor.machines.start({ ...guest, disks: [...guest.disks, second] })
    const size = await ask(hypervisor, guest.id, 'cat /sys/block/vdc/size')
    expect(Number(size) * 512).toBe(24 * mebibyte)
    await ask(hypervisor, guest.id, 'dd if=/dev/zero of=/dev/vdc bs=1M count=1; sync')
    await hypervisor.machines.detachDisk(guest.id, second.id)
    expect(events.map(({ state }) => state)).toEqual(['running'])
  })

  test('refuses to attach an IDE disk while the machine is running', async () => {
    const disk = { ...(await blank('ide.qcow2')), bus: 'ide' as const }
    const { code, message } = await refusal(hypervisor.machines.attachDisk(guest.id, disk))
    expect(code).toBe('failed')
    expect(message).toContain('while the virtual machine is shut down')
  })

  test('refuses a missing disk, and attaches the next one', async () => {
    const gone = diskOf(join(folder, 'gone.qcow2'))
    expect(await refusal(hypervisor.machines.attachDisk(guest.id, gone))).toEqual({
      code: 'failed',
      message: 'A disk of the virtual machine is missing',
    })
    const disk = await blank('there.qcow2')
    await hypervisor.machines.attachDisk(guest.id, disk)
    await hypervisor.machines.detachDisk(guest.id, disk.id)
  })

  test('reports the guest as busy if it does not release a disk, and keeps the disk', async () => {
    const disk = await blank('kept.qcow2')
    // Nothing boots on this machine, so the guest cannot respond.
    const deaf = specOf([disk], { ramMiB: 32 })
    await hypervisor.machines.start(deaf)
    expect(await refusal(hypervisor.machines.detachDisk(deaf.id, disk.id, 300))).toMatchObject({ code: 'guest_busy' })
    expect((await hypervisor.machines.usage(deaf.id))?.disks.map(({ id }) => id)).toEqual([disk.id])
    await hypervisor.machines.cut(deaf.id)
  })

  test('a disk can be copied while the guest writes to it', async () => {
    const disk = await blank('busy.qcow2')
    await hypervisor.machines.attachDisk(guest.id, disk)
    const device = await until(
      'the disk',
      async () => /vd[b-z]/.exec(await ask(hypervisor, guest.id, 'ls /sys/block'))?.[0],
    )
    await ask(hypervisor, guest.id, `mke2fs -q /dev/${device}; mount /dev/${device} /mnt; echo alive > /mnt/note; sync`)
    const copy = diskOf(join(folder, 'copy.qcow2'))
    await hypervisor.disks.createFrom(copy.path, disk.path, 48 * mebibyte)
    await ask(hypervisor, guest.id, 'umount /mnt')
    expect(await hypervisor.disks.facts(copy.path)).toMatchObject({ virtualBytes: 48 * mebibyte })
    await hypervisor.machines.detachDisk(guest.id, disk.id)
    await hypervisor.machines.attachDisk(guest.id, copy)
    const copied = await until(
      'the copy',
      async () => /vd[b-z]/.exec(await ask(hypervisor, guest.id, 'ls /sys/block'))?.[0],
    )
    expect(await ask(hypervisor, guest.id, `mount -o ro /dev/${copied} /mnt; cat /mnt/note; umount /mnt`)).toBe('alive')
  })
})
