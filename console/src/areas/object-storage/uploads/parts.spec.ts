import { expect, it } from 'vitest'
import { bytesOfParts, MOST_OBJECT_BYTES, MULTIPART_FROM_BYTES, partBytesOf, partRanges } from './parts'

const MiB = 1024 ** 2

it('uses 16 MiB parts, or larger parts in whole MiB if 9000 parts would not be enough', () => {
  expect(partBytesOf(MULTIPART_FROM_BYTES)).toBe(16 * MiB)
  expect(partBytesOf(9000 * 16 * MiB)).toBe(16 * MiB)
  expect(partBytesOf(9000 * 16 * MiB + 1)).toBe(17 * MiB)
  expect(partBytesOf(MOST_OBJECT_BYTES)).toBe(583 * MiB)
  for (const size of [9000 * 16 * MiB, 9000 * 16 * MiB + 1, MOST_OBJECT_BYTES])
    expect(Math.ceil(size / partBytesOf(size))).toBeLessThanOrEqual(9000)
})

it('splits a file without gaps, numbered from 1, with a shorter last part', () => {
  expect(partRanges(40, 16)).toEqual([
    { number: 1, from: 0, to: 16 },
    { number: 2, from: 16, to: 32 },
    { number: 3, from: 32, to: 40 },
  ])
  expect(partRanges(32, 16)).toHaveLength(2)
  expect(partRanges(1, 16)).toEqual([{ number: 1, from: 0, to: 1 }])
})

it('adds up the bytes in the given parts, counting each part once and the last part with its actual size', () => {
  expect(bytesOfParts(40, 16, [])).toBe(0)
  expect(bytesOfParts(40, 16, [{ number: 1 }, { number: 3 }])).toBe(24)
  expect(bytesOfParts(40, 16, [{ number: 3 }, { number: 3 }, { number: 4 }])).toBe(8)
})
