import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { crc32 } from 'node:zlib'
import { afterEach, expect, it } from 'vitest'
import { open as openZip, fromBuffer, type Entry, type ZipFile } from 'yauzl'
import { cleanPath, uniquePaths } from './names'
import { sizeOfZip, zipOf, type Opened, type ZipEntry } from './zip'

// DOS times in ZIP files have a resolution of two seconds
const modified = new Date('2026-03-04T05:06:07Z')
const entry = (name: string, size: number): ZipEntry => ({ path: name, size, modified })

const openedZip = (from: Buffer | string): Promise<ZipFile> =>
  new Promise((resolve, reject) => {
    const done = (error: Error | null, zip?: ZipFile) => (error ? reject(error) : resolve(zip!))
    if (typeof from === 'string') openZip(from, { lazyEntries: true, autoClose: false }, done)
    else fromBuffer(from, { lazyEntries: true }, done)
  })

/** Reads entries with a third-party library, which verifies checksums. */
async function unpacked(from: Buffer): Promise<Record<string, string>> {
  const zip = await openedZip(from)
  const found: Record<string, string> = {}
  for (const one of await entriesOf(zip)) {
    if (one.fileName.endsWith('/')) {
      found[one.fileName] = 'folder'
      continue
    }
    const bytes = await new Promise<Buffer>((resolve, reject) =>
      zip.openReadStream(one, (error, stream) => (error ? reject(error) : resolve(buffer(stream)))),
    )
    expect(crc32(bytes)).toBe(one.crc32)
    found[one.fileName] = bytes.toString('utf8')
  }
  return found
}
const entriesOf = (zip: ZipFile) =>
  new Promise<Entry[]>((resolve, reject) => {
    const found: Entry[] = []
    zip.on('entry', (one: Entry) => {
      found.push(one)
      zip.readEntry()
    })
    zip.on('end', () => resolve(found))
    zip.on('error', reject)
    zip.readEntry()
  })
const bytesFrom =
  (texts: Record<string, string>) =>
  async (one: ZipEntry): Promise<Opened> =>
    (async function* () {
      yield Buffer.from(texts[one.path]!)
    })()

it('contains files, folders and timestamps, and has the predicted size', async () => {
  const texts = { 'a.txt': 'hello', 'b/ü 日本.txt': 'ß'.repeat(70_000), empty: '' }
  const entries = [
    ...Object.entries(texts).map(([name, text]) => entry(name, Buffer.byteLength(text))),
    entry('none in it/', 0),
  ]
  const bytes = await buffer(zipOf(entries, bytesFrom(texts)))
  expect(bytes.length).toBe(sizeOfZip(entries).size)
  expect(await unpacked(bytes)).toEqual({ ...texts, 'none in it/': 'folder' })
  const [first] = await entriesOf(await openedZip(bytes))
  expect(first!.getLastModDate({ timezone: 'UTC', forceDosFormat: true })).toEqual(new Date('2026-03-04T05:06:06Z'))
  // the UTC timestamp, which is in each local header and in the central directory
  const stamp = Buffer.concat([Buffer.from([0x55, 0x54, 5, 0, 1]), Buffer.alloc(4)])
  stamp.writeUInt32LE(modified.getTime() / 1000, 5)
  expect(bytes.toString('latin1').split(stamp.toString('latin1'))).toHaveLength(2 * entries.length + 1)
  for (const one of await entriesOf(await openedZip(bytes))) expect(one.getLastModDate()).toEqual(modified)
})

it('lists missing files in the archive, whose size does not change', async () => {
  const entries = Array.from({ length: 3000 }, (_, at) => entry(`some/where/file ${at}.bin`, at === 7 ? 300_000 : 1))
  const bytes = await buffer(
    zipOf(entries, async (_, at) =>
      at % 2 === 1
        ? { missing: 'deleted' }
        : (async function* () {
            yield Buffer.from('x')
          })(),
    ),
  )
  expect(bytes.length).toBe(sizeOfZip(entries).size)
  const found = await unpacked(bytes)
  expect(Object.keys(found)).toHaveLength(1501)
  expect(found['_missing.txt']).toContain('some/where/file 7.bin: deleted\r\n')
  expect(found['_missing.txt']).not.toContain('file 8.bin')
  // an entry whose headers are shorter than the line that replaces it
  const one = [entry('a', 0)]
  const least = await buffer(zipOf(one, async () => ({ missing: 'no permission to read it' })))
  expect(least.length).toBe(sizeOfZip(one).size)
  expect(Object.keys(await unpacked(least))).toEqual(['_missing.txt'])
})

it('fails if a file is shorter or longer than announced', async () => {
  for (const size of [4, 6])
    await expect(buffer(zipOf([entry('a', size)], bytesFrom({ a: 'hello' })))).rejects.toThrow('had 5')
})

let folder: string | undefined
afterEach(async () => {
  if (folder) await rm(folder, { recursive: true })
  folder = undefined
})
it('writes valid archives of more than 4 GiB', { tags: 'all', timeout: 120_000 }, async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mainstay-zip-'))
  const MiB = 1024 * 1024
  const part = Buffer.alloc(MiB)
  const entries = [entry('large', 4100 * MiB), entry('after it', 5)]
  const { size, isLarge } = sizeOfZip(entries)
  expect(isLarge).toBe(true)
  const zip = zipOf(entries, async ({ path: name }) =>
    (async function* () {
      if (name === 'large') for (let at = 0; at < 4100; at++) yield part
      else yield Buffer.from('hello')
    })(),
  )
  // write only the end of the archive, with the central directory; the rest is a sparse file
  const file = path.join(folder, 'large.zip')
  const KEPT = 64 * 1024
  let at = 0
  const tail: Buffer[] = []
  for await (const bytes of zip as AsyncIterable<Buffer>) {
    at += bytes.length
    if (at > size - KEPT) tail.push(bytes)
  }
  expect(at).toBe(size)
  const end = Buffer.concat(tail)
  await pipeline([end], createWriteStream(file, { start: size - end.length, flags: 'w' }))
  const opened = await openedZip(file)
  const found = await entriesOf(opened)
  expect(found.map(({ fileName, uncompressedSize }) => [fileName, uncompressedSize])).toEqual([
    ['large', 4100 * MiB],
    ['after it', 5],
  ])
  const last = await new Promise<Buffer>((resolve, reject) =>
    opened.openReadStream(found[1]!, (error, stream) => (error ? reject(error) : resolve(buffer(stream)))),
  )
  expect(last.toString()).toBe('hello')
  opened.close()
})

it('processes thousands of long or identical names within a second', () => {
  const long = Array.from({ length: 10_000 }, (_, n) => cleanPath(`${'ü'.repeat(500)}${n}`))
  const began = performance.now()
  expect(Buffer.byteLength(cleanPath('ü'.repeat(500)))).toBe(254)
  expect(new Set(uniquePaths(long)).size).toBe(10_000)
  expect(performance.now() - began).toBeLessThan(1000)
})

it('creates unique paths that do not leave the folder', () => {
  expect(['/a//b', '../../etc/passwd', 'a/./b/..', 'x\\..\\y', 'line\nfeed', 'trailing. ', '/'].map(cleanPath)).toEqual(
    [...['a/b', '__/__/etc/passwd', 'a/_/b/__', 'x_.._y', 'line_feed', 'trailing__', '']],
  )
  expect(Buffer.byteLength(cleanPath(`${'日'.repeat(200)}/x`).split('/')[0]!)).toBeLessThanOrEqual(255)
  const devices = ['aux.txt', 'con/x.txt', 'x/COM1', 'nul', 'PRN.tar.gz', 'CONIN$', 'LPT¹', 'com9 .txt', 'Lpt0']
  expect(devices.map(cleanPath)).toEqual([
    ...['_aux.txt', '_con/x.txt', 'x/_COM1', '_nul', '_PRN.tar.gz', '_CONIN$', '_LPT¹', '_com9 .txt', '_Lpt0'],
  ])
  expect(['console', 'auxiliary.txt', 'com10', 'x.nul', 'lpt'].map(cleanPath)).toEqual([
    ...['console', 'auxiliary.txt', 'com10', 'x.nul', 'lpt'],
  ])
  expect(uniquePaths(['é.txt', 'e\u0301.txt', 'É.txt'])).toEqual(['é.txt', 'e\u0301 (2).txt', 'É (3).txt'])
  expect(uniquePaths(['a', 'a/b', 'A', 'c.tar', 'c.tar', '_missing.txt', 'd/'])).toEqual([
    ...['a (2)', 'a/b', 'A (3)', 'c.tar', 'c (2).tar', '_missing (2).txt', 'd/'],
  ])
})
