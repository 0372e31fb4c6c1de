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
import type { WorkerRequest, WorkerResult } from './worker-request'

/*
 * Runs the worker for image files: one process for one file, whose answer is believed only in the expected shape
 * (worker-answer.ts).
 */

export interface ImageWorker {
  /** Of a stream: its beginning, and its end once that was seen. `ImageFault` for what must not be kept. */
  inspect(bytes: SeenBytes, declared: string, maxVirtualBytes: number): Promise<WorkerResult>
  /** Of a whole file: its headers, and what QEMU finds in its tables. `ImageFault` for what must not be kept. */
  examine(file: string, declared: string, maxVirtualBytes: number, run?: WorkerRun): Promise<WorkerResult>
  facts(file: string): Promise<WorkerResult>
  /** The same of an image, which may be an ISO, with the digests of its file. */
  imageFacts(file: string, run?: WorkerRun): Promise<WorkerResult>
  /** Writes the content of `source` to a new qcow2; of one that could not be written nothing stays. */
  convert(order: Conversion, run?: WorkerRun): Promise<WorkerResult>
  /** Makes a disk that nothing has open larger. */
  grow(file: string, sizeBytes: number): Promise<WorkerResult>
  /** How workers are kept apart from the rest of this machine; found out once. `ImageFault` where none can run. */
  confinement(): Promise<Confinement>
  /** What that lacks, for operators; null: nothing. */
  problem(): Promise<string | null>
}

export interface SeenBytes {
  head: Buffer
  end: { sizeBytes: number; tail: Buffer } | null
}

export interface Conversion {
  source: string
  target: string
  /** `stored`: a disk or image of ours, qcow2 or raw. */
  from: ImageDriver | 'stored'
  /** The virtual size that the result gets, where its content is not larger. */
  atLeastBytes?: number
  /** How large the result may get, bytes. `OutputTooLarge` beyond it. */
  maxBytes: number
  /** Space that is left free where it is written, bytes; it is stopped there, with `disk_full`. */
  reserveBytes: number
  /** Whether the digests of the result are wanted. */
  digests: boolean
}

export interface WorkerRun {
  onProgress?: ((percent: number) => void) | undefined
  signal?: AbortSignal | undefined
}

/** A conversion came to more than it was allowed. */
export class OutputTooLarge extends Error {}

interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}

const GiB = 1024 ** 3
const memoryBytes = 1 * GiB
/** Headers, and little more. */
const quick = { cpuSeconds: 10, timeoutSeconds: 60 }
/** All tables of an image: seconds for one of a few hundred GiB; made to last, an image could take hours. */
const thorough = { cpuSeconds: 120, timeoutSeconds: 900 }

/** Reading and writing all of an image. */
const whole = (bytes: number) => {
  const gibibytes = Math.ceil(bytes / GiB)
  return {
    cpuSeconds: Math.min(4 * 3600, 300 + 30 * gibibytes),
    timeoutSeconds: Math.min(12 * 3600, 1800 + 120 * gibibytes),
  }
}

interface Order extends WorkerRun {
  request: WorkerRequest
  /** What follows the request. */
  bytes?: readonly Buffer[]
  limits: { cpuSeconds: number; timeoutSeconds: number; outputBytes?: number }
  read?: FileHandle
  write?: FileHandle
}

/** The program, as it was built: beside the sources of this module, or beside the server that it was built into. */
function builtProgram(): string {
  const here = path.dirname(fileURLToPath(import.meta.url))
  const places = ['../../dist', '../../engines/dist'].map((folder) => path.join(here, folder, 'image-worker.cjs'))
  const found = places.find((place) => existsSync(place))
  if (!found) throw new Error('The worker for image files is not built: run "node tools/build.mjs image-worker"')
  return found
}

let known: Promise<Confinement> | null = null

export interface WorkerOptions {
  log: Log
  /** Ways to confine it, the best first, instead of those that this machine may have. */
  ways?: () => Promise<Confinement[]>
  qemuImg?: string
  /** Another one than that which was built. */
  program?: string
  /** For all that is looked at of a file before it is kept. */
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
          'files of strangers are looked at by a worker',
        )
        return confinement
      } catch (error) {
        trouble = error
        if (confinement.kind === 'namespaces')
          log.warn(
            { err: error },
            'a worker cannot run in namespaces of its own here (is bubblewrap installed?): limits only',
          )
      }
    }
    log.warn({ err: trouble }, 'a worker for image files cannot run here at all')
    throw new ImageFault('not_configured', 'Images cannot be looked at on this machine: install bubblewrap')
  }

  /** Shared by all: what one found out holds for each. */
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
      // a group of its own, which ends as a whole
      detached: true,
      env: { PATH: process.env['PATH'], LC_ALL: 'C' },
    })
    const end = () => endGroup(child)
    const timer = setTimeout(end, limits.timeoutSeconds * 1000)
    signal?.addEventListener('abort', end, { once: true })
    const input = child.stdio[0] as Writable
    // how it ended is told by its exit
    input.on('error', () => undefined)
    input.write(`${JSON.stringify(request)}\n`)
    for (const bytes of order.bytes ?? []) input.write(bytes)
    if (order.bytes) input.end()
    try {
      const { answer, errors } = await answerOf(child, onProgress)
      if (signal?.aborted) throw signal.reason as Error
      if (answer === null) {
        log.warn({ errors, request: request.do }, 'a worker for image files ended without an answer')
        throw new NoAnswer(errors)
      }
      if ('overflow' in answer) throw new OutputTooLarge('The result is larger than is allowed')
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
        'The file could not be examined within the limits on time and memory',
      )
    }
  }

  /** A file that the worker may read, whoever else writes to it. */
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
    convert: ({ source, target, from, atLeastBytes = 0, ...order }, { onProgress, signal } = {}) =>
      opened(source, async (read) => {
        const { user } = await confinement()
        const write = await open(target, 'wx+', 0o600)
        const space = watchSpace(path.dirname(target), order.reserveBytes)
        try {
          if (user) await write.chown(user.uid, user.gid)
          const { size } = await read.stat()
          const result = await run({
            request: { do: 'convert', from, atLeastBytes, digests: order.digests },
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
    async grow(file, sizeBytes) {
      const { user } = await confinement()
      const write = await open(file, 'r+')
      try {
        const { mode, gid } = await write.stat()
        if (user) {
          await write.chown(-1, user.gid)
          await write.chmod(0o660)
        }
        try {
          return await run({
            request: { do: 'grow', sizeBytes },
            limits: { ...quick, outputBytes: Math.max(sizeBytes * 2, GiB) },
            write,
          })
        } finally {
          if (user) {
            await write.chown(-1, gid)
            await write.chmod(mode & 0o777)
          }
        }
      } finally {
        await write.close()
      }
    },
  }
}

const limitsOnly =
  'What looks at uploaded images runs with limits, but sees what its user may read: install bubblewrap, or allow namespaces'

/** It was ended, by the kernel or by us, or failed before it could say why. */
class NoAnswer extends Error {
  constructor(errors: string) {
    super(`The worker for image files ended without an answer: ${errors}`)
    this.name = 'NoAnswer'
  }
}
