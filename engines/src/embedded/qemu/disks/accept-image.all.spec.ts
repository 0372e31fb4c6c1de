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
import { needs } from '../../../../../tools/lib/vitest/host-features'
import { OutputTooLarge } from '../../../image-files/worker-launcher'
import { beginningOf } from '../../../image-files/image-file'
import { inspectImage } from '../../../image-files/inspect-image'
import type { Disks } from '../../hypervisor'
import { guestImage, openTestDisks, refusal } from '../testbed'

const mebibyte = 1024 ** 2
const most = 10 * 1024 ** 3

describe('image uploads', { timeout: 60_000, ...needs('QEMU') }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'mainstay-images-'))
  const at = (name: string) => join(folder, name)
  const target = at('accepted')
  let disks: Disks
  /** An 8 MiB disk with content and a boot record. */
  const raw = at('model.raw')

  const tool = (...args: string[]) => execFileSync('qemu-img', args, { stdio: 'pipe' })
  const order = { target, maxBytes: most, reserveBytes: 0 }
  const accept = async (name: string, declared: string, maxVirtualBytes = most) => {
    rmSync(target, { force: true })
    return disks.acceptImage({ ...order, upload: at(name), declared, maxVirtualBytes })
  }
  const refused = async (name: string, declared: string, maxVirtualBytes?: number) => {
    const { code, message } = await refusal(accept(name, declared, maxVirtualBytes))
    expect(existsSync(target), 'nothing may be left where images are run from').toBe(false)
    expect(message).not.toContain('/')
    return code
  }
  /** Overwrites bytes in a file, as an attacker would. */
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
    disks = openTestDisks(folder)
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
  ])('accepts %s declared as %s (%j) without changing its content', async (format, declared, options) => {
    for (const name of [declared, 'detect']) {
      made(format, 'good', ...options)
      expect(await accept('good', name)).toMatchObject({ format: 'qcow2', virtualBytes: 8 * mebibyte })
      expect(existsSync(at('good')), 'the upload is used up').toBe(false)
      tool('convert', '-f', 'qcow2', '-O', 'raw', target, at('back.raw'))
      expect(readFileSync(at('back.raw')).equals(readFileSync(raw))).toBe(true)
    }
  })

  test.each(['raw', 'img', 'ami', 'detect'])('keeps a raw disk declared as %s unchanged', async (declared) => {
    writeFileSync(at('disk.raw'), readFileSync(raw))
    expect(await accept('disk.raw', declared)).toMatchObject({ format: 'raw', virtualBytes: 8 * mebibyte })
    expect(readFileSync(target).equals(readFileSync(raw))).toBe(true)
  })

  test('accepts a CD as ISO', async () => {
    await disks.writeSeed(at('cd.iso'), { readme: 'hello' })
    expect(await accept('cd.iso', 'iso')).toMatchObject({ format: 'iso' })
  })

  test('accepts the guest image of the test suite', async () => {
    writeFileSync(at('guest.qcow2'), readFileSync(guestImage()))
    expect(await accept('guest.qcow2', 'qcow2')).toMatchObject({ format: 'qcow2', virtualBytes: 40 * mebibyte })
  })

  test('reports the progress of a conversion', async () => {
    made('vdi', 'slow.vdi')
    const steps: number[] = []
    rmSync(target, { force: true })
    const onProgress = (percent: number) => steps.push(percent)
    await disks.acceptImage({ ...order, upload: at('slow.vdi'), declared: 'vdi', maxVirtualBytes: most, onProgress })
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
  ])('refuses %s, whatever format is declared', async (_, content) => {
    writeFileSync(at('nonsense'), content)
    const whole = beginningOf(content, { sizeBytes: content.length, tail: content.subarray(-512) })
    for (const declared of ['qcow2', 'raw', 'iso', 'vmdk', 'vdi', 'vhd', 'vhdx', 'ploop', 'detect'])
      await expect(inspectImage(whole, declared, most)).rejects.toMatchObject({ code: 'image_format_unsupported' })
    expect(await refused('nonsense', 'detect')).toBe('image_format_unsupported')
    expect(existsSync(at('nonsense')), 'the upload is left to its owner').toBe(true)
  })

  test('refuses an unknown format', async () => {
    expect(await refused('model.raw', 'floppy')).toBe('image_format_unsupported')
    expect(await refused('model.raw', 'constructor')).toBe('image_format_unsupported')
  })

  test('refuses qcow2 declared as raw, which could be opened as qcow2 later', async () => {
    made('qcow2', 'disguised')
    expect(await refused('disguised', 'raw')).toBe('image_format_unsupported')
    expect(await refused('disguised', 'iso')).toBe('image_format_unsupported')
  })

  test('refuses an image with a backing file, without opening that file', async () => {
    tool('create', '-f', 'qcow2', '-b', raw, '-F', 'raw', at('child.qcow2'))
    expect(await refused('child.qcow2', 'qcow2')).toBe('image_backing_file')
    expect(await refused('child.qcow2', 'detect')).toBe('image_backing_file')
    tool('create', '-f', 'qcow2', '-u', '-b', '/etc/shadow', '-F', 'raw', at('spy.qcow2'), '8M')
    expect(await refused('spy.qcow2', 'qcow2')).toBe('image_backing_file')
    made('vmdk', 'parent.vmdk')
    tool('create', '-f', 'vmdk', '-b', at('parent.vmdk'), '-F', 'vmdk', at('child.vmdk'))
    expect(await refused('child.vmdk', 'vmdk')).toBe('image_backing_file')
  })

  test('refuses an image with an external data file', async () => {
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

  test('refuses a VMDK that refers to other files', async () => {
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

  test('refuses an encrypted image', async () => {
    made('qcow2', 'secret.qcow2')
    patch('secret.qcow2', 32, word(2))
    expect(await refused('secret.qcow2', 'qcow2')).toBe('image_encrypted')
    writeFileSync(
      at('secret.luks'),
      Buffer.concat([Buffer.from('LUKS\xba\xbe\0\x01', 'latin1'), Buffer.alloc(mebibyte)]),
    )
    expect(await refused('secret.luks', 'raw')).toBe('image_encrypted')
  })

  test('refuses a disk larger than allowed, up to 1 EiB', async () => {
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
  ])('refuses a truncated %s (%j)', async (format, options) => {
    for (const share of [0.5, 0.8]) {
      made(format, 'cut', ...options)
      truncateSync(at('cut'), Math.floor((readFileSync(at('cut')).length * share) / 512) * 512)
      const declared = format === 'vpc' ? 'vhd' : format === 'parallels' ? 'ploop' : format
      // A fixed VHD is recognized by its footer, which is cut off here.
      expect([
        'image_truncated',
        ...(options.includes('subformat=fixed') ? ['image_format_unsupported'] : []),
      ]).toContain(await refused('cut', declared))
    }
  })

  test('refuses an image that ends within its header', async () => {
    made('qcow2', 'stub.qcow2')
    truncateSync(at('stub.qcow2'), 60)
    expect(await refused('stub.qcow2', 'qcow2')).toBe('image_truncated')
    writeFileSync(at('nothing'), '')
    expect(await refused('nothing', 'raw')).toBe('image_truncated')
    writeFileSync(at('odd.raw'), readFileSync(raw).subarray(0, 70_001))
    expect(await refused('odd.raw', 'raw')).toBe('image_truncated')
  })

  test('refuses an image with a broken table', async () => {
    made('qcow2', 'broken.qcow2')
    patch('broken.qcow2', 40, long(2n ** 62n))
    expect(await refused('broken.qcow2', 'qcow2')).toMatch(/image_(truncated|format_unsupported)/)
    made('qcow2', 'greedy.qcow2')
    patch('greedy.qcow2', 36, word(0xffffffff))
    expect(await refused('greedy.qcow2', 'qcow2')).toMatch(/image_(truncated|format_unsupported)/)
  })

  /** A few bytes that expand to a large disk, because all table entries refer to the same cluster. */
  describe('a decompression bomb', () => {
    const one = Buffer.alloc(2 * mebibyte, 'boom')
    const bombOf = (format: string, name: string) => {
      writeFileSync(at('one.raw'), one)
      truncateSync(at('one.raw'), 256 * mebibyte)
      const options = format === 'vpc' ? ['-o', 'force_size=on'] : []
      tool('convert', '-f', 'raw', '-O', format, ...options, at('one.raw'), at(name))
    }
    /** Sets all entries of a table to the first one. */
    const repeat = (name: string, offset: number, entries: number, entryBytes: number) => {
      const first = readFileSync(at(name)).subarray(offset, offset + entryBytes)
      patch(name, offset, Buffer.concat(Array.from({ length: entries }, () => first)))
    }
    const vmdkBomb = () => {
      bombOf('vmdk', 'bomb.vmdk')
      const head = readFileSync(at('bomb.vmdk'))
      for (const directory of [48, 56]) {
        const tables = Number(head.readBigUInt64LE(directory)) * 512
        const firstTable = head.readUInt32LE(tables) * 512
        const grain = head.subarray(firstTable, firstTable + 4)
        for (let table = 0; table < 8; table++)
          patch('bomb.vmdk', head.readUInt32LE(tables + table * 4) * 512, Buffer.concat(Array(512).fill(grain)))
      }
    }
    const vhdBomb = () => {
      bombOf('vpc', 'bomb.vhd')
      repeat('bomb.vhd', readFileSync(at('bomb.vhd')).readUInt32BE(512 + 20), 128, 4)
    }
    const bombs: [string, string, () => void][] = [
      ['VMDK', 'bomb.vmdk', vmdkBomb],
      ['VHD', 'bomb.vhd', vhdBomb],
    ]

    test.each(bombs)('as %s is refused once it exceeds the size limit', async (_, name, make) => {
      make()
      const sizeBytes = readFileSync(at(name)).length
      expect(sizeBytes).toBeLessThan(8 * mebibyte)
      rmSync(target, { force: true })
      const limited = { ...order, upload: at(name), declared: 'detect', maxVirtualBytes: most, maxBytes: 64 * mebibyte }
      await expect(disks.acceptImage(limited)).rejects.toBeInstanceOf(OutputTooLarge)
      expect([existsSync(target), existsSync(`${target}.part`)]).toEqual([false, false])
      // check that the image is really a bomb
      expect((await accept(name, 'detect')).usedBytes).toBeGreaterThan(200 * mebibyte)
    })

    test.each(bombs)(
      'as %s is refused if there is not enough free space for the expanded disk',
      async (_, name, make) => {
        make()
        rmSync(target, { force: true })
        // more space than parallel tests could free
        const reserveBytes = (await disks.free()) + 100 * 1024 * mebibyte
        const refusedOne = disks.acceptImage({
          ...order,
          upload: at(name),
          declared: 'detect',
          maxVirtualBytes: most,
          reserveBytes,
        })
        await expect(refusedOne).rejects.toMatchObject({
          code: 'disk_full',
          message: expect.stringMatching(/converted to a disk of 0\.3 GiB, but only 0\.0 GiB are free/),
        })
        expect([existsSync(target), existsSync(`${target}.part`)]).toEqual([false, false])
      },
    )

    test('as qcow2 is refused, because no cluster may be referenced twice', async () => {
      bombOf('qcow2', 'bomb.qcow2')
      const head = readFileSync(at('bomb.qcow2'))
      const l1 = Number(head.readBigUInt64BE(40))
      const l2 = Number(head.readBigUInt64BE(l1) & 0x00fffffffffffe00n)
      repeat('bomb.qcow2', l2, 4096, 8)
      expect(await refused('bomb.qcow2', 'qcow2')).toBe('image_truncated')
    })

    test('as ISO occupies only its file size, whatever size it claims', async () => {
      await disks.writeSeed(at('bomb.iso'), { readme: 'hello' })
      const descriptor = 0x8000
      patch('bomb.iso', descriptor + 80, Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]))
      const sizeBytes = readFileSync(at('bomb.iso')).length
      expect(await accept('bomb.iso', 'iso')).toMatchObject({ format: 'iso', virtualBytes: sizeBytes })
      expect(readFileSync(target).length).toBe(sizeBytes)
    })
  })
})
