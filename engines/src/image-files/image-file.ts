import { open, type FileHandle } from 'node:fs/promises'

/** An image file that is read in parts. */
export interface ImageFile {
  /** Null while the file is incomplete. */
  sizeBytes: number | null
  /** Returns fewer bytes at the end of the file, or where the bytes are not available. */
  bytes(offset: number, length: number): Promise<Buffer>
}

export async function readImage<Result>(
  path: string,
  use: (file: ImageFile & { sizeBytes: number }) => Promise<Result>,
): Promise<Result> {
  const handle = await open(path, 'r')
  try {
    const { size } = await handle.stat()
    return await use({ sizeBytes: size, bytes: (offset, length) => read(handle, offset, length) })
  } finally {
    await handle.close()
  }
}

async function read(handle: FileHandle, offset: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, offset)
  return buffer.subarray(0, bytesRead)
}

/** Returns a file of which only the beginning is available, plus its last bytes once it is complete. */
export function beginningOf(head: Buffer, end: { sizeBytes: number; tail: Buffer } | null): ImageFile {
  return {
    sizeBytes: end?.sizeBytes ?? null,
    async bytes(offset, length) {
      const tailStart = end ? end.sizeBytes - end.tail.length : Infinity
      if (end && offset >= tailStart) return end.tail.subarray(offset - tailStart, offset - tailStart + length)
      return head.subarray(offset, offset + length)
    },
  }
}
