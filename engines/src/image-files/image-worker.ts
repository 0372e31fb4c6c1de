import { open, rm, type FileHandle } from 'node:fs/promises'
import path from 'node:path'
import type { ImageDriver } from './image-format'
import { watchSpace } from './watch-space'
import type { Confinement } from './worker-confinement'
import { openWorkerLauncher, quick, type WorkerOptions, type WorkerRun } from './worker-launcher'
import type { SnapshotAct, WorkerResult } from './worker-request'

/* Operations of the worker for image files. See `worker-launcher.ts` for how the worker is started. */

export interface ImageWorker {
  /**
   * Inspects the beginning of a stream, and its end once available. Rejects with `ImageFault` if the image is
   * unacceptable.
   */
  inspect(bytes: SeenBytes, declared: string, maxVirtualBytes: number): Promise<WorkerResult>
  /**
   * Inspects a whole file: its headers, and its tables with QEMU. Rejects with `ImageFault` if the image is
   * unacceptable.
   */
  examine(file: string, declared: string, maxVirtualBytes: number, run?: WorkerRun): Promise<WorkerResult>
  facts(file: string): Promise<WorkerResult>
  /** Like `facts`, but for an image, which may be an ISO. Includes the digests of its file. */
  imageFacts(file: string, run?: WorkerRun): Promise<WorkerResult>
  /** Writes the content of `source` to a new qcow2 file. A failed conversion leaves no file behind. */
  convert(order: Conversion, run?: WorkerRun): Promise<WorkerResult>
  /** Grows a disk that no process has open. */
  grow(file: string, sizeBytes: number): Promise<WorkerResult>
  /** Creates, deletes or reverts to a snapshot in a disk that no process has open. Repeating it has no effect. */
  snapshot(file: string, act: SnapshotAct, name: string): Promise<WorkerResult>
  /**
   * Writes the content of a disk that no process has open to a new file: all of it, or only the blocks written since
   * the capture named `since`. `mark`: name of this capture. Returns whether only changes were written.
   */
  capture(order: Capture, run?: WorkerRun): Promise<boolean>
  /** Writes the content of a chain of captured files, oldest first, to a new disk of this size. */
  assemble(order: Assembly, run?: WorkerRun): Promise<WorkerResult>
  /**
   * Returns how workers are isolated from the rest of this host. Determined only once. Rejects with `ImageFault` if
   * none can run.
   */
  confinement(): Promise<Confinement>
  /** Tells operators what is missing from the isolation; null if nothing is. */
  problem(): Promise<string | null>
}

export interface SeenBytes {
  head: Buffer
  end: { sizeBytes: number; tail: Buffer } | null
}

export interface Conversion {
  source: string
  target: string
  /** `stored` is a disk or image of the engine, in qcow2 or raw format. */
  from: ImageDriver | 'stored'
  /** Name of a snapshot in the source whose content is converted; by default the current content. */
  snapshot?: string | undefined
  /** Minimum virtual size of the result, or with `snapshot` its exact size. At least the size of the snapshot. */
  atLeastBytes?: number
  /** Maximum size of the result, in bytes. If it is exceeded, the conversion fails with `OutputTooLarge`. */
  maxBytes: number
  /** Disk space to leave free, in bytes. If less is left, the conversion fails with `disk_full`. */
  reserveBytes: number
  /** Whether to compute the digests of the result. */
  digests: boolean
}

export interface Capture {
  disk: string
  target: string
  mark: string
  since: string | null
  /** Disk space to leave free, in bytes. */
  reserveBytes: number
}

export interface Assembly {
  files: readonly string[]
  target: string
  sizeBytes: number
  /** Disk space to leave free, in bytes. */
  reserveBytes: number
}

const GiB = 1024 ** 3
/**
 * Limits for checking all tables of an image. This takes seconds for a few hundred GiB, but a malicious image could
 * take hours.
 */
const thorough = { cpuSeconds: 120, timeoutSeconds: 900 }

/** Limits for reading and writing a whole image. */
const whole = (bytes: number) => {
  const gibibytes = Math.ceil(bytes / GiB)
  return {
    cpuSeconds: Math.min(4 * 3600, 300 + 30 * gibibytes),
    timeoutSeconds: Math.min(12 * 3600, 1800 + 120 * gibibytes),
  }
}

interface Options extends WorkerOptions {
  /** Limits for examining a file before it is accepted. */
  examination?: { cpuSeconds: number; timeoutSeconds: number }
}

export function openImageWorker({ examination = thorough, ...options }: Options): ImageWorker {
  const { run, confinement } = openWorkerLauncher(options)

  /** Opens a file for the worker and lets the worker's group read it. */
  async function opened<Result>(file: string, use: (handle: FileHandle) => Promise<Result>): Promise<Result> {
    const { user } = await confinement()
    const handle = await open(file, 'r')
    try {
      if (user) {
        const { mode, gid } = await handle.stat()
        if ((mode & 0o004) === 0 && (gid !== user.gid || (mode & 0o040) === 0)) {
          await handle.chown(-1, user.gid)
          await handle.chmod(0o640)
        }
      }
      return await use(handle)
    } finally {
      await handle.close()
    }
  }

  /** Opens a file for the worker and lets the worker's group write it until `use` ends. */
  async function writable<Result>(file: string, use: (handle: FileHandle) => Promise<Result>): Promise<Result> {
    const { user } = await confinement()
    const write = await open(file, 'r+')
    try {
      const { mode, gid } = await write.stat()
      if (user) {
        await write.chown(-1, user.gid)
        await write.chmod(0o660)
      }
      try {
        return await use(write)
      } finally {
        if (user) {
          await write.chown(-1, gid)
          await write.chmod(mode & 0o777)
        }
      }
    } finally {
      await write.close()
    }
  }

  async function allOpened<Result>(
    files: readonly string[],
    use: (all: FileHandle[]) => Promise<Result>,
  ): Promise<Result> {
    const [first, ...others] = files
    return first === undefined
      ? use([])
      : opened(first, (handle) => allOpened(others, (rest) => use([handle, ...rest])))
  }

  /** Creates a file that the worker can write until `use` ends. Removes it if that fails or disk space runs out. */
  async function created<Result>(
    { target, reserveBytes, signal }: { target: string; reserveBytes: number; signal: AbortSignal | undefined },
    use: (handle: FileHandle, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const { user } = await confinement()
    const write = await open(target, 'wx+', 0o600)
    const space = watchSpace(path.dirname(target), reserveBytes)
    try {
      if (user) await write.chown(user.uid, user.gid)
      const result = await use(write, signal ? AbortSignal.any([signal, space.signal]) : space.signal)
      if (user) await write.chown(0, user.gid)
      await write.chmod(user ? 0o640 : 0o600)
      return result
    } catch (error) {
      await rm(target, { force: true })
      throw error
    } finally {
      space.stop()
      await write.close()
    }
  }

  return {
    confinement,
    async problem() {
      try {
        const { kind } = await confinement()
        return kind === 'namespaces' ? null : limitsOnly
      } catch (error) {
        return error instanceof Error ? error.message : String(error)
      }
    },
    async inspect({ head, end }, declared, maxVirtualBytes) {
      const tail = end?.tail ?? Buffer.alloc(0)
      const sizes = { headBytes: head.length, tailBytes: tail.length, sizeBytes: end?.sizeBytes ?? null }
      return run({
        request: { do: 'inspect', declared, maxVirtualBytes, ...sizes },
        bytes: [head, tail],
        limits: quick,
      })
    },
    examine: (file, declared, maxVirtualBytes, how = {}) =>
      opened(file, (read) =>
        run({ request: { do: 'examine', declared, maxVirtualBytes }, limits: examination, read, ...how }),
      ),
    facts: (file) => opened(file, (read) => run({ request: { do: 'facts', digests: false }, limits: quick, read })),
    imageFacts: (file, how = {}) =>
      opened(file, async (read) => {
        const { size } = await read.stat()
        return run({ request: { do: 'facts', digests: true }, limits: whole(size), read, ...how })
      }),
    convert: ({ source, target, from, snapshot = null, atLeastBytes = 0, ...order }, { onProgress, signal } = {}) =>
      opened(source, async (read) => {
        const { size } = await read.stat()
        return created({ target, reserveBytes: order.reserveBytes, signal }, (write, stop) =>
          run({
            request: { do: 'convert', from, snapshot, atLeastBytes, digests: order.digests },
            limits: { ...whole(Math.max(size, order.maxBytes)), outputBytes: order.maxBytes },
            ...{ read, write, onProgress, signal: stop },
          }),
        )
      }),
    capture: ({ disk, target, mark, since, reserveBytes }, { onProgress, signal } = {}) =>
      writable(disk, async (write) => {
        const { size } = await write.stat()
        const { isIncremental = false } = await created({ target, reserveBytes, signal }, (copy, stop) =>
          run({
            request: { do: 'capture', mark, since },
            limits: { ...whole(size), outputBytes: size + GiB },
            ...{ write, further: [copy], onProgress, signal: stop },
          }),
        )
        return isIncremental
      }),
    assemble: ({ files, target, sizeBytes, reserveBytes }, { onProgress, signal } = {}) =>
      allOpened(files, (further) =>
        created({ target, reserveBytes, signal }, (write, stop) =>
          run({
            request: { do: 'assemble', files: files.length, sizeBytes },
            limits: { ...whole(sizeBytes), outputBytes: sizeBytes * 2 + GiB },
            ...{ write, further, onProgress, signal: stop },
          }),
        ),
      ),
    grow: (file, sizeBytes) =>
      writable(file, (write) =>
        run({
          request: { do: 'grow', sizeBytes },
          limits: { ...quick, outputBytes: Math.max(sizeBytes * 2, GiB) },
          write,
        }),
      ),
    snapshot: (file, act, name) =>
      writable(file, async (write) => {
        const { size } = await write.stat()
        // the references to all blocks are counted again
        return run({
          request: { do: 'snapshot', act, name },
          limits: { ...whole(size), outputBytes: size + GiB },
          write,
        })
      }),
  }
}

const limitsOnly =
  'Uploaded images are inspected with limits only, and not isolated from files: install bubblewrap or allow namespaces'
