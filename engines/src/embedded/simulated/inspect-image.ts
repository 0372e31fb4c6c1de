import { ImageFault } from '../../image-files/image-fault'
import { readImage, type ImageFile } from '../../image-files/image-file'
import { lookalike, looksLikeRawDisk, markedFormat } from '../../image-files/image-format'
import { headerFaults } from '../../image-files/image-headers'
import { sizeFromHeader } from '../../image-files/inspect-image'

export interface Inspected {
  format: 'iso' | 'raw' | 'qcow2'
  virtualBytes: number
  /** Whether a real hypervisor would convert the image. */
  isConverted: boolean
}

const unsupported = (message: string) => new ImageFault('image_format_unsupported', message)
const rawNames = ['raw', 'img', 'ami', 'aki', 'ari']
const formatOfName: Record<string, string> = { vhd: 'vpc', ploop: 'parallels' }

/**
 * Detects the format of an upload by its signature. Performs only those checks of the real hypervisor that require no
 * external program.
 */
export async function inspect(upload: string, declared: string, maxVirtualBytes: number): Promise<Inspected> {
  return readImage(upload, async (file) => {
    if (file.sizeBytes === 0) throw new ImageFault('image_truncated', 'The file is empty')
    const found = (await markedFormat(file)) ?? (await unmarked(file))
    if (found === 'vmdk-descriptor') throw headerFaults.external()
    if (found === 'luks') throw headerFaults.encrypted()
    if (found === 'unknown-disk') throw unsupported('Disk images of this type are not supported')
    const wanted = rawNames.includes(declared) ? 'raw' : (formatOfName[declared] ?? declared)
    const isBootableIso = found === 'iso' && wanted === 'raw'
    if (wanted !== 'detect' && wanted !== found && !isBootableIso) {
      throw unsupported(`The file was declared as ${declared}, but is ${found}`)
    }
    const virtualBytes = (await sizeFromHeader(file, found)) ?? file.sizeBytes
    if (virtualBytes > maxVirtualBytes) {
      throw new ImageFault('image_too_large', 'The disk of the image is larger than allowed')
    }
    const isConverted = !['iso', 'raw', 'qcow2'].includes(found)
    return { format: isConverted ? 'qcow2' : (found as 'iso' | 'raw' | 'qcow2'), virtualBytes, isConverted }
  })
}

async function unmarked(file: ImageFile): Promise<'raw'> {
  const known = lookalike(await file.bytes(0, 512))
  if (known) throw unsupported(`The file is not a disk image, but ${known}`)
  if (await looksLikeRawDisk(file)) return 'raw'
  throw unsupported('The file is not a disk image: it has no boot record, partitions or file system')
}
