import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { MISSING } from './names'

/*
 * Writes ZIP archives without compression (PKWARE APPNOTE 6.3), whose size is known in advance, so that browsers can
 * show progress and detect incomplete downloads. Libraries calculate the size from the entries and cannot omit an entry
 * later.
 */

/** A file in an archive, or a folder if its path ends with a slash. `size`: in bytes. */
export interface ZipEntry {
  path: string
  size: number
  modified: Date
}

/** The content of an entry, or the reason why it is missing. */
export type Opened = AsyncIterable<Buffer> | { missing: string }

interface Written extends ZipEntry {
  crc: number
  offset: number
}

const MOST_OF_ZIP32 = 0xffffffff
/** Bytes reserved for `_missing.txt`, because it can be larger than the headers of the entries that it replaces. */
const ROOM = 512
const ZEROS = Buffer.alloc(64 * 1024)
const isFolder = ({ path }: Pick<ZipEntry, 'path'>) => path.endsWith('/')

/** Little-endian numbers of 2, 4 and 8 bytes. */
const u16 = (value: number) => Buffer.from([value & 0xff, value >>> 8])
const u32 = (value: number) => Buffer.from([value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, value >>> 24])
const u64 = (value: number) => Buffer.concat([u32((value % 2 ** 32) | 0), u32(Math.floor(value / 2 ** 32))])

/**
 * MS-DOS date and time, in UTC because the format has no time zone. Starts in 1980 and has a resolution of two seconds.
 */
function dosTime(at: Date): Buffer {
  const year = Math.min(Math.max(at.getUTCFullYear(), 1980), 2107)
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1)
  return Buffer.concat([u16(time), u16(((year - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate())])
}

/** Extended timestamp (Info-ZIP 0x5455) in UTC, in seconds. Tools prefer it to the MS-DOS time. */
function utcTime(at: Date): Buffer {
  const seconds = Math.min(Math.max(Math.floor(at.getTime() / 1000), 0), 0x7fffffff)
  return Buffer.concat([u16(0x5455), u16(5), Buffer.from([1]), u32(seconds)])
}

/** Uses ZIP64 for large archives, and otherwise the original format, which all tools can read. */
function formOf(isLarge: boolean) {
  const version = u16(isLarge ? 45 : 20)
  const UTF8 = 1 << 11
  const SIZES_FOLLOW = 1 << 3
  const length = isLarge ? u64 : u32
  const short = isLarge ? () => u32(MOST_OF_ZIP32) : u32
  const flags = (entry: ZipEntry) => u16(UTF8 | (isFolder(entry) ? 0 : SIZES_FOLLOW))
  const extra = ({ modified }: ZipEntry, ...values: number[]) =>
    Buffer.concat([...(isLarge ? [u16(1), u16(8 * values.length), ...values.map(u64)] : []), utcTime(modified)])

  /** Local file header. */
  function local(entry: ZipEntry): Buffer {
    const name = Buffer.from(entry.path)
    const more = extra(entry, 0, 0)
    const head = [u32(0x04034b50), version, flags(entry), u16(0), dosTime(entry.modified), u32(0), short(0), short(0)]
    return Buffer.concat([...head, u16(name.length), u16(more.length), name, more])
  }
  /** Data descriptor that follows the content of a file. */
  const descriptor = ({ size, crc }: Pick<Written, 'size' | 'crc'>) =>
    Buffer.concat([u32(0x08074b50), u32(crc), length(size), length(size)])

  /** Entry in the central directory. */
  function central(entry: Written): Buffer {
    const { size, crc, offset } = entry
    const name = Buffer.from(entry.path)
    const more = extra(entry, size, size, offset)
    const UNIX = 3 << 8
    const mode = isFolder(entry) ? 0o40755 : 0o100644
    return Buffer.concat([
      ...[u32(0x02014b50), u16(UNIX | version[0]!), version, flags(entry), u16(0), dosTime(entry.modified)],
      ...[u32(crc), short(size), short(size), u16(name.length), u16(more.length), u16(0), u16(0), u16(0)],
      ...[u32((mode << 16) >>> 0), short(offset), name, more],
    ])
  }
  function end(count: number, offset: number, size: number): Buffer {
    const of16 = isLarge ? 0xffff : count
    const short64 = isLarge
      ? [
          ...[
            u32(0x06064b50),
            u64(44),
            version,
            version,
            u32(0),
            u32(0),
            u64(count),
            u64(count),
            u64(size),
            u64(offset),
          ],
          ...[u32(0x07064b50), u32(0), u64(offset + size), u32(1)],
        ]
      : []
    return Buffer.concat([
      ...[...short64, u32(0x06054b50), u16(0), u16(0), u16(of16), u16(of16), short(size), short(offset), u16(0)],
    ])
  }
  return { local, descriptor, central, end }
}

const around = (entries: readonly ZipEntry[], isLarge: boolean): number => {
  const { local, descriptor, central, end } = formOf(isLarge)
  const none = { crc: 0, offset: 0 }
  return entries.reduce(
    (sum, entry) =>
      sum +
      local(entry).length +
      central({ ...entry, ...none }).length +
      (isFolder(entry) ? 0 : descriptor({ ...entry, ...none }).length),
    end(0, 0, 0).length,
  )
}

/**
 * Returns the size of an archive with these entries, which does not depend on how many of them turn out to be missing.
 */
export function sizeOfZip(entries: readonly ZipEntry[]): { size: number; isLarge: boolean } {
  const content = entries.reduce((sum, { size }) => sum + size, ROOM)
  const small = content + around(entries, false)
  return small < MOST_OF_ZIP32
    ? { size: small, isLarge: false }
    : { size: content + around(entries, true), isLarge: true }
}

const HEAD = 'These files are not in this archive:\r\n\r\n'

/**
 * Streams an archive of exactly `sizeOfZip` bytes. Entries are opened one at a time. Missing entries are listed in
 * `_missing.txt`, and the space that they would occupy is filled with zeros that do not belong to any entry. The stream
 * fails if the size of an entry differs from the announced size.
 */
export const zipOf = (entries: readonly ZipEntry[], open: (entry: ZipEntry, at: number) => Promise<Opened>): Readable =>
  Readable.from(pieces(entries, open), { objectMode: false })

async function* pieces(entries: readonly ZipEntry[], open: (entry: ZipEntry, at: number) => Promise<Opened>) {
  const { size: whole, isLarge } = sizeOfZip(entries)
  const { local, descriptor, central, end } = formOf(isLarge)
  const written: Written[] = []
  const missing: string[] = []
  let offset = 0
  const passed = <Bytes extends Buffer>(bytes: Bytes): Bytes => {
    offset += bytes.length
    return bytes
  }
  async function* one(entry: ZipEntry, bytes: AsyncIterable<Buffer> | Iterable<Buffer>) {
    const at = offset
    let [crc, size] = [0, 0]
    yield passed(local(entry))
    for await (const part of bytes) {
      crc = crc32(part, crc)
      size += part.length
      if (size <= entry.size) yield passed(part)
    }
    if (size !== entry.size) throw new Error(`an object of ${entry.size} bytes had ${size}`)
    if (!isFolder(entry)) yield passed(descriptor({ size, crc }))
    written.push({ ...entry, crc, offset: at })
  }

  for (const [at, entry] of entries.entries()) {
    const bytes = isFolder(entry) ? [] : await open(entry, at)
    if ('missing' in bytes) missing.push(`${entry.path}: ${bytes.missing}\r\n`)
    else yield* one(entry, bytes)
  }
  if (missing.length > 0) {
    const text = Buffer.from(HEAD + missing.join(''))
    yield* one({ path: MISSING, size: text.length, modified: new Date() }, [text])
  }
  const table = written.map(central)
  const tableSize = table.reduce((sum, { length }) => sum + length, 0)
  for (let left = whole - offset - tableSize - end(0, 0, 0).length; left > 0; left -= ZEROS.length)
    yield passed(ZEROS.subarray(0, left))
  const last = end(written.length, offset, tableSize)
  yield* table
  yield last
}
