import { execFileSync } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { needs } from '../../../../../tools/lib/vitest/host-features'
import { processesBelow } from '../../../host/processes'
import type { FileReader, FoundFile } from '../../file-reader'
import type { Hypervisor } from '../../hypervisor'
import { cleanUp, dataFolder, openTestQemu, readerGuest } from '../testbed'

const MiB = 1024 * 1024
const patienceMs = 240_000
let folder: string
let hypervisor: Hypervisor

beforeAll(async () => {
  readerGuest()
  folder = dataFolder()
  hypervisor = await openTestQemu(folder)
}, 600_000)
afterAll(async () => {
  await cleanUp(hypervisor, folder)
})

const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 120_000,
    env: { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin:/sbin` },
  })
const at = (name: string) => join(folder, name)

/** A file with an empty file system. */
function partition(name: string, size: number, ...command: string[]): string {
  writeFileSync(at(name), '')
  truncateSync(at(name), size)
  run(command[0]!, ...command.slice(1), at(name))
  return at(name)
}

/** A raw disk with a partition table (MBR) and these partitions. */
function diskOf(name: string, parts: readonly string[]): string {
  const table = Buffer.alloc(512)
  const disk = openSync(at(name), 'w')
  let offset = MiB
  for (const [index, part] of parts.entries()) {
    const { size } = statSync(part)
    table.writeUInt8(0x83, 446 + 16 * index + 4)
    table.writeUInt32LE(offset / 512, 446 + 16 * index + 8)
    table.writeUInt32LE(size / 512, 446 + 16 * index + 12)
    writeSync(disk, readFileSync(part), 0, size, offset)
    offset += size
  }
  table.writeUInt16LE(0xaa55, 510)
  writeSync(disk, table, 0, 512, 0)
  closeSync(disk)
  truncateSync(at(name), offset)
  return at(name)
}

interface Opened {
  reader: FileReader
  readerFolder: string
}

/** Opens a reader on copies of these disks: the first is complete, each other one has changes. */
async function opened(chain: readonly string[], limits = { startMs: patienceMs, requestMs: 60_000 }): Promise<Opened> {
  const readerFolder = join(folder, 'readers', randomUUID())
  mkdirSync(readerFolder, { recursive: true, mode: 0o700 })
  const names = chain.map((_, index) => `chain-${index}.qcow2`)
  for (const [index, disk] of chain.entries())
    if (disk.endsWith('.qcow2')) writeFileSync(join(readerFolder, names[index]!), readFileSync(disk))
    else run('qemu-img', 'convert', '-f', 'raw', '-O', 'qcow2', disk, join(readerFolder, names[index]!))
  const info = execFileSync('qemu-img', ['info', '--output=json', join(readerFolder, names[0]!)], { encoding: 'utf8' })
  const reader = await hypervisor.fileReaders.open({
    ...{ folder: readerFolder, chain: names, limits, guest: readerGuest(), signal: new AbortController().signal },
    sizeBytes: (JSON.parse(info) as { 'virtual-size': number })['virtual-size'],
  })
  onTestFinished(async () => {
    await reader.close()
    rmSync(readerFolder, { recursive: true, force: true })
  })
  return { reader, readerFolder }
}
const list = async (reader: FileReader, fileSystem: string, path: string | Buffer = '/') =>
  (await reader.list(fileSystem, Buffer.from(path as string))).files
const named = (files: readonly FoundFile[], name: string | Buffer) =>
  files.find((one) => one.name.equals(Buffer.from(name as string)))

describe('on QEMU', needs('QEMU'), () => {
  test('reads ext4, XFS, Btrfs, FAT and NTFS, with any names, and follows no link', { timeout: 600_000 }, async () => {
    const source = at('source')
    const large = randomBytes(9 * MiB + 5)
    mkdirSync(join(source, 'sub'), { recursive: true })
    const odd = [
      Buffer.from('two\nlines'),
      Buffer.from('..dots'),
      Buffer.from([0x62, 0xff]),
      Buffer.from('$(id) `x` *'),
    ]
    for (const name of odd) writeFileSync(Buffer.concat([Buffer.from(`${source}/`), name]), name)
    writeFileSync(join(source, 'large'), large)
    writeFileSync(join(source, 'sub', 'empty'), '')
    symlinkSync('/etc/passwd', join(source, 'absolute'))
    symlinkSync('..', join(source, 'sub', 'up'))
    const proto = at('proto')
    writeFileSync(proto, `/\n0 0\nd--755 0 0\nlarge ---644 7 0 ${join(source, 'large')}\n$\n`)
    const fat = partition('fat', 64 * MiB, 'mkfs.vfat', '-n', 'EFI')
    run('mcopy', '-i', fat, join(source, 'large'), '::/größe.bin')
    const first = diskOf('first.raw', [
      partition('ext4', 64 * MiB, 'mke2fs', '-q', '-t', 'ext4', '-L', 'rootfs', '-d', source),
      partition('xfs', 320 * MiB, 'mkfs.xfs', '-q', '-p', proto),
      partition('btrfs', 128 * MiB, 'mkfs.btrfs', '-q', '--rootdir', source),
      fat,
    ])
    const { reader } = await opened([first])
    expect(reader.fileSystems.map(({ id, type, state }) => [id, type, state])).toEqual([
      ...[
        ['part1', 'ext4', 'readable'],
        ['part2', 'xfs', 'readable'],
        ['part3', 'btrfs', 'readable'],
      ],
      ['part4', 'vfat', 'readable'],
    ])
    expect(String(reader.fileSystems[0]!.label)).toBe('rootfs')

    for (const fileSystem of ['part1', 'part3']) {
      const files = await list(reader, fileSystem)
      for (const name of odd) {
        expect(named(files, name), String(name)).toMatchObject({ kind: 'file', sizeBytes: name.length })
        const path = Buffer.concat([Buffer.from('/'), name])
        expect((await reader.read(fileSystem, path, 0)).equals(name)).toBe(true)
      }
      expect(String(named(files, 'absolute')!.linkTarget)).toBe('/etc/passwd')
      for (const path of ['/absolute', '/sub/up', '/sub/up/large', '/nothing', '/sub/empty/x'])
        for (const call of [reader.list, reader.tree])
          await expect(call(fileSystem, Buffer.from(path)), path).rejects.toMatchObject({ code: 'missing' })
      await expect(reader.read(fileSystem, Buffer.from('/absolute'), 0)).rejects.toMatchObject({ code: 'missing' })
      const below = (await reader.tree(fileSystem, Buffer.from('/sub'))).files
      expect(below.map(({ name }) => String(name)).toSorted()).toEqual(['', 'empty', 'up'])
    }
    for (const [fileSystem, path] of [
      ['part1', '/large'],
      ['part2', '/large'],
      ['part3', '/large'],
      ['part4', '/größe.bin'],
    ] as const) {
      const parts: Buffer[] = []
      for (let offset = 0; offset < large.length; offset += 4 * MiB)
        parts.push(await reader.read(fileSystem, Buffer.from(path), offset))
      expect(Buffer.concat(parts).equals(large), fileSystem).toBe(true)
    }
    expect(named(await list(reader, 'part2'), 'large')).toMatchObject({ owner: 7 })

    const ntfs = partition('ntfs', 64 * MiB, 'mkntfs', '-q', '-F', '-L', 'Windows')
    run('ntfscp', '-q', ntfs, join(source, 'large'), '/large')
    const second = (await opened([ntfs])).reader
    expect(second.fileSystems).toMatchObject([{ id: 'disk', type: 'ntfs', state: 'readable' }])
    expect((await second.read('disk', Buffer.from('/large'), 0)).equals(large.subarray(0, 4 * MiB))).toBe(true)
  })

  test('reads logical volumes, and what was only in a journal, from a chain', { timeout: 600_000 }, async () => {
    const base = at('base.qcow2')
    run('qemu-img', 'create', '-q', '-f', 'qcow2', base, '128M')
    inGuest(
      base,
      'lvm pvcreate -q /dev/vda && lvm vgcreate -q vg0 /dev/vda && lvm lvcreate -q -y -Zn -L 64M -n data vg0',
    )
    const change = at('change.qcow2')
    run('qemu-img', 'create', '-q', '-f', 'qcow2', '-b', base, '-F', 'qcow2', change)
    writeFileSync(at('empty.img'), '')
    truncateSync(at('empty.img'), 64 * MiB)
    run('mke2fs', '-q', '-t', 'ext4', at('empty.img'))
    // the power fails after the file has reached the journal
    inGuest(
      change,
      'lvm vgchange -ay --noudevsync vg0 && lvm vgmknodes && cat /seed >/dev/vg0/data && mount -t ext4 /dev/vg0/data /mnt && echo saved >/mnt/last && sync /mnt/last',
      { seed: readFileSync(at('empty.img')) },
    )
    run('qemu-img', 'rebase', '-u', '-f', 'qcow2', '-b', '', change)
    const { reader } = await opened([base, change])
    expect(reader.fileSystems).toMatchObject([{ id: 'vg0/data', type: 'ext4', state: 'readable', sizeBytes: 64 * MiB }])
    expect(String(await reader.read('vg0/data', Buffer.from('/last'), 0))).toBe('saved\n')
  })

  test('says that a file system is damaged or encrypted, and reads the others', { timeout: 600_000 }, async () => {
    const damaged = partition('damaged', 64 * MiB, 'mke2fs', '-q', '-t', 'ext4')
    const bytes = readFileSync(damaged)
    // the superblock still looks like ext4, but nothing in it fits together
    randomBytes(64).copy(bytes, 1024 + 0x58)
    bytes.fill(0xff, 4096, 16 * 4096)
    writeFileSync(damaged, bytes)
    const encrypted = at('encrypted')
    const header = Buffer.alloc(16 * MiB)
    header.write('LUKS\xba\xbe\0\x01', 0, 'latin1')
    header.write(randomUUID(), 168)
    writeFileSync(encrypted, header)
    const good = partition('good', 16 * MiB, 'mke2fs', '-q', '-t', 'ext4')
    const { reader } = await opened([diskOf('mixed.raw', [damaged, encrypted, good])])
    expect(reader.fileSystems.map(({ id, state }) => [id, state])).toEqual([
      ...[
        ['part1', 'damaged'],
        ['part2', 'encrypted'],
      ],
      ['part3', 'readable'],
    ])
    await expect(reader.list('part1', Buffer.from('/'))).rejects.toMatchObject({ code: 'missing' })
    expect(named(await list(reader, 'part3'), 'lost+found')).toMatchObject({ kind: 'folder' })
  })

  test('answers on file systems that contain themselves, within its limits', { timeout: 900_000 }, async () => {
    // the chain of clusters of the root folder never ends
    const endless = partition('endless', 40 * MiB, 'mkfs.vfat', '-F', '32', '-s', '1')
    const bytes = readFileSync(endless)
    const [sectorBytes, reserved, fatSectors] = [bytes.readUInt16LE(11), bytes.readUInt16LE(14), bytes.readUInt32LE(36)]
    for (const fat of [0, 1]) bytes.writeUInt32LE(2, (reserved + fat * fatSectors) * sectorBytes + 2 * 4)
    writeFileSync(endless, bytes)
    // a folder that contains the folder above it
    const source = at('round')
    mkdirSync(join(source, 'a', 'b'), { recursive: true })
    writeFileSync(join(source, 'a', 'file'), 'found')
    const round = partition('round.ext4', 16 * MiB, 'mke2fs', '-q', '-t', 'ext4', '-d', source)
    run('debugfs', '-w', '-R', 'link /a /a/b/again', round)
    const good = partition('sound', 16 * MiB, 'mke2fs', '-q', '-t', 'ext4')
    const disk = diskOf('loops.raw', [round, endless, good])

    const { reader } = await opened([disk])
    expect(reader.fileSystems.map(({ id, state }) => [id, state])).toEqual([
      ['part1', 'readable'],
      ['part2', 'damaged'],
      ['part3', 'readable'],
    ])
    const below = await reader.tree('part1', Buffer.from('/a'))
    expect(below.files.map(({ name }) => String(name)).toSorted()).toEqual(['', 'b', 'file'])
    await expect(list(reader, 'part2')).rejects.toMatchObject({ code: 'missing' })
    expect(named(await list(reader, 'part3'), 'lost+found')).toMatchObject({ kind: 'folder' })
  })

  test('ends a reader that hangs, is killed, or was told to write', { timeout: 600_000 }, async () => {
    const disk = partition('small', 16 * MiB, 'mke2fs', '-q', '-t', 'ext4')
    const hanging = await opened([disk], { startMs: patienceMs, requestMs: 2000 })
    const [pid] = await processOf(hanging)
    process.kill(pid!, 'SIGSTOP')
    await expect(list(hanging.reader, 'disk')).rejects.toMatchObject({ code: 'unreadable' })
    await hanging.reader.ended
    expect(await processOf(hanging)).toEqual([])

    const killed = await opened([disk])
    const before = readFileSync(join(killed.readerFolder, 'chain-0.qcow2'))
    const answer = list(killed.reader, 'disk')
    process.kill((await processOf(killed))[0]!, 'SIGKILL')
    await answer.catch(() => undefined)
    await killed.reader.ended
    await expect(list(killed.reader, 'disk')).rejects.toMatchObject({ code: 'unreadable' })
    expect(readFileSync(join(killed.readerFolder, 'chain-0.qcow2')).equals(before)).toBe(true)
  })

  test('gives up when the search for file systems takes too long', { timeout: 600_000 }, async () => {
    const disk = partition('slow', 16 * MiB, 'mke2fs', '-q', '-t', 'ext4')
    await expect(opened([disk], { startMs: 200, requestMs: 200 })).rejects.toMatchObject({ code: 'unreadable' })
    expect(await processesBelow(join(folder, 'readers'))).toEqual(new Map())
  })
})

/** The processes of a reader, which run in its folder. */
const processOf = async ({ readerFolder }: Opened) =>
  (await processesBelow(join(folder, 'readers'))).get(readerFolder) ?? []

/** Runs shell commands in the reader's guest, which may write to the disk, and cuts its power. */
function inGuest(disk: string, commands: string, extra: Record<string, Buffer> = {}): void {
  const more = at('more')
  rmSync(more, { recursive: true, force: true })
  mkdirSync(more)
  for (const [name, bytes] of Object.entries(extra)) writeFileSync(join(more, name), bytes)
  const { image } = readerGuest()
  const preparing = `mkdir -p /dev/shm; ${commands}; echo "ended with $?" >/dev/ttyS0; sync -d /dev/vda; echo b >/proc/sysrq-trigger`
  const script = readFileSync('tools/file-reader/root/init', 'utf8')
  const [start] = script.split(/^most_bytes/m)
  writeFileSync(join(more, 'init'), `${start}\n(load ext4; load lvm; ${preparing}) >/dev/ttyS0 2>&1\npoweroff -f\n`, {
    mode: 0o755,
  })
  const names = readdirSync(more).join('\n')
  const added = execFileSync('cpio', ['--quiet', '-o', '-H', 'newc'], { cwd: more, input: names, maxBuffer: 512 * MiB })
  writeFileSync(at('initrd'), Buffer.concat([readFileSync(image), added]))
  const log = at('guest.log')
  run(
    'qemu-system-x86_64',
    ...['-M', 'pc', '-cpu', 'max', '-m', '512', '-nodefaults', '-display', 'none', '-no-reboot'],
    ...['-kernel', `${image}.kernel`, '-initrd', at('initrd'), '-append', 'quiet panic=-1 console=ttyS0'],
    ...['-drive', `file=${disk},if=virtio,format=qcow2`, '-serial', `file:${log}`],
  )
  const said = existsSync(log) ? readFileSync(log, 'utf8') : ''
  if (!said.includes('ended with 0')) throw new Error(`the guest failed: ${said.slice(-2000)}`)
}
