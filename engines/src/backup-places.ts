import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { open, rename, rm, stat, statfs, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { Problem, problem } from '@mainstay/contract/core/problems'
import type { BackupPlace } from '@mainstay/contract/infrastructure/management-backup'
import type { Secret } from './ports/secret'

/**
 * Where recovery points and management backups are stored. Errors are `backup_target_unavailable` or `not_configured`
 * problems.
 */
export interface Place {
  /** Where a backup with this name is found, for operators. */
  location(name: string): string
  /** Stores a file. It gets its name only once it is complete. `mostBytes`: upper bound of its size, if it can be large. */
  write(name: string, content: Readable, signal: AbortSignal, mostBytes?: number): Promise<void>
  /** Like `write`, but with a file of this host, which is renamed if possible and otherwise copied. Returns which it was. */
  moveIn(name: string, file: string, signal: AbortSignal): Promise<'renamed' | 'copied'>
  /** Rejects with `FileMissing` if there is no such file. */
  read(name: string): Promise<Readable>
  /** Removes a file, or what an interrupted write left behind. Idempotent. */
  remove(name: string): Promise<void>
  /** Free space in bytes; null if it is not known. Rejects if the place cannot be used. */
  free(): Promise<number | null>
}

/** A file does not exist although the place can be used. */
export class FileMissing extends Error {}

interface Given {
  place: BackupPlace
  /** Name of the file that marks the folder; null for a place that is being chosen, and for a bucket. */
  marker: string | null
  secret: Secret | null
}

export const openPlace = async ({ place, marker, secret }: Given): Promise<Place> =>
  place.kind === 'folder' ? folderPlace(place.path, marker) : bucketPlace(place, secret)

/** How much of a file is read at once. Node's usual 64 KiB take about four times as long. */
export const CHUNK_BYTES = 1024 ** 2

const TEST_FILE = 'mainstay-test-file'

/** Stores, reads and removes a small file. Rejects if one of these fails. */
export async function testPlace(place: Place, signal: AbortSignal): Promise<void> {
  const content = `Mainstay ${new Date().toISOString()}\n`
  await place.write(TEST_FILE, Readable.from([Buffer.from(content)]), signal)
  const stored = (await buffer(await place.read(TEST_FILE))).toString()
  await place.remove(TEST_FILE)
  if (stored !== content) throw problem('infrastructure.backup_differs')
}

/** Creates a file in a chosen folder by which it is recognized later. Returns its name. */
export async function markFolder(folder: string): Promise<string> {
  const marker = `.mainstay-backup-${randomUUID()}`
  try {
    await writeFile(path.join(folder, marker), '', { mode: 0o600 })
  } catch (error) {
    throw unavailable(error)
  }
  return marker
}

async function checkFolder(folder: string, marker: string | null): Promise<void> {
  const found = await stat(folder).catch((error: unknown) => {
    throw unavailable(error)
  })
  if (!found.isDirectory()) throw problem('infrastructure.backup_place', { reason: `${folder} is not a folder` })
  // a share that is not mounted leaves an empty folder
  if (marker === null || existsSync(path.join(folder, marker))) return
  throw problem('infrastructure.backup_folder_unmarked', { folder, marker })
}

function folderPlace(folder: string, marker: string | null): Place {
  const at = (name: string) => path.join(folder, name)
  const guarded = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    await checkFolder(folder, marker)
    try {
      return await work()
    } catch (error) {
      throw unavailable(error)
    }
  }
  async function write(name: string, content: Readable, signal: AbortSignal): Promise<void> {
    const part = `${at(name)}.part`
    await rm(part, { force: true })
    try {
      await pipeline(content, createWriteStream(part, { mode: 0o600, flush: true }), { signal })
      await rename(part, at(name))
      await syncFolder(folder)
    } catch (error) {
      await rm(part, { force: true })
      throw error
    }
  }
  return {
    location: at,
    write: (name, content, signal) => guarded(() => write(name, content, signal)),
    moveIn: (name, file, signal) =>
      guarded(async () => {
        try {
          await rename(file, at(name))
          await syncFolder(folder)
          return 'renamed'
        } catch (error) {
          // another file system
          if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
          await write(name, createReadStream(file, { highWaterMark: CHUNK_BYTES }), signal)
          return 'copied'
        }
      }),
    free: () =>
      guarded(async () => {
        const { bavail, bsize } = await statfs(folder)
        return bavail * bsize
      }),
    read: (name) =>
      guarded(async () => {
        const fd = await open(at(name)).catch((error: NodeJS.ErrnoException) => {
          throw error.code === 'ENOENT' ? new FileMissing(name) : error
        })
        return createReadStream(at(name), { fd, highWaterMark: CHUNK_BYTES })
      }),
    remove: (name) =>
      guarded(async () => {
        await rm(`${at(name)}.part`, { force: true })
        await rm(at(name), { force: true })
      }),
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Limits of S3 for multipart uploads, with some headroom. */
const LEAST_PART_BYTES = 5 * 1024 ** 2
const MOST_PARTS = 9_000

async function bucketPlace(
  { endpoint, region, bucket, prefix, access_key_id }: Extract<BackupPlace, { kind: 's3' }>,
  secret: Secret | null,
): Promise<Place> {
  if (!secret) throw problem('infrastructure.backup_secret_missing')
  // loaded only here, because it is large
  const [s3, { Upload }] = await Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/lib-storage')])
  const client = new s3.S3Client({
    ...{ endpoint, region, forcePathStyle: true },
    credentials: { accessKeyId: access_key_id, secretAccessKey: secret.reveal() },
    requestHandler: {
      ...{ connectionTimeout: 10_000, requestTimeout: 60_000, socketTimeout: 60_000, throwOnRequestTimeout: true },
    },
  })
  const at = (name: string) => ({ Bucket: bucket, Key: `${prefix}${name}` })
  const guarded = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work()
    } catch (error) {
      throw unavailable(error)
    }
  }
  const write = (name: string, content: Readable, signal: AbortSignal, mostBytes = 0) =>
    guarded(async () => {
      const partSize = Math.max(LEAST_PART_BYTES, Math.ceil(mostBytes / MOST_PARTS))
      const params = { ...at(name), Body: content }
      const upload = new Upload({ client, params, partSize, leavePartsOnError: false })
      const stop = () => void upload.abort()
      signal.addEventListener('abort', stop, { once: true })
      try {
        await upload.done()
      } finally {
        signal.removeEventListener('abort', stop)
      }
    })
  return {
    location: (name) => `s3://${bucket}/${prefix}${name}`,
    write,
    async moveIn(name, file, signal) {
      await write(name, createReadStream(file), signal, (await stat(file)).size)
      return 'copied'
    },
    free: () =>
      guarded(async () => {
        await client.send(new s3.HeadBucketCommand({ Bucket: bucket }))
        return null
      }),
    read: (name) => guarded(async () => (await client.send(new s3.GetObjectCommand(at(name)))).Body as Readable),
    remove: (name) =>
      guarded(async () => {
        const { Key } = at(name)
        const { Uploads = [] } = await client.send(new s3.ListMultipartUploadsCommand({ Bucket: bucket, Prefix: Key }))
        for (const { UploadId } of Uploads.filter((one) => one.Key === Key))
          await client.send(new s3.AbortMultipartUploadCommand({ ...at(name), UploadId }))
        await client.send(new s3.DeleteObjectCommand(at(name)))
      }),
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the file system is read-only',
  ENOENT: 'the folder does not exist',
  ENOSPC: 'there is no space left',
  EDQUOT: 'there is no space left',
  EIO: 'reading or writing failed',
  ESTALE: 'the share is no longer available',
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'the host name cannot be resolved',
  ETIMEDOUT: 'the connection timed out',
  TimeoutError: 'the connection timed out',
  NoSuchBucket: 'the bucket does not exist',
  AccessDenied: 'access is denied',
  InvalidAccessKeyId: 'the access key is not known there',
  SignatureDoesNotMatch: 'the secret key is wrong',
}

function unavailable(error: unknown): unknown {
  const { code, name } = error as { code?: string; name?: string }
  if (error instanceof Problem || error instanceof FileMissing || name === 'AbortError') return error
  if (name === 'NoSuchKey') return new FileMissing('the object does not exist')
  const reason = reasons[code ?? ''] ?? reasons[name ?? ''] ?? (error as Error).message
  return problem('infrastructure.backup_place', { reason })
}
