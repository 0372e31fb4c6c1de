import { expect, it } from 'vitest'
import { crcOfBlob } from './crc64nvme'
import { partRanges } from './parts'
import { differenceOf, sampleOf } from './same-file'

const partBytes = 10
const text = 'aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeefffff'
const fileOf = (content: string, lastModified = 1000) => new File([content], 'a.bin', { lastModified })
const record = { size: text.length, lastModified: 1000, partBytes }
const partsOf = (content: string, numbers: readonly number[]) =>
  Promise.all(
    partRanges(content.length, partBytes)
      .filter(({ number }) => numbers.includes(number))
      .map(async ({ number, from, to }) => ({ number, crc: await crcOfBlob(fileOf(content).slice(from, to)) })),
  )
/** A copy of the file with a different byte in one part. */
const otherIn = (part: number) => {
  const at = (part - 1) * partBytes + 3
  return fileOf(`${text.slice(0, at)}!${text.slice(at + 1)}`)
}

it('samples the first part, the last one and two others, each once', () => {
  expect(sampleOf([1, 2, 3, 4, 5], () => 0)).toEqual([1, 2, 3, 5])
  expect(sampleOf([1, 2, 3, 4, 5], () => 0.999)).toEqual([1, 4, 3, 5])
  expect([[], [1], [1, 2], [1, 2, 3]].map((parts) => sampleOf(parts))).toEqual([[], [1], [1, 2], [1, 2, 3]])
})

it('accepts the same file, and reports how a different file differs', async () => {
  const parts = await partsOf(text, [1, 2, 3, 4, 5, 6])
  expect(await differenceOf(record, fileOf(text), parts)).toBeNull()
  expect(await differenceOf(record, fileOf(`${text}!`), parts)).toBe('size')
  expect(await differenceOf(record, fileOf(text, 1001), parts)).toBe('modified')
  expect(await differenceOf(record, otherIn(1), parts)).toBe('content')
  expect(await differenceOf(record, otherIn(6), parts)).toBe('content')
})

it('compares stored parts, even if they are not the first parts', async () => {
  const parts = await partsOf(text, [2, 3, 4, 5])
  for (const part of [2, 3, 4, 5]) expect(await differenceOf(record, otherIn(part), parts)).toBe('content')
  // these parts are not stored yet, so they are sent from this file
  for (const part of [1, 6]) expect(await differenceOf(record, otherIn(part), parts)).toBeNull()
  expect(await differenceOf(record, otherIn(1), [])).toBeNull()
})
