import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ImageFault } from './image-fault'
import { beginningOf } from './image-file'
import { openImageWorker } from './image-worker'
import { inspectImage } from './inspect-image'
import { randomOf, rounds, seedOr } from '../../../tools/lib/tier.mjs'

/*
 * Fuzzes image files. Any content must be accepted, or rejected with an `ImageFault`, after a bounded number of bytes
 * has been read, and must not block the server.
 */

const MiB = 1024 ** 2
const most = 1024 ** 4
const ofEachFormat = rounds({ gate: 200, all: 5_000, long: 100_000 })
/** Number of files inspected by the worker itself, with qemu-img. */
const byWorker = rounds({ gate: 2, all: 4, long: 4 })
/** Maximum number of bytes read from one file, including repeated reads. */
const mostBytesRead = 4 * MiB
/** Maximum processor time per turn of the event loop, in ms. */
const mostOfATurnMs = 50

const folder = mkdtempSync(path.join(tmpdir(), 'mainstay-fuzz-'))
const at = (name: string) => path.join(folder, name)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const seed = seedOr(7919)

/** Returns a seeded generator of pseudorandom integers that are at least 0 and below a given bound. */
function numbersFrom(from: number): (below: number) => number {
  const random = randomOf(from)
  return (below) => Math.floor(random() * below)
}

const telling = [0, 1, 0x7f, 0x80, 0xff]
const textOfHeaders = [
  '\n',
  ' ',
  '=',
  '"',
  '\0',
  'RW ',
  'SPARSE',
  'parentCID=',
  '# Disk DescriptorFile\n',
  '\u2028',
  '\\',
]

/** Applies one to sixteen changes, mostly to headers. */
function changed(image: Buffer, below: (most: number) => number): Buffer {
  let file = Buffer.from(image)
  for (let left = 1 + below(16); left > 0; left--) {
    const offset = below(below(4) === 0 ? file.length : Math.min(file.length, 2048))
    const kind = below(6)
    if (kind === 0) file[offset] = telling[below(telling.length)]!
    else if (kind === 1) file[offset] = below(256)
    else if (kind === 2) file.fill(telling[below(telling.length)]!, offset, Math.min(file.length, offset + below(64)))
    else if (kind === 3)
      file.write(textOfHeaders[below(textOfHeaders.length)]!.repeat(1 + below(400)), offset, 'latin1')
    else if (kind === 4) file.copy(file, below(file.length), offset, offset + below(512))
    else if (below(8) === 0) file = file.subarray(0, below(file.length))
    if (file.length === 0) return file
  }
  return file
}

const formats = ['raw', 'iso', 'qcow2', 'vmdk', 'stream-vmdk', 'vdi', 'vpc', 'fixed-vpc', 'vhdx', 'parallels'] as const
const images = new Map<string, Buffer>()

beforeAll(() => {
  const disk = Buffer.alloc(256 * 1024)
  disk.write('some content', 4096)
  disk.set([0x55, 0xaa], 510)
  writeFileSync(at('raw'), disk)
  truncateSync(at('raw'), 4 * MiB)
  const convert = (format: string, name: string, ...options: string[]) => {
    execFileSync('qemu-img', ['convert', '-f', 'raw', '-O', format, ...options, at('raw'), at(name)])
    // drop the content: changing it would not affect a header
    const made = readFileSync(at(name))
    images.set(name, Buffer.concat([made.subarray(0, 192 * 1024), made.subarray(-512)]))
  }
  images.set('raw', disk)
  const iso = Buffer.alloc(64 * 1024)
  iso.write('\u0001CD001', 0x8000, 'latin1')
  images.set('iso', iso)
  convert('qcow2', 'qcow2')
  convert('vmdk', 'vmdk')
  convert('vmdk', 'stream-vmdk', '-o', 'subformat=streamOptimized')
  convert('vdi', 'vdi')
  convert('vpc', 'vpc')
  convert('vpc', 'fixed-vpc', '-o', 'subformat=fixed,force_size=on')
  convert('vhdx', 'vhdx')
  convert('parallels', 'parallels')
})

/** Returns the fault code, or null if the image was accepted. Rethrows anything but an `ImageFault`. */
const refusalOf = (work: Promise<unknown>): Promise<string | null> =>
  work.then(
    () => null,
    (error: unknown) => {
      if (error instanceof ImageFault) return error.code
      throw error
    },
  )

const ofThread = '/proc/thread-self/schedstat'
/**
 * Processor time of this thread where available, so that garbage collection and compilation in other threads do not
 * count.
 */
const spentMs = existsSync(ofThread)
  ? () => Number(readFileSync(ofThread, 'utf8').split(' ', 1)[0]) / 1e6
  : () => {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1000
    }

/** Returns the minimum of up to three measurements, because other load only adds to the actual cost. */
async function least(measure: () => Promise<number>): Promise<number> {
  let ms = await measure()
  for (let more = 2; ms >= mostOfATurnMs && more > 0; more--) ms = Math.min(ms, await measure())
  return ms
}

describe.each(formats)('corrupted images: %s', (format) => {
  test('accepts or rejects each file, reading little of it', { timeout: 120_000 + ofEachFormat * 20 }, async () => {
    const below = numbersFrom(seed + formats.indexOf(format))
    const outcomes = new Map<string, number>()
    let longestMs = 0
    for (let count = 0; count < ofEachFormat; count++) {
      const file = changed(images.get(format)!, below)
      let bytes = 0
      const whole = beginningOf(file, below(3) === 0 ? null : { sizeBytes: file.length, tail: file.subarray(-512) })
      const counted = {
        ...whole,
        bytes: (offset: number, length: number) => {
          bytes += length
          return whole.bytes(offset, length)
        },
      }
      const tookMs = await least(async () => {
        bytes = 0
        const before = spentMs()
        const outcome = await refusalOf(inspectImage(counted, 'detect', most))
        const ms = spentMs() - before
        outcomes.set(outcome ?? 'taken', (outcomes.get(outcome ?? 'taken') ?? 0) + 1)
        return ms
      })
      longestMs = Math.max(longestMs, tookMs)
      expect(bytes, `seed ${seed}`).toBeLessThan(mostBytesRead)
    }
    expect(longestMs, `processor time of one file, seed ${seed}`).toBeLessThan(mostOfATurnMs)
    expect(outcomes.size, 'both are met').toBeGreaterThan(1)
  })

  test('the worker examines a sample of the files without blocking the event loop', async () => {
    const below = numbersFrom(seed + formats.length + formats.indexOf(format))
    const worker = openImageWorker({ log: { info: () => undefined, warn: () => undefined } })
    await worker.confinement()
    const files = Array.from({ length: byWorker }, (_, index) => {
      writeFileSync(at(`${format}-${index}`), changed(images.get(format)!, below), { mode: 0o600 })
      return at(`${format}-${index}`)
    })
    const longestTurn = async (): Promise<number> => {
      let [longest, isWatching, before] = [0, true, spentMs()]
      const turn = () => {
        longest = Math.max(longest, spentMs() - before)
        before = spentMs()
        if (isWatching) setTimeout(turn, 1)
      }
      turn()
      for (const file of files) await refusalOf(worker.examine(file, 'detect', most))
      isWatching = false
      return longest
    }
    const longestMs = await least(longestTurn)
    expect(longestMs, 'processor time of one turn').toBeLessThan(mostOfATurnMs)
  })
})
