/*
 * Writes small CD images: ISO 9660 with Rock Ridge names for Unix and Joliet names for Windows, files in the root
 * folder only. ECMA-119, IEEE P1282 and Microsoft's Joliet specification.
 */

const sectorBytes = 2048
const sectorsOf = (bytes: number) => Math.ceil(bytes / sectorBytes)

// Layout in sectors. The first 16 are reserved for boot code, which these images do not have.
const primaryDescriptor = 16
const jolietDescriptor = 17
const endOfDescriptors = 18
const pathTables = { littleEndian: 19, bigEndian: 20, jolietLittleEndian: 21, jolietBigEndian: 22 }
const firstDirectory = 23

interface Entry {
  name: string
  content: Buffer
  sector: number
}

/** Creates an image. File names are kept, and the same input yields the same image. */
export function isoImage(label: string, files: Record<string, string | Buffer>): Buffer {
  const contents = Object.entries(files).map(([name, content]) => ({ name, content: Buffer.from(content) }))
  for (const { name } of contents) {
    if (name.length > 60 || !/^[\w.-]+$/.test(name))
      throw new RangeError(`"${name}" is not a valid name for a file on a CD`)
  }
  // The size of a directory does not depend on the positions of its files.
  const placeholder = contents.map((file) => ({ ...file, sector: 0 }))
  const primarySectors = sectorsOf(primaryDirectory(placeholder, 0, 0).length)
  const jolietSectors = sectorsOf(jolietDirectory(placeholder, 0, 0).length)
  const jolietStart = firstDirectory + primarySectors

  let next = jolietStart + jolietSectors
  const entries: Entry[] = contents.map((file) => {
    const entry = { ...file, sector: next }
    next += sectorsOf(file.content.length)
    return entry
  })

  const image = Buffer.alloc(next * sectorBytes)
  const put = (bytes: Buffer, sector: number) => void bytes.copy(image, sector * sectorBytes)
  const primaryBytes = primarySectors * sectorBytes
  const jolietBytes = jolietSectors * sectorBytes
  put(
    descriptor({ label, sectors: next, root: firstDirectory, rootBytes: primaryBytes, isJoliet: false }),
    primaryDescriptor,
  )
  put(descriptor({ label, sectors: next, root: jolietStart, rootBytes: jolietBytes, isJoliet: true }), jolietDescriptor)
  put(Buffer.from('\xffCD001\x01', 'latin1'), endOfDescriptors)
  put(pathTable(firstDirectory, false), pathTables.littleEndian)
  put(pathTable(firstDirectory, true), pathTables.bigEndian)
  put(pathTable(jolietStart, false), pathTables.jolietLittleEndian)
  put(pathTable(jolietStart, true), pathTables.jolietBigEndian)
  put(primaryDirectory(entries, firstDirectory, primaryBytes), firstDirectory)
  put(jolietDirectory(entries, jolietStart, jolietBytes), jolietStart)
  for (const { content, sector } of entries) put(content, sector)
  return image
}

const pathTableBytes = 10

function descriptor(of: {
  label: string
  sectors: number
  root: number
  rootBytes: number
  isJoliet: boolean
}): Buffer {
  const { label, sectors, root, rootBytes, isJoliet } = of
  const bytes = Buffer.alloc(sectorBytes)
  const text = (value: string, at: number, length: number) => void padded(value, length, isJoliet).copy(bytes, at)
  bytes.write('CD001', 1, 'latin1')
  bytes[0] = isJoliet ? 2 : 1
  bytes[6] = 1
  text('', 8, 32)
  text(label, 40, 32)
  both32(sectors).copy(bytes, 80)
  // The escape sequence "UCS-2 level 3" marks a supplementary descriptor as Joliet.
  if (isJoliet) bytes.write('%/E', 88, 'latin1')
  both16(1).copy(bytes, 120)
  both16(1).copy(bytes, 124)
  both16(sectorBytes).copy(bytes, 128)
  both32(pathTableBytes).copy(bytes, 132)
  bytes.writeUInt32LE(isJoliet ? pathTables.jolietLittleEndian : pathTables.littleEndian, 140)
  bytes.writeUInt32BE(isJoliet ? pathTables.jolietBigEndian : pathTables.bigEndian, 148)
  record({ name: Buffer.from([0]), sector: root, size: rootBytes, isDirectory: true }).copy(bytes, 156)
  text('', 190, 623)
  for (const at of [813, 830, 847, 864]) bytes.write('2000010100000000', at, 'latin1')
  bytes[881] = 1
  return bytes
}

/** Returns the path table with a single directory, the root, which is its own parent. */
function pathTable(root: number, isBigEndian: boolean): Buffer {
  const bytes = Buffer.alloc(pathTableBytes)
  bytes[0] = 1
  if (isBigEndian) {
    bytes.writeUInt32BE(root, 2)
    bytes.writeUInt16BE(1, 6)
  } else {
    bytes.writeUInt32LE(root, 2)
    bytes.writeUInt16LE(1, 6)
  }
  return bytes
}

const directoryMode = 0o040555
const fileMode = 0o100444

function primaryDirectory(entries: Entry[], own: number, ownBytes: number): Buffer {
  const self = { sector: own, size: ownBytes, isDirectory: true }
  const shortNames = entries.map((entry, index) => ({ ...entry, short: shortName(entry.name, index) }))
  return packed([
    record({
      ...self,
      name: Buffer.from([0]),
      extra: Buffer.concat([sharingProtocol, mode(directoryMode, 2), rockRidge]),
    }),
    record({ ...self, name: Buffer.from([1]), extra: mode(directoryMode, 2) }),
    ...shortNames
      .sort((a, b) => (a.short < b.short ? -1 : 1))
      .map(({ name, short, content, sector }) =>
        record({
          name: Buffer.from(short, 'latin1'),
          sector,
          size: content.length,
          extra: Buffer.concat([mode(fileMode, 1), alternateName(name)]),
        }),
      ),
  ])
}

function jolietDirectory(entries: Entry[], own: number, ownBytes: number): Buffer {
  const self = { sector: own, size: ownBytes, isDirectory: true }
  return packed([
    record({ ...self, name: Buffer.from([0]) }),
    record({ ...self, name: Buffer.from([1]) }),
    ...[...entries]
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ name, content, sector }) => record({ name: ucs2(name), sector, size: content.length })),
  ])
}

/** Returns the file name for systems that support neither Rock Ridge nor Joliet, made unique by its number. */
const shortName = (name: string, index: number) =>
  `${name
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, '_')
    .slice(0, 5)}${String(index).padStart(3, '0')}.;1`

interface RecordOf {
  name: Buffer
  sector: number
  size: number
  isDirectory?: boolean
  extra?: Buffer
}

function record({ name, sector, size, isDirectory = false, extra = Buffer.alloc(0) }: RecordOf): Buffer {
  const nameEnd = 33 + name.length + (name.length % 2 === 0 ? 1 : 0)
  const length = nameEnd + extra.length + (extra.length % 2)
  const bytes = Buffer.alloc(length)
  bytes[0] = length
  both32(sector).copy(bytes, 2)
  both32(size).copy(bytes, 10)
  // 2000-01-01 as years since 1900, month, day.
  bytes.set([100, 1, 1], 18)
  bytes[25] = isDirectory ? 2 : 0
  both16(1).copy(bytes, 28)
  bytes[32] = name.length
  name.copy(bytes, 33)
  extra.copy(bytes, nameEnd)
  return bytes
}

/** Joins records without letting any of them cross a sector boundary. */
function packed(records: Buffer[]): Buffer {
  let out = Buffer.alloc(0)
  for (const one of records) {
    const left = sectorBytes - (out.length % sectorBytes)
    out = Buffer.concat([out, Buffer.alloc(one.length > left ? left : 0), one])
  }
  return out
}

const field = (kind: string, content: Buffer) =>
  Buffer.concat([Buffer.from(kind, 'latin1'), Buffer.from([4 + content.length, 1]), content])
const sharingProtocol = field('SP', Buffer.from([0xbe, 0xef, 0]))
const rockRidge = field('ER', Buffer.concat([Buffer.from([10, 0, 0, 1]), Buffer.from('RRIP_1991A', 'latin1')]))
const alternateName = (name: string) => field('NM', Buffer.concat([Buffer.from([0]), Buffer.from(name, 'latin1')]))
const mode = (bits: number, links: number) => field('PX', Buffer.concat([bits, links, 0, 0].map(both32)))

function both32(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt32LE(value, 0)
  bytes.writeUInt32BE(value, 4)
  return bytes
}
function both16(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt16LE(value, 0)
  bytes.writeUInt16BE(value, 2)
  return bytes
}
const ucs2 = (text: string) => Buffer.from(text, 'utf16le').swap16()

function padded(text: string, length: number, isJoliet: boolean): Buffer {
  if (!isJoliet) return Buffer.from(text.padEnd(length), 'latin1')
  return Buffer.concat([ucs2(text.padEnd(Math.floor(length / 2))), Buffer.alloc(length % 2)])
}
