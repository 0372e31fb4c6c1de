import type { Part } from '../client/multipart'
import { checksumOf } from './checksum'
import { partRanges } from './parts'
import type { UploadRecord } from './records'

/** How a file differs from the one in the unfinished upload. */
export type Difference = 'size' | 'modified' | 'content'

/** Number of randomly chosen parts to compare, in addition to the first and last. */
const RANDOM_PARTS = 2

/** Selects the first part, the last part and two others. */
export function sampleOf<Item>(parts: readonly Item[], random = Math.random): Item[] {
  const between = parts.slice(1, -1)
  const chosen = Array.from({ length: Math.min(RANDOM_PARTS, between.length) }, () => {
    const [one] = between.splice(Math.floor(random() * between.length), 1)
    return one!
  })
  return [...parts.slice(0, 1), ...chosen, ...parts.slice(1).slice(-1)]
}

/**
 * Compares a newly chosen file with an unfinished upload: size, modification time, and the checksums of some stored
 * parts. Returns the difference; null if the files match.
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
