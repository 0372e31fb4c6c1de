import type { Part } from '../client/multipart'

const MiB = 1024 ** 2
/** From this size on a file goes in parts. */
export const MULTIPART_FROM_BYTES = 64 * MiB
const LEAST_PART_BYTES = 16 * MiB
/** S3 takes 10 000 of them; some are left over. */
const MOST_PARTS = 9000
/** The largest object of S3: 5 TiB. */
export const MOST_OBJECT_BYTES = 5 * 1024 ** 4

/** Bytes of each part but the last one: a whole number of MiB. */
export const partBytesOf = (size: number): number =>
  Math.max(LEAST_PART_BYTES, Math.ceil(size / MOST_PARTS / MiB) * MiB)

/** A part of a file: the bytes from `from` up to, and without, `to`. Numbers begin with 1. */
export interface PartRange {
  number: number
  from: number
  to: number
}

/** The parts of a file of `size` bytes, in their order. */
export const partRanges = (size: number, partBytes: number): PartRange[] =>
  Array.from({ length: Math.ceil(size / partBytes) }, (_, at) => ({
    ...{ number: at + 1, from: at * partBytes, to: Math.min((at + 1) * partBytes, size) },
  }))

/** Bytes of the file that these parts hold. */
export const bytesOfParts = (size: number, partBytes: number, parts: readonly Pick<Part, 'number'>[]): number => {
  const there = new Set(parts.map(({ number }) => number))
  return partRanges(size, partBytes).reduce((sum, { number, from, to }) => sum + (there.has(number) ? to - from : 0), 0)
}
