import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { checkStream } from './checked-stream'
import { openImageWorker } from './image-worker'

const worker = openImageWorker({ log: { info: () => undefined, warn: () => undefined } })

const MiB = 1024 ** 2
const most = 64 * MiB

const rawDisk = (sizeBytes: number) => {
  const disk = randomBytes(sizeBytes)
  disk.fill(0, 0, 512)
  disk.set([0x55, 0xaa], 510)
  return disk
}
function* piecesOf(disk: Buffer, length = 64 * 1024) {
  for (let at = 0; at < disk.length; at += length) yield disk.subarray(at, at + length)
}
const all = async (bytes: Readable) => Buffer.concat(await bytes.toArray())

test.each([
  ['less than the inspected beginning', 4096],
  ['exactly the inspected beginning', MiB],
  ['more than the inspected beginning', 5 * MiB + 512],
])('passes on an image of %s unchanged', async (_, sizeBytes) => {
  const disk = rawDisk(sizeBytes)
  const checked = await checkStream(worker, Readable.from(piecesOf(disk)), 'detect', most)
  expect(checked.format).toBe('raw')
  expect((await all(checked.bytes)).equals(disk)).toBe(true)
  expect(checked.sha256()).toBe(createHash('sha256').update(disk).digest('hex'))
  expect(checked.failure()).toBeNull()
})

test('refuses a stream that is not an image before passing on any bytes, and destroys it', async () => {
  const bytes = Readable.from(piecesOf(Buffer.alloc(3 * MiB, 'x')))
  await expect(checkStream(worker, bytes, 'detect', most)).rejects.toMatchObject({ code: 'image_format_unsupported' })
  expect(bytes.destroyed).toBe(true)
})

test('refuses an empty stream', async () => {
  await expect(checkStream(worker, Readable.from([]), 'detect', most)).rejects.toMatchObject({
    code: 'image_truncated',
  })
})

test.each([
  ['ends in the middle of a sector', rawDisk(2 * MiB + 100), 'image_truncated'],
  ['is too large', rawDisk(3 * MiB), 'image_too_large'],
  [
    'turns out to be a VHD',
    Buffer.concat([rawDisk(2 * MiB), Buffer.from('conectix'.padEnd(512, '\0'), 'latin1')]),
    'image_',
  ],
])('a disk that %s fails at the end of the stream', async (_, disk, code) => {
  const checked = await checkStream(worker, Readable.from(piecesOf(disk)), 'detect', 2.5 * MiB)
  await expect(all(checked.bytes)).rejects.toMatchObject({ code: expect.stringContaining(code) })
  expect(checked.failure()).toMatchObject({ code: expect.stringContaining(code) })
})

test.each([
  ['with an error', new Error('the client went away')],
  ['without one', undefined],
])('a stream that is cut off %s fails', async (_, error) => {
  const bytes = new Readable({ read() {} })
  bytes.push(rawDisk(2 * MiB))
  const checked = await checkStream(worker, bytes, 'raw', most)
  const arriving = all(checked.bytes)
  setTimeout(() => bytes.destroy(error), 10)
  await expect(arriving).rejects.toThrow()
  expect(checked.failure()).not.toBeNull()
})
