import type { Part } from '../client/multipart'

const MiB = 1024 ** 2
/** Files of at least this size are uploaded in parts. */
export const MULTIPART_FROM_BYTES = 64 * MiB
const LEAST_PART_BYTES = 16 * MiB
/** S3 allows up to 10 000 parts; this leaves a margin. */
const MOST_PARTS = 9000
/** Maximum object size in S3: 5 TiB. */
export const MOST_OBJECT_BYTES = 5 * 1024 ** 4

/** Size of every part except the last: a whole number of MiB. */
export const partBytesOf = (size: number): number =>
  Math.max(LEAST_PART_BYTES, Math.ceil(size / MOST_PARTS / MiB) * MiB)

/** A byte range of a file, `to` exclusive. Numbers start at 1. */
export interface PartRange {
  number: number
  from: number
  to: number
}

/** Splits a file of `size` bytes into parts, in order. */
export const partRanges = (size: number, partBytes: number): PartRange[] =>
  Array.from({ length: Math.ceil(size / partBytes) }, (_, at) => ({
    ...{ number: at + 1, from: at * partBytes, to: Math.min((at + 1) * partBytes, size) },
  }))

/** Number of bytes in these parts. */
export const bytesOfParts = (size: number, partBytes: number, parts: readonly Pick<Part, 'number'>[]): number => {
  const there = new Set(parts.map(({ number }) => number))
  return partRanges(size, partBytes).reduce((sum, { number, from, to }) => sum + (there.has(number) ? to - from : 0), 0)
}
