import process from 'node:process'
import { describe, expect, test } from 'vitest'
import { beginningOf } from './image-file'
import { inspectImage } from './inspect-image'

const sector = 512
const most = 1024 ** 4

/** Returns a VMDK with this description, which occupies the given number of sectors. */
function vmdk(description: string, sectors = Math.ceil(description.length / sector)): Buffer {
  const file = Buffer.alloc(sector * (1 + sectors))
  file.write('KDMV')
  file.writeBigUInt64LE(2048n, 12)
  file.writeBigUInt64LE(1n, 28)
  file.writeBigUInt64LE(BigInt(sectors), 36)
  file.write(description, sector, 'latin1')
  return file
}
const inspected = (head: Buffer) =>
  inspectImage(beginningOf(head, { sizeBytes: head.length, tail: head.subarray(-512) }), 'detect', most)
/**
 * Measures processor time in ms. Returns the minimum of three runs, because a run may include garbage collection for
 * earlier tests.
 */
async function spentOn(work: () => Promise<unknown>): Promise<number> {
  let least = Infinity
  for (let round = 0; round < 3; round++) {
    const before = process.cpuUsage()
    await work()
    least = Math.min(least, process.cpuUsage(before).user / 1000)
  }
  return least
}
const code = (head: Buffer) =>
  inspected(head).then(
    () => 'accepted',
    (error: { code: string }) => error.code,
  )

const good = (lines = '') =>
  `# Disk DescriptorFile\nversion=1\nCID=1\nparentCID=ffffffff\ncreateType="monolithicSparse"\n${lines}RW 2048 SPARSE "a.vmdk"\n`

describe('the description in a VMDK', () => {
  test('is accepted in the forms written by qemu-img and other programs', async () => {
    expect(await inspected(vmdk(good(), 20))).toEqual({ format: 'vmdk', virtualBytes: 2048 * 512 })
    expect(await code(vmdk(good().replaceAll('\n', '\r\n')))).toBe('accepted')
    expect(await code(vmdk(good().replaceAll(/(?<=\n)(?=[a-zA-Z])/g, '\t ')))).toBe('accepted')
  })

  test.each([
    ['names a parent', good('  parentFileNameHint="base.vmdk"\n'), 'image_backing_file'],
    ['has a parent CID', good().replace('ffffffff', '00000001'), 'image_backing_file'],
    ['has two extents', good('RW 1 SPARSE "b.vmdk"\n'), 'image_external_data'],
    ['has a flat extent', good().replace('SPARSE', 'FLAT'), 'image_external_data'],
    ['has another create type', good().replace('monolithicSparse', 'twoGbMaxExtentFlat'), 'image_external_data'],
    ['has no create type', good().replace(/createType.*\n/, ''), 'image_external_data'],
    ['has no header line', 'version=1\n', 'image_truncated'],
  ])('is refused if it %s', async (_, description, expected) => {
    expect(await code(vmdk(description))).toBe(expected)
  })

  test('is refused if it is longer than 20 sectors, which is more than any program writes', async () => {
    expect(await code(vmdk(good(), 21))).toBe('image_format_unsupported')
  })

  test('is parsed quickly, regardless of its content', async () => {
    const begin = '# Disk DescriptorFile\n'
    const room = 20 * sector - begin.length
    for (const filling of [
      '\n',
      ' ',
      '\t\n',
      '\v',
      '=',
      '"',
      'RW 1 ',
      'RW 1 SPARSE\n',
      'createType="',
      'parentCID=\n',
    ]) {
      const file = vmdk(begin + filling.repeat(room / filling.length), 20)
      expect(await spentOn(() => code(file)), JSON.stringify(filling)).toBeLessThan(100)
    }
  })
})

test('quickly skips line breaks before the description', async () => {
  const breaks = Buffer.alloc(1024 ** 2, '\n')
  expect(await code(breaks)).toBe('image_format_unsupported')
  expect(await code(Buffer.from(`${' \n'.repeat(200)}# Disk DescriptorFile\n`))).toBe('image_external_data')
  expect(await spentOn(() => code(breaks))).toBeLessThan(100)
})
