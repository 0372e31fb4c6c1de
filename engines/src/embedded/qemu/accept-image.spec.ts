import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
  closeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Disks } from '../hypervisor'
import { openDisks } from './disks'
import { imageTool } from './image-tool'
import { guestImage, qemuIsInstalled, refusal } from './testbed'

const mebibyte = 1024 ** 2
const most = 10 * 1024 ** 3

describe.skipIf(!qemuIsInstalled())('an uploaded image', { timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'mainstay-images-'))
  const at = (name: string) => join(folder, name)
  const target = at('accepted')
  let disks: Disks
  /** A disk of 8 MiB with something in it, starting with a boot record. */
  const raw = at('model.raw')

  const tool = (...args: string[]) => execFileSync('qemu-img', args, { stdio: 'pipe' })
  const accept = async (name: string, declared: string, maxVirtualBytes = most) => {
    rmSync(target, { force: true })
    return disks.acceptImage(at(name), target, declared, maxVirtualBytes)
  }
  const refused = async (name: string, declared: string, maxVirtualBytes?: number) => {
    const { code, message } = await refusal(accept(name, declared, maxVirtualBytes))
    expect(existsSync(target), 'nothing may be left where images are run from').toBe(false)
    expect(message).not.toContain('/')
    return code
  }
  /** Writes into a file as somebody with bad intentions would. */
  const patch = (name: string, offset: number, bytes: Buffer) => {
    const file = openSync(at(name), 'r+')
    writeSync(file, bytes, 0, bytes.length, offset)
    closeSync(file)
  }
  const word = (value: number) => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return bytes
  }
  const long = (value: bigint) => {
    const bytes = Buffer.alloc(8)
    bytes.writeBigUInt64BE(value)
    return bytes
  }

  beforeAll(() => {
    disks = openDisks({ folder, tool: imageTool('qemu-img'), liveCopy: async () => false })
    const content = Buffer.alloc(8 * mebibyte)
    for (let offset = 0; offset < 6 * mebibyte; offset += 4)
      content.writeUInt32LE((offset * 2_654_435_761) >>> 0, offset)
    content.writeUInt16LE(0xaa55, 510)
    writeFileSync(raw, content)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const made = (format: string, name: string, ...options: string[]) =>
    tool('convert', '-f', 'raw', '-O', format, ...options, raw, at(name))

  test.each([
    ['qcow2', 'qcow2', []],
    ['qcow2', 'qcow2', ['-c']],
    ['vmdk', 'vmdk', []],
    ['vmdk', 'vmdk', ['-o', 'subformat=streamOptimized']],
    ['vdi', 'vdi', []],
    ['vpc', 'vhd', ['-o', 'force_size=on']],
    ['vpc', 'vhd', ['-o', 'subformat=fixed,force_size=on']],
    ['vhdx', 'vhdx', []],
    ['parallels', 'ploop', []],
  ])('made as %s and declared as %s (%j) is accepted with its content', async (format, declared, options) => {
    for (const name of [declared, 'detect']) {
      made(format, 'good', ...options)
      expect(await accept('good', name)).toMatchObject({ format: 'qcow2', virtualBytes: 8 * mebibyte })
      expect(existsSync(at('good')), 'the upload is used up').toBe(false)
      tool('convert', '-f', 'qcow2', '-O', 'raw', target, at('back.raw'))
      expect(readFileSync(at('back.raw')).equals(readFileSync(raw))).toBe(true)
    }
  })

  test.each(['raw', 'img', 'ami', 'detect'])('of a raw disk declared as %s stays as it is', async (declared) => {
    writeFileSync(at('disk.raw'), readFileSync(raw))
    expect(await accept('disk.raw', declared)).toMatchObject({ format: 'raw', virtualBytes: 8 * mebibyte })
    expect(readFileSync(target).equals(readFileSync(raw))).toBe(true)
  })

  test('of a CD is accepted as ISO', async () => {
    await disks.writeSeed(at('cd.iso'), { readme: 'hello' })
    expect(await accept('cd.iso', 'iso')).toMatchObject({ format: 'iso' })
  })

  test('of our own guest is accepted', async () => {
    writeFileSync(at('guest.qcow2'), readFileSync(guestImage()))
    expect(await accept('guest.qcow2', 'qcow2')).toMatchObject({ format: 'qcow2', virtualBytes: 40 * mebibyte })
  })

  test('tells how far the conversion is', async () => {
    made('vdi', 'slow.vdi')
    const steps: number[] = []
    rmSync(target, { force: true })
    await disks.acceptImage(at('slow.vdi'), target, 'vdi', most, (percent) => steps.push(percent))
    expect(steps.at(-1)).toBe(100)
    expect(steps).toEqual([...steps].sort((a, b) => a - b))
  })

  test.each([
    ['text', Buffer.from('Dear reader, this is no disk.\n'.repeat(100))],
    ['a PDF', Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(10_000, 'x')])],
    ['a program', readFileSync(process.execPath).subarray(0, mebibyte)],
    ['an archive', gzipSync(Buffer.alloc(100_000))],
    ['noise', Buffer.from(Array.from({ length: 65_536 }, (_, index) => (index * 7919) % 251))],
    ['zeros', Buffer.alloc(65_536)],
  ])('that is %s is refused whatever it is declared as', async (_, content) => {
    writeFileSync(at('nonsense'), content)
    for (const declared of ['qcow2', 'raw', 'iso', 'vmdk', 'vdi', 'vhd', 'vhdx', 'ploop', 'detect']) {
      expect(await refused('nonsense', declared), declared).toBe('image_format_unsupported')
    }
    expect(existsSync(at('nonsense')), 'the upload is left to its owner').toBe(true)
  })

  test('of an unknown format is refused', async () => {
    expect(await refused('model.raw', 'floppy')).toBe('image_format_unsupported')
    expect(await refused('model.raw', 'constructor')).toBe('image_format_unsupported')
  })

  test('that is qcow2 but declared as raw is refused, so that nobody takes it for qcow2 later', async () => {
    made('qcow2', 'disguised')
    expect(await refused('disguised', 'raw')).toBe('image_format_unsupported')
    expect(await refused('disguised', 'iso')).toBe('image_format_unsupported')
  })

  test('that needs a backing file is refused without opening that', async () => {
    tool('create', '-f', 'qcow2', '-b', raw, '-F', 'raw', at('child.qcow2'))
    expect(await refused('child.qcow2', 'qcow2')).toBe('image_backing_file')
    expect(await refused('child.qcow2', 'detect')).toBe('image_backing_file')
    tool('create', '-f', 'qcow2', '-u', '-b', '/etc/shadow', '-F', 'raw', at('spy.qcow2'), '8M')
    expect(await refused('spy.qcow2', 'qcow2')).toBe('image_backing_file')
    made('vmdk', 'parent.vmdk')
    tool('create', '-f', 'vmdk', '-b', at('parent.vmdk'), '-F', 'vmdk', at('child.vmdk'))
    expect(await refused('child.vmdk', 'vmdk')).toBe('image_backing_file')
  })

  test('that keeps its content in another file is refused', async () => {
    tool('create', '-f', 'qcow2', '-o', `data_file=${at('elsewhere.raw')},data_file_raw=on`, at('external.qcow2'), '8M')
    expect(await refused('external.qcow2', 'qcow2')).toBe('image_external_data')
    made('qcow2', 'named.qcow2')
    const headerLength = readFileSync(at('named.qcow2')).readUInt32BE(100)
    patch(
      'named.qcow2',
      headerLength,
      Buffer.concat([word(0x44415441), word(11), Buffer.from('/etc/shadow\0\0\0\0\0')]),
    )
    expect(await refused('named.qcow2', 'qcow2')).toBe('image_external_data')
  })

  test('of VMware that names other files is refused', async () => {
    const description =
      '# Disk DescriptorFile\nversion=1\nCID=1\nparentCID=ffffffff\ncreateType="monolithicFlat"\nRW 16384 FLAT "/etc/shadow" 0\n'
    writeFileSync(at('descriptor.vmdk'), description)
    expect(await refused('descriptor.vmdk', 'vmdk')).toBe('image_external_data')
    expect(await refused('descriptor.vmdk', 'raw')).toBe('image_external_data')
    made('vmdk', 'inside.vmdk')
    const at512 = readFileSync(at('inside.vmdk')).readUInt32LE(28) * 512
    patch('inside.vmdk', at512, Buffer.from(`${description}\0`))
    expect(await refused('inside.vmdk', 'vmdk')).toBe('image_external_data')
    made('vmdk', 'empty.vmdk')
    patch('empty.vmdk', 12, Buffer.alloc(8))
    expect(await refused('empty.vmdk', 'vmdk')).toBe('image_external_data')
  })

  test('that is encrypted is refused', async () => {
    made('qcow2', 'secret.qcow2')
    patch('secret.qcow2', 32, word(2))
    expect(await refused('secret.qcow2', 'qcow2')).toBe('image_encrypted')
    writeFileSync(
      at('secret.luks'),
      Buffer.concat([Buffer.from('LUKS\xba\xbe\0\x01', 'latin1'), Buffer.alloc(mebibyte)]),
    )
    expect(await refused('secret.luks', 'raw')).toBe('image_encrypted')
  })

  test('of a disk larger than allowed is refused, up to 1 EiB', async () => {
    tool('create', '-f', 'qcow2', at('large.qcow2'), '11G')
    expect(await refused('large.qcow2', 'qcow2')).toBe('image_too_large')
    tool('create', '-f', 'qcow2', at('vast.qcow2'), '1T')
    patch('vast.qcow2', 24, long(2n ** 60n))
    expect(await refused('vast.qcow2', 'qcow2')).toBe('image_too_large')
    for (const format of ['vmdk', 'vdi', 'vpc', 'vhdx', 'parallels']) {
      tool('create', '-f', format, at('large'), '11G')
      expect(await refused('large', 'detect'), format).toBe('image_too_large')
    }
    writeFileSync(at('sparse.raw'), readFileSync(raw).subarray(0, 512))
    truncateSync(at('sparse.raw'), 11 * 1024 ** 3)
    expect(await refused('sparse.raw', 'raw')).toBe('image_too_large')
  })

  test.each([
    ['qcow2', []],
    ['qcow2', ['-c']],
    ['vmdk', []],
    ['vmdk', ['-o', 'subformat=streamOptimized']],
    ['vdi', []],
    ['vpc', []],
    ['vpc', ['-o', 'subformat=fixed']],
    ['vhdx', []],
    ['parallels', []],
  ])('of %s (%j) that was cut off on its way is refused', async (format, options) => {
    for (const share of [0.5, 0.8]) {
      made(format, 'cut', ...options)
      truncateSync(at('cut'), Math.floor((readFileSync(at('cut')).length * share) / 512) * 512)
      const declared = format === 'vpc' ? 'vhd' : format === 'parallels' ? 'ploop' : format
      // A VHD that lost its end has lost what makes it one.
      expect([
        'image_truncated',
        ...(options.includes('subformat=fixed') ? ['image_format_unsupported'] : []),
      ]).toContain(await refused('cut', declared))
    }
  })

  test('that ends within its header is refused', async () => {
    made('qcow2', 'stub.qcow2')
    truncateSync(at('stub.qcow2'), 60)
    expect(await refused('stub.qcow2', 'qcow2')).toBe('image_truncated')
    writeFileSync(at('nothing'), '')
    expect(await refused('nothing', 'raw')).toBe('image_truncated')
    writeFileSync(at('odd.raw'), readFileSync(raw).subarray(0, 70_001))
    expect(await refused('odd.raw', 'raw')).toBe('image_truncated')
  })

  test('with a broken table is refused, not run', async () => {
    made('qcow2', 'broken.qcow2')
    patch('broken.qcow2', 40, long(2n ** 62n))
    expect(await refused('broken.qcow2', 'qcow2')).toMatch(/image_(truncated|format_unsupported)/)
    made('qcow2', 'greedy.qcow2')
    patch('greedy.qcow2', 36, word(0xffffffff))
    expect(await refused('greedy.qcow2', 'qcow2')).toMatch(/image_(truncated|format_unsupported)/)
  })
})
