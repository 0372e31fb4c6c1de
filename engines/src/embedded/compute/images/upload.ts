import { createHash } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { problem } from '@mainstay/contract/core/problems'
import type { Engine } from '../../engine'
import { checkSpace } from '../capacity'

const lookForSpaceEvery = 64 * 1024 * 1024

export interface Uploaded {
  sizeBytes: number
  /** In hex, like `sha256`. */
  md5: string
  sha256: string
}

/**
 * Streams bytes to a file and resolves once they are on disk. Removes the file if the stream is interrupted or too
 * long, or if the disk is full. `checkQuota` is called every 64 MiB with the number of bytes received so far, and
 * throws if they exceed the quota.
 */
export async function keepUpload(
  engine: Engine,
  path: string,
  bytes: Readable,
  checkQuota: (sizeBytes: number) => Promise<void>,
): Promise<Uploaded> {
  const [md5, sha256] = [createHash('md5'), createHash('sha256')]
  const { imageBytes } = engine.limits
  let sizeBytes = 0
  let lookAt = 0
  const file = await open(path, 'w', 0o600)
  try {
    for await (const chunk of bytes as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length
      if (sizeBytes > imageBytes) {
        throw problem('compute.image_file_too_large', {}, { data: { limit: imageBytes } })
      }
      if (sizeBytes >= lookAt) {
        await checkSpace(engine, chunk.length)
        await checkQuota(sizeBytes)
        lookAt = sizeBytes + lookForSpaceEvery
      }
      md5.update(chunk)
      sha256.update(chunk)
      await file.writeFile(chunk)
    }
    // a stream destroyed without an error looks as if it had ended normally
    if (!bytes.readableEnded) throw problem('core.upload_ended_early')
    await file.sync()
  } catch (error) {
    await file.close()
    await rm(path, { force: true })
    throw (error as NodeJS.ErrnoException).code === 'ENOSPC' ? problem('core.disk_full', {}, { cause: error }) : error
  }
  await file.close()
  return { sizeBytes, md5: md5.digest('hex'), sha256: sha256.digest('hex') }
}
