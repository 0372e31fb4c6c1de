import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { ImageFault } from './image-fault'
import type { ImageWorker } from './image-worker'
import { formatNamed, tooLarge, unsupported, type ImageContent } from './inspect-image'

/** Number of bytes to inspect before passing anything on. They contain the headers of every format. */
const lookAtBytes = 1024 * 1024
const tailBytes = 512

export interface CheckedStream {
  format: ImageContent
  /** The whole image. Fails with an `ImageFault` if a later part shows that the image is unacceptable. */
  bytes: Readable
  /** Returns the SHA-256 of the bytes passed on so far, in hex. */
  sha256(): string
  /** Returns why `bytes` failed, or null if it did not. */
  failure(): Error | null
}

/**
 * Has the worker inspect the beginning of an incoming image, and passes on the whole image without storing it. Throws
 * an `ImageFault` before passing on any bytes if the beginning shows that the image is unacceptable.
 */
export async function checkStream(
  worker: Pick<ImageWorker, 'inspect'>,
  bytes: Readable,
  declared: string,
  maxVirtualBytes: number,
): Promise<CheckedStream> {
  const chunks = bytes[Symbol.asyncIterator]() as AsyncIterableIterator<Buffer>
  const next = async () => {
    const { done, value } = await chunks.next()
    if (!done) return value
    // a stream destroyed without an error looks as if it had ended normally
    if (!bytes.readableEnded) throw new ImageFault('image_truncated', 'The upload was interrupted')
    return null
  }
  try {
    const { head, isWhole } = await readHead(next)
    const end = isWhole ? { sizeBytes: head.length, tail: head.subarray(-tailBytes) } : null
    const { format } = await worker.inspect({ head, end }, declared, maxVirtualBytes)
    const hash = createHash('sha256')
    let failure: Error | null = null

    async function* handOn(): AsyncGenerator<Buffer> {
      let sizeBytes = 0
      let tail: Buffer = Buffer.alloc(0)
      try {
        for (let chunk: Buffer | null = head; chunk; chunk = isWhole ? null : await next()) {
          sizeBytes += chunk.length
          tail = (chunk.length < tailBytes ? Buffer.concat([tail, chunk]) : chunk).subarray(-tailBytes)
          if ((format === 'raw' || format === 'iso') && sizeBytes > maxVirtualBytes)
            throw tooLarge(sizeBytes, maxVirtualBytes)
          hash.update(chunk)
          yield chunk
        }
        const inTheEnd = await worker.inspect({ head, end: { sizeBytes, tail } }, declared, maxVirtualBytes)
        if (inTheEnd.format !== format)
          throw unsupported(`The file is ${formatNamed(inTheEnd.format)}. Specify this format when you upload it`)
      } catch (error) {
        failure = error as Error
        throw error
      } finally {
        await chunks.return?.()
      }
    }
    return {
      format,
      bytes: Readable.from(handOn(), { objectMode: false }),
      sha256: () => hash.copy().digest('hex'),
      failure: () => failure,
    }
  } catch (error) {
    await chunks.return?.()
    throw error
  }
}

/** Reads at least `lookAtBytes`, or the whole stream if it is shorter. */
async function readHead(next: () => Promise<Buffer | null>): Promise<{ head: Buffer; isWhole: boolean }> {
  const parts: Buffer[] = []
  let sizeBytes = 0
  while (sizeBytes < lookAtBytes) {
    const chunk = await next()
    if (!chunk) return { head: Buffer.concat(parts), isWhole: true }
    parts.push(chunk)
    sizeBytes += chunk.length
  }
  return { head: Buffer.concat(parts), isWhole: false }
}
