import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { open, rm, type FileHandle } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import type { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { ImageFault } from './image-fault'
import type { ImageDriver } from './image-format'
import { watchSpace } from './watch-space'
import { answerOf, endGroup } from './worker-answer'
import { confinements, type Confinement, type ProgramLimits } from './worker-confinement'
import type { SnapshotAct, WorkerRequest, WorkerResult } from './worker-request'

/*
 * Runs the worker for image files, one process per file. Answers are trusted only if they have the expected format
 * (worker-answer.ts).
 */

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
   * How workers are isolated from the rest of this host. Determined only once. Rejects with `ImageFault` if none can
   * run.
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
  /** Maximum size of the result, bytes. If it is exceeded, the conversion fails with `OutputTooLarge`. */
  maxBytes: number
  /** Disk space to leave free, bytes. If less is left, the conversion fails with `disk_full`. */
  reserveBytes: number
  /** Whether to compute the digests of the result. */
  digests: boolean
}

export interface WorkerRun {
  onProgress?: ((percent: number) => void) | undefined
  signal?: AbortSignal | undefined
}

/** A conversion exceeded its size limit. */
export class OutputTooLarge extends Error {}

interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}

const GiB = 1024 ** 3
const memoryBytes = 1 * GiB
/** Limits for reading headers and little more. */
const quick = { cpuSeconds: 10, timeoutSeconds: 60 }
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

interface Order extends WorkerRun {
  request: WorkerRequest
  /** Bytes sent after the request. */
  bytes?: readonly Buffer[]
  limits: { cpuSeconds: number; timeoutSeconds: number; outputBytes?: number }
  read?: FileHandle
  write?: FileHandle
}

/** Path of the built program: next to the sources of this module, or next to the server that it was bundled into. */
function builtProgram(): string {
  const here = path.dirname(fileURLToPath(import.meta.url))
  const places = ['../../dist', '../../engines/dist'].map((folder) => path.join(here, folder, 'image-worker.cjs'))
  const found = places.find((place) => existsSync(place))
  if (!found) throw new Error('The image worker is not built: run "node tools/build.mjs image-worker"')
  return found
}

let known: Promise<Confinement> | null = null

export interface WorkerOptions {
  log: Log
  /** Ways to isolate the worker, best first. Overrides those available on this host. */
  ways?: () => Promise<Confinement[]>
  qemuImg?: string
  /** Overrides the built program. */
  program?: string
  /** Limits for examining a file before it is accepted. */
  examination?: { cpuSeconds: number; timeoutSeconds: number }
}

export function openImageWorker({
  log,
  qemuImg = 'qemu-img',
  program = builtProgram(),
  examination = thorough,
  ways,
}: WorkerOptions): ImageWorker {
  async function firstThatRuns(): Promise<Confinement> {
    let trouble: unknown
    for (const confinement of await (ways ?? confinements)()) {
      try {
        await runIn(confinement, { request: { do: 'nothing' }, limits: quick })
        log.info(
          { kind: confinement.kind, user: confinement.user?.name },
          'image files are inspected by a confined worker',
        )
        return confinement
      } catch (error) {
        trouble = error
        if (confinement.kind === 'namespaces')
          log.warn(
            { err: error },
            'the image worker cannot use namespaces (is bubblewrap installed?); only limits apply',
          )
      }
    }
    log.warn({ err: trouble }, 'the image worker cannot run on this host')
    throw new ImageFault('not_configured', 'Images cannot be inspected on this host: install bubblewrap')
  }

  /** Shared by all workers of this process. */
  function confinement(): Promise<Confinement> {
    if (ways) return firstThatRuns()
    known ??= firstThatRuns()
    known.catch(() => (known = null))
    return known
  }

  async function runIn({ command }: Confinement, order: Order): Promise<WorkerResult> {
    const { request, limits, onProgress, signal } = order
    signal?.throwIfAborted()
    const kernel: ProgramLimits = { cpuSeconds: limits.cpuSeconds, memoryBytes, outputBytes: limits.outputBytes ?? 0 }
    const { file, args } = command(program, qemuImg, kernel)
    const child = spawn(file, args, {
      stdio: ['pipe', 'pipe', 'pipe', order.read?.fd ?? 'ignore', order.write?.fd ?? 'ignore'],
      cwd: '/',
      // in its own process group, so that it can be killed as a whole
      detached: true,
      env: { PATH: process.env['PATH'], LC_ALL: 'C' },
    })
    const end = () => endGroup(child)
    const timer = setTimeout(end, limits.timeoutSeconds * 1000)
    signal?.addEventListener('abort', end, { once: true })
    const input = child.stdio[0] as Writable
    // ignore write errors, because the exit shows how the worker ended
    input.on('error', () => undefined)
    input.write(`${JSON.stringify(request)}\n`)
    for (const bytes of order.bytes ?? []) input.write(bytes)
    if (order.bytes) input.end()
    try {
      const { answer, errors } = await answerOf(child, onProgress)
      if (signal?.aborted) throw signal.reason as Error
      if (answer === null) {
        log.warn({ errors, request: request.do }, 'the image worker ended without a result')
        throw new NoAnswer(errors)
      }
      if ('overflow' in answer) throw new OutputTooLarge('The result is larger than allowed')
      if ('refusal' in answer) throw new ImageFault(answer.refusal.code, answer.refusal.message)
      return answer.result
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      end()
    }
  }

  async function run(order: Order): Promise<WorkerResult> {
    try {
      return await runIn(await confinement(), order)
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      throw new ImageFault(
        'image_format_unsupported',
        'The file could not be examined within the time and memory limits',
      )
    }
  }

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
        const { user } = await confinement()
        const write = await open(target, 'wx+', 0o600)
        const space = watchSpace(path.dirname(target), order.reserveBytes)
        try {
          if (user) await write.chown(user.uid, user.gid)
          const { size } = await read.stat()
          const result = await run({
            request: { do: 'convert', from, snapshot, atLeastBytes, digests: order.digests },
            limits: { ...whole(Math.max(size, order.maxBytes)), outputBytes: order.maxBytes },
            ...{ read, write, onProgress },
            signal: signal ? AbortSignal.any([signal, space.signal]) : space.signal,
          })
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
      }),
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

/** The worker was killed, by the kernel or by this server, or failed without an explanation. */
class NoAnswer extends Error {
  constructor(errors: string) {
    super(`The image worker ended without a result: ${errors}`)
    this.name = 'NoAnswer'
  }
}
