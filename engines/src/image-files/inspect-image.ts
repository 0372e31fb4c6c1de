import { ImageFault } from './image-fault'
import type { ImageFile } from './image-file'
import {
  looksLikeKernelOrRamdisk,
  looksLikeRawDisk,
  lookalike,
  markedFormat,
  type ImageDriver,
  type ImageFormat,
} from './image-format'
import { headerFaults, qcow2Size, vdiSize, vmdkSize, vpcSize } from './image-headers'

/** Formats that an image can have. */
export type ImageContent = ImageDriver | 'iso'

/** Format names used by the API and its clients. */
const declaredFormats: Record<string, ImageContent | 'raw-part'> = {
  iso: 'iso',
  qcow2: 'qcow2',
  raw: 'raw',
  img: 'raw',
  ami: 'raw',
  aki: 'raw-part',
  ari: 'raw-part',
  vmdk: 'vmdk',
  vdi: 'vdi',
  vhd: 'vpc',
  vpc: 'vpc',
  vhdx: 'vhdx',
  ploop: 'parallels',
  parallels: 'parallels',
}
const nameOf: Record<string, string> = {
  vpc: 'VHD',
  raw: 'raw disk',
  'raw-part': 'kernel or ramdisk',
  iso: 'ISO',
  parallels: 'ploop',
}

/** Returns the display name of a format. */
export const formatNamed = (format: string) => nameOf[format] ?? format

export const unsupported = (message: string) => new ImageFault('image_format_unsupported', message)

export interface Inspected {
  format: ImageContent
  /**
   * Size of the disk as seen by a guest. Null if only QEMU can determine the size, or if it is known only at the end of
   * the file.
   */
  virtualBytes: number | null
}

/**
 * Detects the format of a file without QEMU. Throws an `ImageFault` for files that QEMU must not open. An incomplete
 * file is not refused for reasons that depend on its end, because it is inspected again once complete.
 */
export async function inspectImage(file: ImageFile, declared: string, maxVirtualBytes: number): Promise<Inspected> {
  const wanted = declared === 'detect' ? null : declaredFormats[declared.toLowerCase()]
  if (wanted === undefined) throw unsupported(`Images of the format "${declared}" are not supported`)
  const found = acceptable((await markedFormat(file)) ?? (await unmarkedFormat(file, wanted)))
  const isMeant =
    wanted === null ||
    found === wanted ||
    (found === 'raw' && wanted === 'raw-part') ||
    (found === 'iso' && wanted === 'raw')
  // Also refuses a raw file that starts like another format, because a later reader could mistake it for that format.
  if (!isMeant) throw unsupported(`The file was declared as ${formatNamed(wanted)}, but is ${formatNamed(found)}`)
  const virtualBytes = await sizeFromHeader(file, found)
  if (virtualBytes !== null && virtualBytes > maxVirtualBytes) throw tooLarge(virtualBytes, maxVirtualBytes)
  // A bootable ISO is also a raw disk, and may be declared as one.
  return { format: found === 'iso' && wanted === 'raw' ? 'raw' : found, virtualBytes }
}

function acceptable(found: ImageFormat): ImageContent {
  if (found === 'vmdk-descriptor') throw headerFaults.external()
  if (found === 'luks') throw headerFaults.encrypted()
  if (found === 'unknown-disk') throw unsupported('Disk images of this type are not supported')
  return found
}

/** Determines the format of a file without a signature. Raw files have none, so only recognized disks are accepted. */
async function unmarkedFormat(file: ImageFile, wanted: ImageContent | 'raw-part' | null): Promise<'raw' | 'vpc'> {
  const head = await file.bytes(0, 512)
  if (file.sizeBytes === 0) throw new ImageFault('image_truncated', 'The file is empty')
  if (wanted === 'raw-part' && (await looksLikeKernelOrRamdisk(file))) return 'raw'
  const known = lookalike(head)
  if (known) throw unsupported(`The file is not a disk image, but ${known}`)
  if (wanted === 'vpc' && file.sizeBytes === null) return 'vpc'
  if (wanted !== null && wanted !== 'raw' && wanted !== 'raw-part')
    throw unsupported(`The file is not a ${formatNamed(wanted)} image`)
  if (!(await looksLikeRawDisk(file)))
    throw unsupported('The file is not a disk image: it has no boot record, partitions or file system')
  if (file.sizeBytes !== null && file.sizeBytes % 512 !== 0)
    throw new ImageFault('image_truncated', 'The image is incomplete: its size is not a multiple of 512 bytes')
  return 'raw'
}

/** Returns the size of the disk in a file of this format, according to its header. */
export async function sizeFromHeader(file: ImageFile, format: ImageContent): Promise<number | null> {
  switch (format) {
    case 'qcow2':
      return qcow2Size(file)
    case 'vmdk':
      return vmdkSize(file)
    case 'vdi':
      return vdiSize(file)
    case 'vpc':
      return vpcSize(file)
    case 'raw':
    case 'iso':
      return file.sizeBytes
    case 'vhdx':
    case 'parallels':
      return null
  }
}

const gibibytes = (bytes: number) => `${Math.ceil(bytes / 1024 ** 3).toLocaleString('en')} GiB`

/** Returns the fault for a disk of `size` bytes when at most `most` bytes are allowed. */
export const tooLarge = (size: number, most: number) =>
  new ImageFault('image_too_large', `The image is a disk of ${gibibytes(size)}; at most ${gibibytes(most)} are allowed`)
