import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { needs } from '../../../../../tools/lib/vitest/host-features'
import type { Hypervisor, MachineEvent, MachineSpec } from '../../hypervisor'
import { booting, cleanUp, dataFolder, guestImage, guestSpec, open, type } from '../testbed'

const pidOf = (folder: string, id: string) => Number(readFileSync(join(folder, 'machines', id, 'qemu.pid'), 'utf8'))

describe('a machine that boots again', { timeout: 120_000, ...needs('QEMU') }, () => {
  const folder = dataFolder()
  let hypervisor: Hypervisor
  let events: MachineEvent[]
  let guest: MachineSpec

  beforeAll(async () => {
    guestImage()
    ;({ hypervisor, events } = await open(folder))
    guest = await guestSpec(hypervisor, folder)
    await booting(hypervisor, guest.id, () => hypervisor.machines.start(guest))
  }, 300_000)

  afterAll(() => cleanUp(hypervisor, folder))

  test('keeps its process when the guest reboots', async () => {
    const pid = pidOf(folder, guest.id)
    await booting(hypervisor, guest.id, () => type(hypervisor, guest.id, 'reboot -f'))
    expect(pidOf(folder, guest.id)).toBe(pid)
    expect(events.map(({ state }) => state)).toEqual(['running'])
  })

  test('keeps its process on a reset', async () => {
    // after a resume, little code has been translated, which halves the duration of the reset
    await hypervisor.machines.suspend(guest.id)
    await hypervisor.machines.start(guest)
    const pid = pidOf(folder, guest.id)
    await booting(hypervisor, guest.id, () => hypervisor.machines.reset(guest.id))
    expect(pidOf(folder, guest.id)).toBe(pid)
    expect(await hypervisor.machines.state(guest.id)).toBe('running')
  })
})
