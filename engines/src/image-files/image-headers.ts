import { ImageFault } from './image-fault'
import type { ImageFile } from './image-file'

/*
 * Reads the header of a disk image before QEMU does, and refuses anything that would make QEMU open another file. Each
 * function returns the size that the guest would see, or null if only QEMU can determine it.
 */

const truncated = () =>
  new ImageFault('image_truncated', 'The image is incomplete: the file is shorter than its content')
const backing = () =>
  new ImageFault('image_backing_file', 'The image depends on a backing file. Flatten it first (qemu-img convert)')
const external = () =>
  new ImageFault(
    'image_external_data',
    'The image stores its content in another file. Convert it first (qemu-img convert)',
  )
const encrypted = () => new ImageFault('image_encrypted', 'The image is encrypted. Upload it unencrypted')
export const headerFaults = { truncated, backing, external, encrypted }

/** https://www.qemu.org/docs/master/interop/qcow2.html */
export async function qcow2Size(file: ImageFile): Promise<number> {
  const head = await file.bytes(0, 112)
  if (head.length < 72) throw truncated()
  const version = head.readUInt32BE(4)
  if (version !== 2 && version !== 3)
    throw new ImageFault('image_format_unsupported', `qcow2 version ${version} is not supported`)
  if (head.readBigUInt64BE(8) !== 0n) throw backing()
  if (head.readUInt32BE(32) !== 0) throw encrypted()
  if (version === 3) {
    if (head.length < 104) throw truncated()
    const incompatible = head.readBigUInt64BE(72)
    if (incompatible & 2n) throw new ImageFault('image_truncated', 'The image is marked as damaged')
    if (incompatible & 4n) throw external()
    await refuseDataFileName(file, head.readUInt32BE(100))
  }
  return Number(head.readBigUInt64BE(24))
}

const dataFileName = 0x44415441
const backingFormat = 0xe2792aca

async function refuseDataFileName(file: ImageFile, headerLength: number): Promise<void> {
  const area = await file.bytes(headerLength, 64 * 1024)
  for (let offset = 0; offset + 8 <= area.length;) {
    const kind = area.readUInt32BE(offset)
    if (kind === 0) return
    if (kind === dataFileName) throw external()
    if (kind === backingFormat) throw backing()
    offset += 8 + Math.ceil(area.readUInt32BE(offset + 4) / 8) * 8
  }
}

/**
 * Space that qemu-img and VMware reserve for the description. QEMU reads all of it, regardless of the length in the
 * header.
 */
const descriptionBytes = 20 * 512

/** Reads the size of a VMware "Virtual Disk Format 5.0" file: a sparse extent with an embedded description. */
export async function vmdkSize(file: ImageFile): Promise<number> {
  const head = await file.bytes(0, 512)
  if (head.length < 512) throw truncated()
  const capacity = head.readBigUInt64LE(12) * 512n
  const at = Number(head.readBigUInt64LE(28)) * 512
  const length = Number(head.readBigUInt64LE(36)) * 512
  // Without a size, QEMU would open the files named in the description.
  if (capacity === 0n || at === 0 || length === 0) throw external()
  if (length > descriptionBytes)
    throw new ImageFault('image_format_unsupported', 'The description in the VMDK is longer than 20 sectors')
  const area = await file.bytes(at, descriptionBytes)
  const end = area.indexOf(0)
  refuseDescription(area.toString('latin1', 0, end === -1 ? area.length : end))
  return Number(capacity)
}

/**
 * Throws if the description refers to another file. Matches line by line, because a pattern for the whole text could
 * backtrack in quadratic time.
 */
function refuseDescription(text: string): void {
  const lines = text.split(/[\r\n]/).map((line) => line.trim())
  if (!lines.some((line) => /^# Disk Descriptor/i.test(line))) throw truncated()
  // QEMU recognizes this hint anywhere in the text
  if (text.toLowerCase().includes('parentfilenamehint')) throw backing()
  if (valuesOf(lines, 'parentcid').some((parent) => parent !== 'ffffffff')) throw backing()
  const [type = '', ...otherTypes] = valuesOf(lines, 'createtype')
  if (otherTypes.length > 0 || !['monolithicsparse', 'streamoptimized'].includes(type)) throw external()
  const [extent, ...otherExtents] = lines.filter((line) => /^(RW|RDONLY|NOACCESS)\s/i.test(line))
  if (otherExtents.length > 0 || !/^(RW|RDONLY)\s+\d+\s+SPARSE\s/i.test(extent ?? '')) throw external()
}

/** Returns the values after `name =`, in lower case and without quotation marks. */
const valuesOf = (lines: string[], name: string): string[] =>
  lines
    .map((line) => line.toLowerCase())
    .filter((line) => line.startsWith(name))
    .map((line) => line.slice(name.length).trim())
    .filter((rest) => rest.startsWith('='))
    .map((rest) => rest.slice(1).replaceAll('"', '').trim())

/**
 * Reads the size of an Oracle VDI 1.1 file, in which blocks are stored in the order in which they were first written.
 */
export async function vdiSize(file: ImageFile): Promise<number> {
  const head = await file.bytes(0, 512)
  if (head.length < 512) throw truncated()
  const kind = head.readUInt32LE(0x4c)
  if (kind !== 1 && kind !== 2) throw backing()
  const dataOffset = head.readUInt32LE(0x158)
  const blockBytes = head.readUInt32LE(0x178)
  const blocksInFile = head.readUInt32LE(0x184)
  if (file.sizeBytes !== null && dataOffset + blockBytes * blocksInFile > file.sizeBytes) throw truncated()
  return Number(head.readBigUInt64LE(0x170))
}

/**
 * Reads the size of a Microsoft VHD 1.0 file. The last sector is a footer. A dynamic disk also has a copy of it at the
 * start.
 */
export async function vpcSize(file: ImageFile): Promise<number | null> {
  const footer = await file.bytes(file.sizeBytes === null ? 0 : file.sizeBytes - 512, 512)
  if (file.sizeBytes === null && footer.toString('latin1', 0, 8) !== 'conectix') return null
  if (footer.length < 512 || footer.toString('latin1', 0, 8) !== 'conectix') throw truncated()
  const kind = footer.readUInt32BE(60)
  if (kind === 4) throw backing()
  const size = Number(footer.readBigUInt64BE(48))
  if (kind === 2 && file.sizeBytes !== null && size + 512 > file.sizeBytes) throw truncated()
  return size
}
