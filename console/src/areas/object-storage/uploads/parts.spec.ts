import { expect, it } from 'vitest'
import { bytesOfParts, MOST_OBJECT_BYTES, MULTIPART_FROM_BYTES, partBytesOf, partRanges } from './parts'

const MiB = 1024 ** 2

it('takes parts of 16 MiB, and larger ones of whole MiB where 9000 would not do', () => {
  expect(partBytesOf(MULTIPART_FROM_BYTES)).toBe(16 * MiB)
  expect(partBytesOf(9000 * 16 * MiB)).toBe(16 * MiB)
  expect(partBytesOf(9000 * 16 * MiB + 1)).toBe(17 * MiB)
  expect(partBytesOf(MOST_OBJECT_BYTES)).toBe(583 * MiB)
  for (const size of [9000 * 16 * MiB, 9000 * 16 * MiB + 1, MOST_OBJECT_BYTES])
    expect(Math.ceil(size / partBytesOf(size))).toBeLessThanOrEqual(9000)
})

it('cuts a file without a gap, numbers from 1, and ends with what is left', () => {
  expect(partRanges(40, 16)).toEqual([
    { number: 1, from: 0, to: 16 },
    { number: 2, from: 16, to: 32 },
    { number: 3, from: 32, to: 40 },
  ])
  expect(partRanges(32, 16)).toHaveLength(2)
  expect(partRanges(1, 16)).toEqual([{ number: 1, from: 0, to: 1 }])
})

it('counts the bytes of those parts that are there, each once, and the last one by its own size', () => {
  expect(bytesOfParts(40, 16, [])).toBe(0)
  expect(bytesOfParts(40, 16, [{ number: 1 }, { number: 3 }])).toBe(24)
  expect(bytesOfParts(40, 16, [{ number: 3 }, { number: 3 }, { number: 4 }])).toBe(8)
})
