import { copyFile, rename, rm, stat } from 'node:fs/promises'
import { diskFull } from '../../../image-files/image-fault'
import type { ImageWorker } from '../../../image-files/image-worker'
import type { AcceptedImage, ImageOrder } from '../../hypervisor'
import { flush } from './flush'

const gibibytes = (bytes: number) => `${(Math.max(0, bytes) / 1024 ** 3).toFixed(1)} GiB`

/**
 * Turns an upload into an image at `target` that is safe to run. The upload is consumed on success and kept on failure.
 * qcow2, raw and ISO images are kept unchanged; other formats are converted to qcow2.
 */
export async function acceptImage(
  worker: ImageWorker,
  order: ImageOrder,
  free: () => Promise<number>,
): Promise<AcceptedImage> {
  const { upload, target, declared, maxVirtualBytes, maxBytes, reserveBytes, onProgress = () => undefined } = order
  const { signal } = order
  const found = await worker.examine(upload, declared, maxVirtualBytes, { signal })
  const { format, virtualBytes } = found
  if (virtualBytes === null) throw new Error('the size of an image is not known in spite of its end')
  if (format === 'raw' || format === 'iso' || format === 'qcow2') {
    await move(upload, target)
    onProgress(100)
    return { format, virtualBytes, usedBytes: await usedBy(target), converted: null }
  }
  // A few bytes can expand to a whole disk, because table entries may repeat.
  const room = (await free()) - reserveBytes
  if (virtualBytes > room) {
    throw diskFull(
      `The image must be converted to a disk of ${gibibytes(virtualBytes)}, but only ${gibibytes(room)} are free`,
    )
  }
  const part = `${target}.part`
  await rm(part, { force: true })
  const { digests } = await worker.convert(
    { source: upload, target: part, from: format, maxBytes, reserveBytes, digests: true },
    { onProgress, signal },
  )
  await flush(part)
  await rename(part, target)
  await rm(upload, { force: true })
  onProgress(100)
  if (digests === null) throw new Error('a converted image has no digests')
  const { size } = await stat(target)
  return { format: 'qcow2', virtualBytes, usedBytes: await usedBy(target), converted: { sizeBytes: size, ...digests } }
}

/** Returns the allocated size of a file, in bytes. */
export const usedBy = async (path: string): Promise<number> => (await stat(path)).blocks * 512

async function move(upload: string, target: string): Promise<void> {
  await flush(upload)
  try {
    await rename(upload, target)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    const part = `${target}.part`
    try {
      await copyFile(upload, part)
      await flush(part)
      await rename(part, target)
    } catch (failure) {
      await rm(part, { force: true })
      throw (failure as NodeJS.ErrnoException).code === 'ENOSPC' ? diskFull() : failure
    }
    await rm(upload, { force: true })
  }
}
