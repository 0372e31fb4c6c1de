import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { needs } from '../../../../../tools/lib/vitest/host-features'
import type { Hypervisor, MachineSize, MachineSpec } from '../../hypervisor'
import {
  booting,
  cleanUp,
  consoleSays,
  dataFolder,
  guestImage,
  guestSpec,
  open,
  refusal,
  specOf,
  until,
} from '../testbed'

describe('a machine with headroom', { timeout: 120_000, ...needs('QEMU') }, () => {
  const folder = dataFolder()
  let hypervisor: Hypervisor
  let guest: MachineSpec

  const guestUses = (size: MachineSize) =>
    until('the guest to use it', async () => {
      const now = await hypervisor.machines.size(guest.id)
      return now?.guest.vcpus === size.vcpus && now.guest.ramMiB === size.ramMiB
    })

  beforeAll(async () => {
    guestImage()
    ;({ hypervisor } = await open(folder))
    guest = await guestSpec(hypervisor, folder, { ramMiB: 97, room: { vcpus: 3, ramMiB: 600 } })
    await booting(hypervisor, guest.id, () => hypervisor.machines.start(guest))
  }, 300_000)

  afterAll(() => cleanUp(hypervisor, folder))

  test('grows while it runs, several times, and never shrinks', async () => {
    const { machines } = hypervisor
    expect(await machines.size(guest.id)).toEqual({ vcpus: 1, ramMiB: 97, guest: { vcpus: 1, ramMiB: 97 } })
    await machines.grow(guest.id, { vcpus: 2, ramMiB: 97 })
    await consoleSays(hypervisor, guest.id, /guest: now 2 processors/)
    // the result is 97 MiB plus a multiple of 4 MiB
    await machines.grow(guest.id, { vcpus: 2, ramMiB: 300 })
    await machines.grow(guest.id, { vcpus: 2, ramMiB: 300 })
    await machines.grow(guest.id, { vcpus: 1, ramMiB: 97 })
    await guestUses({ vcpus: 2, ramMiB: 301 })
    const [, mebibytes] = await consoleSays(hypervisor, guest.id, /guest: now 2 processors, (2\d\d) MiB of memory/)
    expect(Number(mebibytes)).toBeGreaterThan(200)
  })

  test('keeps its grown size across a server restart', async () => {
    await hypervisor.close()
    ;({ hypervisor } = await open(folder))
    expect(await hypervisor.machines.size(guest.id)).toMatchObject({ vcpus: 2, ramMiB: 301 })
  })

  test('keeps its grown size across suspend and resume', async () => {
    await hypervisor.machines.suspend(guest.id)
    expect(await hypervisor.machines.size(guest.id)).toBeNull()
    await hypervisor.close()
    ;({ hypervisor } = await open(folder))
    await hypervisor.machines.start({ ...guest, vcpus: 2, ramMiB: 300 })
    await guestUses({ vcpus: 2, ramMiB: 301 })
    await hypervisor.machines.grow(guest.id, { vcpus: 3, ramMiB: 400 })
    await guestUses({ vcpus: 3, ramMiB: 401 })
    await consoleSays(hypervisor, guest.id, /guest: now 3 processors, 3\d\d MiB of memory/)
  })

  test('corrects the record if the server was killed while growing the machine', async () => {
    const record = join(folder, 'machines', guest.id, 'machine.json')
    await hypervisor.close()
    const kept = JSON.parse(await readFile(record, 'utf8')) as { grown: MachineSize }
    expect(kept.grown).toEqual({ vcpus: 2, ramMiB: 304 })
    await writeFile(record, JSON.stringify({ ...kept, grown: { vcpus: 2, ramMiB: 404 } }))
    ;({ hypervisor } = await open(folder))
    expect(JSON.parse(await readFile(record, 'utf8'))).toMatchObject({ grown: { vcpus: 2, ramMiB: 304 } })
    await hypervisor.machines.grow(guest.id, { vcpus: 3, ramMiB: 500 })
    await guestUses({ vcpus: 3, ramMiB: 501 })
    await hypervisor.machines.grow(guest.id, { vcpus: 3, ramMiB: 600 })
    await guestUses({ vcpus: 3, ramMiB: 601 })
  })

  test('keeps its grown size across a reset, and starts with the requested size', async () => {
    const { machines } = hypervisor
    await machines.cut(guest.id)
    await booting(hypervisor, guest.id, () => machines.start(guest))
    await machines.grow(guest.id, { vcpus: 1, ramMiB: 300 })
    await guestUses({ vcpus: 1, ramMiB: 301 })
    await booting(hypervisor, guest.id, () => machines.reset(guest.id))
    await guestUses({ vcpus: 1, ramMiB: 301 })
    await machines.cut(guest.id)
    await machines.start({ ...guest, vcpus: 2, ramMiB: 128 })
    expect(await machines.size(guest.id)).toMatchObject({ vcpus: 2, ramMiB: 128 })
  })

  test('cannot grow beyond its headroom, and not at all without headroom', async () => {
    const { machines } = hypervisor
    const withoutRoom = { code: 'failed', message: expect.stringContaining('has no headroom for this size') }
    expect(await refusal(machines.grow(guest.id, { vcpus: 4, ramMiB: 128 }))).toEqual(withoutRoom)
    expect(await refusal(machines.grow(guest.id, { vcpus: 2, ramMiB: 700 }))).toEqual(withoutRoom)
    const fixed = specOf([], { ramMiB: 32 })
    await machines.start(fixed)
    expect(await refusal(machines.grow(fixed.id, { vcpus: 2, ramMiB: 32 }))).toEqual(withoutRoom)
    expect(await machines.size(fixed.id)).toEqual({ vcpus: 1, ramMiB: 32, guest: { vcpus: 1, ramMiB: 32 } })
    await machines.cut(fixed.id)
    expect(await refusal(machines.grow(fixed.id, { vcpus: 2, ramMiB: 32 }))).toMatchObject({ code: 'not_running' })
  })

  test('has the added size even if the guest does not use it', async () => {
    const { machines } = hypervisor
    const deaf = specOf([], { ramMiB: 32, room: { vcpus: 2, ramMiB: 64 } })
    await machines.start(deaf)
    await machines.grow(deaf.id, { vcpus: 2, ramMiB: 64 })
    expect(await machines.size(deaf.id)).toEqual({ vcpus: 2, ramMiB: 64, guest: { vcpus: 1, ramMiB: 32 } })
    await machines.cut(deaf.id)
  })
})
