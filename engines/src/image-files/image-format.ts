import type { ImageFile } from './image-file'

/*
 * Detects the format of a file by its signature. QEMU's own detection can be tricked by a crafted file, and some of
 * the formats that it supports make it open other files.
 */

/** Formats, by the names that QEMU uses. */
export type ImageDriver = 'qcow2' | 'raw' | 'vmdk' | 'vdi' | 'vpc' | 'vhdx' | 'parallels'
export type ImageFormat = ImageDriver | 'iso' | 'vmdk-descriptor' | 'luks' | 'unknown-disk'

const startsWith = (bytes: Buffer, mark: string | number[], at = 0) => {
  const expected = typeof mark === 'string' ? Buffer.from(mark, 'latin1') : Buffer.from(mark)
  return bytes.subarray(at, at + expected.length).equals(expected)
}

/**
 * Returns the format that the signature of a file indicates. Null if the signature is not that of a disk format, in
 * which case the file can only be raw.
 */
export async function markedFormat(file: ImageFile): Promise<ImageFormat | null> {
  const head = await file.bytes(0, 4096)
  if (startsWith(head, 'QFI\xfb')) return head.readUInt32BE(4) === 1 ? 'unknown-disk' : 'qcow2'
  if (startsWith(head, 'KDMV')) return 'vmdk'
  if (/^# Disk Descriptor ?File/i.test(head.subarray(0, 512).toString('latin1').trimStart())) return 'vmdk-descriptor'
  if (startsWith(head, [0x7f, 0x10, 0xda, 0xbe], 0x40)) return 'vdi'
  if (startsWith(head, 'vhdxfile')) return 'vhdx'
  if (startsWith(head, 'WithoutFreeSpace') || startsWith(head, 'WithouFreSpacExt')) return 'parallels'
  if (startsWith(head, 'LUKS\xba\xbe')) return 'luks'
  if (startsWith(head, 'conectix') || (await endsLikeVhd(file))) return 'vpc'
  // Formats that QEMU would open but that are not supported: QED, COW, Bochs, VMFS sparse, cloop.
  if (
    ['QED\0', 'OOOM', 'COWD', 'Bochs Virtual HD Image', '#!/bin/sh\n#V2.0 Format'].some((mark) =>
      startsWith(head, mark),
    )
  )
    return 'unknown-disk'
  if (await isIso(file)) return 'iso'
  return null
}

/** Whether a file ends like a fixed-size VHD, which has only a footer, in its last sector. */
async function endsLikeVhd({ sizeBytes, bytes }: ImageFile): Promise<boolean> {
  return sizeBytes !== null && startsWith(await bytes(Math.max(0, sizeBytes - 512), 8), 'conectix')
}

const volumeDescriptors = 0x8000
const sector = 2048

/** Whether a file is an ISO 9660 or UDF image: the identifier is in the 16th sector or one of those after it. */
async function isIso(file: ImageFile): Promise<boolean> {
  const area = await file.bytes(volumeDescriptors, 16 * sector)
  for (let offset = 0; offset + 6 <= area.length; offset += sector) {
    if (
      startsWith(area, 'CD001', offset + 1) ||
      startsWith(area, 'NSR02', offset + 1) ||
      startsWith(area, 'NSR03', offset + 1)
    )
      return true
  }
  return false
}

/** Returns the file type if it is commonly mistaken for a disk image, otherwise null. */
export function lookalike(head: Buffer): string | null {
  const marks: [string | number[], string][] = [
    [[0x1f, 0x8b], 'a gzip archive. Unpack it first'],
    [[0xfd, 0x37, 0x7a, 0x58, 0x5a], 'an xz archive. Unpack it first'],
    [[0x28, 0xb5, 0x2f, 0xfd], 'a zstd archive. Unpack it first'],
    ['BZh', 'a bzip2 archive. Unpack it first'],
    ['PK\x03\x04', 'a zip archive. Unpack it first'],
    [[0x37, 0x7a, 0xbc, 0xaf], 'a 7z archive. Unpack it first'],
    ['%PDF', 'a PDF document'],
    [[0x7f, 0x45, 0x4c, 0x46], 'a program'],
  ]
  const found = marks.find(([mark]) => startsWith(head, mark))
  if (found) return found[1]
  if (startsWith(head, 'ustar', 257)) return 'a tar archive. Unpack it first'
  return null
}

/** Whether a raw file looks like a disk: it has a boot record, a partition table or a known file system. */
export async function looksLikeRawDisk(file: ImageFile): Promise<boolean> {
  const head = await file.bytes(0, 8192)
  const has = async (mark: string | number[], at: number) => startsWith(await file.bytes(at, 16), mark)
  return (
    startsWith(head, [0x55, 0xaa], 510) ||
    startsWith(head, 'EFI PART', 512) ||
    startsWith(head, 'EFI PART', 4096) ||
    startsWith(head, [0x53, 0xef], 1080) || // ext2 to ext4
    startsWith(head, 'XFSB') ||
    startsWith(head, 'hsqs') ||
    startsWith(head, 'LABELONE', 512) || // LVM
    startsWith(head, [0xe2, 0xe1, 0xf5, 0xe0], 1024) || // EROFS
    (await has('_BHRfS_M', 0x1_0040)) || // btrfs
    (await has('SWAPSPACE2', 4086)) ||
    (await has([0x10, 0x20, 0xf5, 0xf2], 1024)) // F2FS
  )
}

/**
 * Whether the file looks like the kernel or initial RAM disk of an Amazon-style image. These are not disks, but are
 * stored like them.
 */
export async function looksLikeKernelOrRamdisk(file: ImageFile): Promise<boolean> {
  const head = await file.bytes(0, 1024)
  return (
    startsWith(head, 'HdrS', 0x202) ||
    startsWith(head, [0x7f, 0x45, 0x4c, 0x46]) ||
    startsWith(head, '07070') ||
    startsWith(head, [0x1f, 0x8b]) ||
    startsWith(head, [0xfd, 0x37, 0x7a, 0x58, 0x5a]) ||
    startsWith(head, [0x28, 0xb5, 0x2f, 0xfd])
  )
}
