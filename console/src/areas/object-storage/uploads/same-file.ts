import type { Part } from '../client/multipart'
import { checksumOf } from './checksum'
import { partRanges } from './parts'
import type { UploadRecord } from './records'

/** What is other of a file than of the one whose upload was begun. */
export type Difference = 'size' | 'modified' | 'content'

/** So many parts between the first and the last are looked at. */
const RANDOM_PARTS = 2

/** The first part, the last one and two others of those that have arrived. */
export function sampleOf<Item>(parts: readonly Item[], random = Math.random): Item[] {
  const between = parts.slice(1, -1)
  const chosen = Array.from({ length: Math.min(RANDOM_PARTS, between.length) }, () => {
    const [one] = between.splice(Math.floor(random() * between.length), 1)
    return one!
  })
  return [...parts.slice(0, 1), ...chosen, ...parts.slice(1).slice(-1)]
}

/**
 * Compares a file that was chosen again with the upload that it is to finish: size and time, then checksums of some of the parts that have
 * arrived. Answers what is other; null for the same file.
 */
export async function differenceOf(
  { size, lastModified, partBytes }: Pick<UploadRecord, 'size' | 'lastModified' | 'partBytes'>,
  file: File,
  parts: readonly Pick<Part, 'number' | 'crc'>[],
): Promise<Difference | null> {
  if (file.size !== size) return 'size'
  if (file.lastModified !== lastModified) return 'modified'
  const ranges = new Map(partRanges(size, partBytes).map((range) => [range.number, range]))
  for (const { number, crc } of sampleOf(parts)) {
    const range = ranges.get(number)
    if (!range || (await checksumOf(file.slice(range.from, range.to))) !== crc) return 'content'
  }
  return null
}
