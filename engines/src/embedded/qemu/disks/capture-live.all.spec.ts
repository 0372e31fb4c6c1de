import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { MiB } from '@mainstay/contract/core/bytes'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { needs } from '../../../../../tools/lib/vitest/host-features'
import type { Hypervisor } from '../../hypervisor'
import { ask, booting, cleanUp, dataFolder, diskOf, guestSpec, open, specOf, until } from '../testbed'

/*
 * Recovery points of running guests: they contain everything that the guest has written, and a machine boots from disks
 * that were restored from them.
 */

describe('captures of a running machine', { timeout: 600_000, ...needs('QEMU') }, () => {
  let folder: string
  let hypervisor: Hypervisor
  beforeEach(async () => {
    folder = dataFolder()
    hypervisor = (await open(folder)).hypervisor
  })
  afterEach(() => cleanUp(hypervisor, folder))

  const at = (name: string) => join(folder, `${name}.qcow2`)
  /** Writes a MiB of this character to the second disk of a guest, and returns the checksum of the first 8 MiB. */
  const write = (id: string, character: string, mib: number) =>
    ask(
      hypervisor,
      id,
      `head -c 1048576 /dev/zero | tr '\\0' ${character} | dd of=/dev/vdb bs=1M seek=${mib} conv=notrunc 2>/dev/null; ` +
        'sync; head -c 8388608 /dev/vdb | md5sum',
    )
  const checksum = (id: string) => ask(hypervisor, id, 'head -c 8388608 /dev/vdb | md5sum')

  test('contain all data that the guest has written, captured on all disks at the same moment', async () => {
    await hypervisor.disks.createBlank(at('data'), 64 * MiB)
    const data = diskOf(at('data'))
    const spec = await guestSpec(hypervisor, folder, { disks: [data] })
    const [root] = spec.disks
    await booting(hypervisor, spec.id, () => hypervisor.machines.start(spec))
    const capture = async (mark: string, since: string | null) => {
      const orders = [root!, data].map(({ path }, index) => ({ path, target: at(`${mark}-${index}`), mark, since }))
      return (await hypervisor.disks.capture(orders)).isIncremental
    }
    const restore = async (name: string, marks: string[], sizes: number[]) =>
      Promise.all(
        sizes.map(async (size, index) => {
          await hypervisor.disks.assemble(
            at(`${name}-${index}`),
            marks.map((mark) => at(`${mark}-${index}`)),
            size,
          )
          return diskOf(at(`${name}-${index}`), { bootIndex: index === 0 ? 0 : null })
        }),
      )

    const first = await write(spec.id, 'a', 1)
    expect(await capture('one', null)).toEqual([false, false])
    const second = await write(spec.id, 'b', 2)
    expect(await capture('two', 'one')).toEqual([true, true])
    const third = await write(spec.id, 'c', 3)
    expect(new Set([first, second, third]).size).toBe(3)

    const sizes = [(await hypervisor.disks.facts(root!.path)).virtualBytes, 64 * MiB]
    for (const [name, marks, expected] of [
      ['first', ['one'], first],
      ['second', ['one', 'two'], second],
    ] as const) {
      const restored = specOf(await restore(name, [...marks], sizes))
      await booting(hypervisor, restored.id, () => hypervisor.machines.start(restored))
      expect(await checksum(restored.id)).toBe(expected)
      await hypervisor.machines.cut(restored.id)
    }

    // the changes since the last capture are still known after a shutdown, but not after a kill
    await hypervisor.machines.cut(spec.id)
    expect(await capture('three', 'two')).toEqual([true, true])
    await booting(hypervisor, spec.id, () => hypervisor.machines.start(spec))
    expect(await checksum(spec.id)).toBe(third)
    process.kill(Number(readFileSync(join(folder, 'machines', spec.id, 'qemu.pid'), 'utf8')), 'SIGKILL')
    await until('the machine to be gone', async () => (await hypervisor.machines.state(spec.id)) === 'crashed')
    expect(await capture('four', 'three')).toEqual([false, false])
  })
})
