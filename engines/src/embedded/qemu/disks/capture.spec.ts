import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { needs } from '../../../../../tools/lib/vitest/host-features'
import type { Disks } from '../../hypervisor'
import { openTestDisks, refusal } from '../testbed'

const MiB = 1024 ** 2

describe('captures of a disk', { timeout: 240_000, ...needs('QEMU') }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'mainstay-captures-'))
  const at = (name: string) => join(folder, `${name}.qcow2`)
  const io = (disk: string, ...commands: string[]) =>
    execFileSync('qemu-io', ['-f', 'qcow2', ...commands.flatMap((command) => ['-c', command]), at(disk)], {
      encoding: 'utf8',
    })
  /** Whether a MiB of a disk has this content. */
  const holds = (disk: string, byte: number, mib = 0): boolean =>
    !io(disk, `read -P ${byte} ${mib}M 1M`).includes('verification failed')
  const bitmapsOf = (disk: string): string[] => {
    const info = JSON.parse(execFileSync('qemu-img', ['info', '--output=json', at(disk)], { encoding: 'utf8' })) as {
      'format-specific': { data: { bitmaps?: { name: string }[] } }
    }
    return (info['format-specific'].data.bitmaps ?? []).map(({ name }) => name)
  }
  let disks: Disks
  let number = 0
  let disk: string
  const capture = async (mark: string, since: string | null) => {
    const { isIncremental } = await disks.capture([{ path: at(disk), target: at(`${disk}-${mark}`), mark, since }])
    return isIncremental[0]!
  }
  const restore = async (marks: string[], sizeBytes = 8 * MiB): Promise<string> => {
    const name = `${disk}-restored-${number++}`
    await disks.assemble(
      at(name),
      marks.map((mark) => at(`${disk}-${mark}`)),
      sizeBytes,
    )
    execFileSync('qemu-img', ['check', '-q', at(name)])
    return name
  }

  beforeAll(() => {
    disks = openTestDisks(folder)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  beforeEach(async () => {
    disk = `disk-${number++}`
    await disks.createBlank(at(disk), 8 * MiB)
    io(disk, 'write -P 1 0 2M')
  })

  test('contain all data at first, and then only changes', async () => {
    expect(await capture('a', null)).toBe(false)
    io(disk, 'write -P 2 1M 1M')
    expect(await capture('b', 'a')).toBe(true)
    io(disk, 'write -P 3 5M 1M')
    expect(await capture('c', 'b')).toBe(true)
    expect(statSync(at(`${disk}-b`)).blocks * 512).toBeLessThan(2 * MiB)
    const [first, second, third] = [await restore(['a']), await restore(['a', 'b']), await restore(['a', 'b', 'c'])]
    expect([holds(first, 1, 1), holds(first, 0, 5)]).toEqual([true, true])
    expect([holds(second, 1), holds(second, 2, 1), holds(second, 0, 5)]).toEqual([true, true, true])
    expect([holds(third, 1), holds(third, 2, 1), holds(third, 3, 5)]).toEqual([true, true, true])
    expect(execFileSync('qemu-img', ['compare', at(third), at(disk)], { encoding: 'utf8' })).toContain('identical')
    expect(bitmapsOf(disk).toSorted()).toEqual(['b', 'c'])
    for (const mark of ['a', 'b', 'c']) await disks.checkCaptured(at(`${disk}-${mark}`))
  })

  test('contain zeros and discarded blocks as changes', { tags: 'all' }, async () => {
    await capture('a', null)
    io(disk, 'write -z 0 1M', 'discard 1M 1M')
    expect(await capture('b', 'a')).toBe(true)
    const restored = await restore(['a', 'b'])
    expect([holds(restored, 0), holds(restored, 0, 1)]).toEqual([true, true])
  })

  test('contain all data if the changes since the last capture are unknown', { tags: 'all' }, async () => {
    expect(await capture('a', 'never-made')).toBe(false)
    await capture('b', 'a')
    expect(await capture('c', 'a')).toBe(true)
    await disks.createSnapshot(at(disk), 'snapshot')
    expect(await capture('d', 'c')).toBe(true)
    await disks.revertTo(at(disk), 'snapshot')
    expect(bitmapsOf(disk)).toEqual([])
    expect(await capture('e', 'd')).toBe(false)
  })

  test('can be repeated after a failure without losing changes', { tags: 'all' }, async () => {
    await capture('a', null)
    io(disk, 'write -P 2 0 1M')
    const stopped = AbortSignal.abort(new Error('stopped'))
    const order = { path: at(disk), target: at(`${disk}-b`), mark: 'b', since: 'a' }
    expect(await refusal(disks.capture([order], undefined, stopped))).toMatchObject({ message: 'stopped' })
    writeFileSync(at(`${disk}-b`), 'left behind')
    expect(await capture('b', 'a')).toBe(true)
    expect(holds(await restore(['a', 'b']), 2)).toBe(true)
  })

  test('survive an extension of the disk', { tags: 'all' }, async () => {
    await capture('a', null)
    await disks.grow(at(disk), 16 * MiB)
    io(disk, 'write -P 4 12M 1M')
    const isIncremental = await capture('b', 'a')
    const restored = await restore(isIncremental ? ['a', 'b'] : ['b'], 16 * MiB)
    expect([holds(restored, 1), holds(restored, 4, 12)]).toEqual([true, true])
    expect(await disks.facts(at(restored))).toMatchObject({ virtualBytes: 16 * MiB })
  })

  test('are refused if their tables are damaged', async () => {
    await capture('a', null)
    const file = readFileSync(at(`${disk}-a`))
    file.fill(0xff, 0x30000, 0x30400)
    writeFileSync(at(`${disk}-a`), file)
    expect(await refusal(disks.checkCaptured(at(`${disk}-a`)))).toMatchObject({ code: 'image_truncated' })
  })
})
