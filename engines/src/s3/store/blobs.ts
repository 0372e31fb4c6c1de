import { constants } from 'node:fs'
import { link, mkdir, open, statfs, unlink, type FileHandle } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { GiB } from '@mainstay/contract/core/bytes'
import { insufficientStorage } from '../errors'

/**
 * Fraction of the file system that must stay free: the database is on the same file system and must never run out of
 * space.
 */
const FLOOR_SHARE = 0.05
const FLOOR_BYTES = 2 * 1024 ** 3

/** Number of bytes to collect before each write. */
const BATCH_BYTES = 1024 * 1024

/** Object data in files whose names are never reused. */
export interface Blobs {
  newName(): string
  /** Writes a file and syncs it to disk. Removes it on failure. */
  write(name: string, bytes: AsyncIterable<Buffer>): Promise<void>
  /** Gives the same data a second name: a hard link, or a copy if linking is not possible. */
  link(name: string, other: string): Promise<void>
  /** Opens a file for reading; the caller closes it. */
  open(name: string): Promise<FileHandle>
  /** Removes a file. Succeeds even if it does not exist. */
  remove(name: string): Promise<void>
  /** Default quota for new accounts in bytes: a tenth of the file system in whole GiB, at least 1 GiB. */
  firstQuota(): Promise<number>
  /** Throws `InsufficientStorage` if storing `bytes` more would leave too little free space. */
  checkSpace(bytes: number): Promise<void>
}

export async function openBlobs(folder: string): Promise<Blobs> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const made = new Set<string>()
  const folderOf = (name: string) => path.join(folder, name.slice(-2))
  const fileOf = (name: string) => path.join(folderOf(name), name)
  /** Syncs by folder: the running one, and the next one, which all waiting callers share. */
  const flushing = new Map<string, { running: Promise<void>; next: Promise<void> | null }>()

  async function prepare(name: string): Promise<void> {
    const at = folderOf(name)
    if (made.has(at)) return
    await mkdir(at, { recursive: true, mode: 0o700 })
    await flushFolder(folder)
    made.add(at)
  }
  async function flushOnce(at: string): Promise<void> {
    const handle = await open(at, constants.O_RDONLY | constants.O_DIRECTORY)
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  }
  function flushFolder(at: string): Promise<void> {
    const now = flushing.get(at)
    if (now) return (now.next ??= now.running.catch(() => undefined).then(() => begin(at)))
    return begin(at)
  }
  function begin(at: string): Promise<void> {
    const running = flushOnce(at)
    const entry = { running, next: null }
    flushing.set(at, entry)
    return running.finally(() => {
      if (flushing.get(at) === entry && entry.next === null) flushing.delete(at)
    })
  }

  const blobs: Blobs = {
    newName: () => randomUUID(),
    async write(name, bytes) {
      await prepare(name)
      const handle = await open(fileOf(name), 'wx', 0o600)
      try {
        let batch: Buffer[] = []
        let size = 0
        const flush = async () => {
          if (size > 0) await writeAll(handle, batch, size)
          batch = []
          size = 0
        }
        for await (const part of bytes) {
          batch.push(part)
          size += part.length
          if (size >= BATCH_BYTES) await flush()
        }
        await flush()
        await handle.datasync()
        await handle.close()
        await flushFolder(folderOf(name))
      } catch (error) {
        await handle.close().catch(() => undefined)
        await unlink(fileOf(name)).catch(() => undefined)
        throw asFull(error)
      }
    },
    async link(name, other) {
      await prepare(other)
      try {
        await link(fileOf(name), fileOf(other))
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        if (code !== 'EMLINK' && code !== 'EXDEV') throw asFull(error)
        const handle = await open(fileOf(name), 'r')
        await blobs.write(other, handle.createReadStream({ highWaterMark: BATCH_BYTES }))
      }
      await flushFolder(folderOf(other))
    },
    open: (name) => open(fileOf(name), 'r'),
    async remove(name) {
      await unlink(fileOf(name)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error
      })
    },
    async firstQuota() {
      const { blocks, bsize } = await statfs(folder)
      return Math.max(GiB, Math.floor((blocks * bsize) / 10 / GiB) * GiB)
    },
    async checkSpace(bytes) {
      const { bavail, blocks, bsize } = await statfs(folder)
      if (bavail * bsize - bytes < Math.min(FLOOR_BYTES, blocks * bsize * FLOOR_SHARE)) throw insufficientStorage()
    },
  }
  return blobs
}

const asFull = (error: unknown): unknown =>
  ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '') ? insufficientStorage() : error

/** Writes a batch completely, because `writev` may write only part of it. */
async function writeAll(handle: FileHandle, batch: readonly Buffer[], size: number): Promise<void> {
  const { bytesWritten } = await handle.writev(batch)
  if (bytesWritten === size) return
  const rest = Buffer.concat(batch).subarray(bytesWritten)
  for (let at = 0; at < rest.length;) at += (await handle.write(rest, at)).bytesWritten
}
