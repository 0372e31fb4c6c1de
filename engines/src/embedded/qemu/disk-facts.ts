import { stat } from 'node:fs/promises'
import { ImageFault } from '../../image-files/image-fault'
import { readImage } from '../../image-files/image-file'
import { markedFormat } from '../../image-files/image-format'
import { qcow2Size } from '../../image-files/image-headers'
import type { DiskFacts } from '../hypervisor'
import { imageNamed, quick, type ImageTool } from './image-tool'

/**
 * The format of a file of ours: qcow2 or raw, nothing else was ever stored. Raw files that look like qcow2 are never
 * accepted, and disks that a guest writes are qcow2, so a guest cannot make one look like the other.
 */
export const storedFormat = (path: string): Promise<'qcow2' | 'raw'> =>
  readImage(path, async (file) => {
    const found = await markedFormat(file)
    if (found === 'qcow2') {
      // Throws for a backing file, which none of ours has.
      await qcow2Size(file)
      return found
    }
    if (found !== null && found !== 'iso' && found !== 'vpc')
      throw new ImageFault('image_format_unsupported', 'The disk has an unknown format')
    return 'raw'
  })

/** Also of a disk that a machine has open (`-U`). */
export async function factsOf(tool: ImageTool, path: string): Promise<DiskFacts> {
  const format = await storedFormat(path)
  if (format === 'raw') {
    const { size, blocks } = await stat(path)
    return { format, virtualBytes: size, usedBytes: blocks * 512 }
  }
  const text = await tool(['info', '-U', '--output=json', imageNamed(path, format)], quick)
  const info = JSON.parse(text) as { 'virtual-size': number; 'actual-size': number }
  return { format, virtualBytes: info['virtual-size'], usedBytes: info['actual-size'] }
}
