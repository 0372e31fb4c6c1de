import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { afterAll, describe, expect, test } from 'vitest'
import { tier } from '../../../tools/lib/tier.mjs'
import { confinements } from './worker-confinement'
import { openImageWorker } from './image-worker'
import { OutputTooLarge } from './worker-launcher'

const MiB = 1024 ** 2
const GiB = 1024 ** 3
const log = { info: () => undefined, warn: () => undefined }
const folder = mkdtempSync(path.join(tmpdir(), 'mainstay-worker-'))
const at = (name: string) => path.join(folder, name)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Creates a file that only its owner can read, like an upload. */
function file(name: string, content: Buffer): string {
  writeFileSync(at(name), content, { mode: 0o600 })
  return at(name)
}
const script = (name: string, lines: string[]) => {
  writeFileSync(at(name), lines.join('\n'))
  chmodSync(at(name), 0o755)
  return at(name)
}
const rawDisk = (sizeBytes = MiB) => {
  const disk = Buffer.alloc(sizeBytes, 7)
  disk.set([0x55, 0xaa], 510)
  return disk
}
const worker = openImageWorker({ log })
const order = { from: 'raw' as const, maxBytes: 64 * MiB, reserveBytes: 0, digests: false }
const processesOf = (word: string) =>
  readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(word)
    } catch {
      return false
    }
  })

test('a worker has no privileges, no network, and no access to other files', async () => {
  // replaces qemu-img and records its environment
  const spy = script('spy', [
    '#!/bin/sh',
    'case "$1" in info) echo "{\\"virtual-size\\": 512}"; exit;; esac',
    `{ cat /proc/self/status; echo "folder: $(ls ${folder} 2>&1 | tr '\\n' ' ')"; grep -c : /proc/net/dev; cat /proc/self/limits; } >&4`,
  ])
  const { kind, user } = await worker.confinement()
  await openImageWorker({ log, qemuImg: spy }).convert({
    ...order,
    source: file('seen.raw', rawDisk()),
    target: at('told'),
  })
  const told = readFileSync(at('told'), 'utf8')
  for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapAmb']) expect(told).toMatch(new RegExp(`${set}:\\s0+\n`))
  if (process.getuid?.() === 0) {
    expect(user?.name).toBe('mainstay-files')
    expect(told).toMatch(new RegExp(`Uid:\\s${user!.uid}\\s${user!.uid}\\s`))
    expect(told).toMatch(/NoNewPrivs:\s1/)
  }
  // without root, namespaces may not be permitted; this is reported at startup
  if (kind === 'namespaces') {
    expect(told).toMatch(/folder: .*No such file/)
    expect(told).toMatch(/\n1\n/)
  }
  expect(told).toMatch(/Max cpu time +\d{3,} /)
  expect(told).toMatch(/Max data size +1073741824 /)
  expect(told).toMatch(/Max file size +67108864 /)
})

test('without namespaces, a worker still has limits and its own user, and the server reports a problem', async () => {
  // a copy, because the other user may not have access to the source folder
  const program = at('worker.cjs')
  copyFileSync('engines/dist/image-worker.cjs', program)
  chmodSync(folder, 0o755)
  const ways = async () => (await confinements()).slice(1)
  const limited = openImageWorker({ log, program, ways })
  expect(await limited.confinement()).toMatchObject({ kind: 'limits' })
  expect(await limited.problem()).toContain('install bubblewrap')
  expect(await limited.facts(file('limited.raw', rawDisk()))).toMatchObject({ format: 'raw', virtualBytes: MiB })
  chmodSync(folder, 0o700)
  const none = openImageWorker({ log, program, ways: async () => [] })
  await expect(none.facts(at('limited.raw'))).rejects.toMatchObject({ code: 'not_configured' })
})

test('a converted file belongs to the server and cannot be read by others', async () => {
  await worker.convert({ ...order, source: file('secret.raw', rawDisk()), target: at('secret.qcow2') })
  const { mode, uid } = statSync(at('secret.qcow2'))
  expect(uid).toBe(process.getuid?.())
  expect(mode & 0o007, 'others').toBe(0)
})

describe('a VHD is converted to its current size, regardless of the program that created it', () => {
  const [name, back] = ['own.vhd', 'back.raw']
  const sectors = (20 * MiB) / 512 + 17
  const content = Buffer.alloc(sectors * 512)
  content.set([0x55, 0xaa], 510)
  content.write('the end of the disk', content.length - 512)
  const tool = (...args: string[]) => execFileSync('qemu-img', args, { stdio: 'pipe' })

  /** Creates a VHD whose geometry is smaller than its size: 600 cylinders, 4 heads, 17 sectors. */
  function madeBy(creator: string, subformat: string): void {
    const options = ['-o', `subformat=${subformat},force_size=on`]
    tool('convert', '-f', 'raw', '-O', 'vpc', ...options, file('disk.raw', content), at(name))
    const disk = readFileSync(at(name))
    for (const start of subformat === 'dynamic' ? [0, disk.length - 512] : [disk.length - 512]) {
      const footer = disk.subarray(start, start + 512)
      footer.write(creator, 28, 'latin1')
      footer.set([600 >> 8, 600 & 0xff, 4, 17], 56)
      footer.writeUInt32BE(0, 64)
      footer.writeUInt32BE(~footer.reduce((sum, byte) => sum + byte, 0) >>> 0, 64)
    }
    file(name, disk)
  }

  const fixed = tier === 'gate' ? ['vpc '] : ['vbox', 'vpc ', 'win ', 'none']
  const dynamic = tier === 'gate' ? ['vbox'] : ['vbox', 'win ']
  test.each([...fixed.map((creator) => [creator, 'fixed']), ...dynamic.map((creator) => [creator, 'dynamic'])])(
    '%s, %s',
    { tags: 'all' },
    async (creator, subformat) => {
      madeBy(creator, subformat)
      rmSync(at('own.qcow2'), { force: true })
      expect(await worker.examine(at(name), 'vhd', GiB)).toMatchObject({ format: 'vpc', virtualBytes: content.length })
      const converted = await worker.convert({ ...order, source: at(name), from: 'vpc', target: at('own.qcow2') })
      expect(converted).toMatchObject({ virtualBytes: content.length })
      tool('convert', '-f', 'qcow2', '-O', 'raw', at('own.qcow2'), at(back))
      expect(readFileSync(at(back)).equals(content)).toBe(true)
    },
  )
})

test.each([
  [
    'sends an unexpected result',
    `process.stdout.write('{"result":{"format":"floppy","virtualBytes":1,"digests":null}}\\n')`,
  ],
  ['sends invalid JSON', `process.stdout.write('[[[[\\n')`],
  ['never stops sending', `setInterval(() => process.stdout.write('{"progress":1}\\n'.repeat(5000)), 1)`],
  ['never ends a line', `setInterval(() => process.stdout.write('x'.repeat(65536)), 1)`],
  ['exits without an answer', `process.exit(0)`],
  ['is killed by the kernel', `process.kill(process.pid, 'SIGXCPU')`],
])('distrusts a worker that %s', async (_, code) => {
  const program = script('liar.cjs', [code])
  // determine the confinement with the real program first
  await worker.confinement()
  const liar = openImageWorker({ log, program })
  await expect(liar.facts(file('any.raw', rawDisk()))).rejects.toMatchObject({
    code: 'image_format_unsupported',
    message: expect.stringContaining('within the time and memory limits'),
  })
  expect(processesOf('liar.cjs')).toEqual([])
})

test('a conversion stops at its size limit and leaves no file', async () => {
  const source = file('large.raw', rawDisk(8 * MiB))
  const converting = worker.convert({ ...order, source, target: at('large.qcow2'), maxBytes: 2 * MiB })
  await expect(converting).rejects.toBeInstanceOf(OutputTooLarge)
  expect(existsSync(at('large.qcow2'))).toBe(false)
})

test('a conversion stops when free disk space falls below the reserve, and leaves no file', async () => {
  const converting = worker.convert({
    ...order,
    source: file('late.raw', rawDisk()),
    target: at('late.qcow2'),
    reserveBytes: Number.MAX_SAFE_INTEGER,
  })
  await expect(converting).rejects.toMatchObject({ code: 'disk_full', message: expect.stringContaining('more space') })
  expect(existsSync(at('late.qcow2'))).toBe(false)
})

/**
 * Returns an image in which every entry of the first-level table points to the same second-level table, which QEMU
 * would read for each of the 4 million entries.
 */
function endlessTables(): Buffer {
  const clusterBytes = 65_536
  const entries = 4 * 1024 * 1024
  const l1Bytes = entries * 8
  const image = Buffer.alloc(clusterBytes * 4 + l1Bytes)
  image.write('QFI\u00fb', 'latin1')
  image.writeUInt32BE(2, 4)
  image.writeUInt32BE(16, 20)
  image.writeBigUInt64BE(BigInt(1024 ** 4), 24)
  image.writeUInt32BE(entries, 36)
  image.writeBigUInt64BE(BigInt(clusterBytes * 4), 40)
  image.writeBigUInt64BE(BigInt(clusterBytes), 48)
  image.writeUInt32BE(1, 56)
  image.writeBigUInt64BE(BigInt(clusterBytes * 2), clusterBytes)
  for (let at = clusterBytes * 4; at < image.length; at += 8) image.writeBigUInt64BE(BigInt(clusterBytes * 3), at)
  return image
}

test('gives up at the processor time limit if the tables would take hours to check', { tags: 'all' }, async () => {
  const upload = file('endless.qcow2', endlessTables())
  const hasty = openImageWorker({ log, examination: { cpuSeconds: 1, timeoutSeconds: 60 } })
  await expect(hasty.examine(upload, 'qcow2', 2 * 1024 ** 4)).rejects.toMatchObject({
    code: 'image_format_unsupported',
    message: expect.stringContaining('within the time and memory limits'),
  })
})

test('an aborted examination ends immediately, with all its processes', async () => {
  const slow = script('slow-tool', ['#!/bin/sh', 'sleep 1234.5'])
  const given = new AbortController()
  const tool = openImageWorker({ log, qemuImg: slow })
  execFileSync('qemu-img', ['create', '-q', '-f', 'qcow2', at('given-up.qcow2'), '1M'])
  const examining = tool.examine(at('given-up.qcow2'), 'qcow2', MiB, { signal: given.signal })
  examining.catch(() => undefined)
  await expect.poll(() => processesOf('1234.5').length).toBeGreaterThan(0)
  given.abort(new Error('deleted'))
  await expect(examining).rejects.toThrow('deleted')
  await expect.poll(() => processesOf('1234.5')).toEqual([])
})
