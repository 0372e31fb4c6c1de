import { chmod, copyFile, open, stat, truncate } from 'node:fs/promises'

const longestBytes = 4 * 1024 * 1024

/**
 * Limits the space that a guest can fill with output: copies a long log to `older` and truncates it. QEMU opens the log
 * for appending, so it continues at the new end.
 */
export async function trimLog(log: string, older: string | null): Promise<void> {
  const size = await sizeOf(log)
  if (size <= longestBytes) return
  if (older) {
    await copyFile(log, older)
    // an earlier version may have created the file with wider permissions
    await chmod(older, 0o600)
  }
  await truncate(log, 0)
}

/** The last bytes of the log, including the older log if necessary. */
export async function tailOf(log: string, older: string, bytes: number): Promise<Buffer> {
  const newest = await endOf(log, bytes)
  if (newest.length >= bytes) return newest
  return Buffer.concat([await endOf(older, bytes - newest.length), newest])
}

async function endOf(path: string, bytes: number): Promise<Buffer> {
  const size = await sizeOf(path)
  const length = Math.min(bytes, size)
  if (length === 0) return Buffer.alloc(0)
  const handle = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

const sizeOf = (path: string) =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  )
