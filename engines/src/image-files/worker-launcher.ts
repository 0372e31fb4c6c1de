import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import type { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { ImageFault } from './image-fault'
import { answerOf, endGroup } from './worker-answer'
import { confinements, type Confinement, type ProgramLimits } from './worker-confinement'
import type { WorkerRequest, WorkerResult } from './worker-request'

/*
 * Starts the worker for image files, one process per request. Answers are trusted only if they have the expected format
 * (worker-answer.ts).
 */

interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}

export interface WorkerOptions {
  log: Log
  /** Ways to isolate the worker, best first. Overrides those available on this host. */
  ways?: () => Promise<Confinement[]>
  qemuImg?: string
  /** Overrides the built program. */
  program?: string
}

export interface WorkerRun {
  onProgress?: ((percent: number) => void) | undefined
  signal?: AbortSignal | undefined
}

export interface Order extends WorkerRun {
  request: WorkerRequest
  /** Bytes sent after the request. */
  bytes?: readonly Buffer[]
  limits: { cpuSeconds: number; timeoutSeconds: number; outputBytes?: number }
  read?: FileHandle
  write?: FileHandle
  further?: readonly FileHandle[]
}

/** A conversion exceeded its size limit. */
export class OutputTooLarge extends Error {}

export interface WorkerLauncher {
  /** Runs a worker. Rejects with `ImageFault`, `OutputTooLarge`, or the reason of the signal. */
  run(order: Order): Promise<WorkerResult>
  /**
   * Returns how workers are isolated from the rest of this host. Determined only once. Rejects with `ImageFault` if
   * none can run.
   */
  confinement(): Promise<Confinement>
}

const memoryBytes = 1024 ** 3
/** Limits for reading headers and little more. */
export const quick = { cpuSeconds: 10, timeoutSeconds: 60 }

let known: Promise<Confinement> | null = null

export function openWorkerLauncher({
  log,
  qemuImg = 'qemu-img',
  program = builtProgram(),
  ways,
}: WorkerOptions): WorkerLauncher {
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

  /** Returns the confinement, which all workers of this process share. */
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
      stdio: [
        ...(['pipe', 'pipe', 'pipe', order.read?.fd ?? 'ignore', order.write?.fd ?? 'ignore'] as const),
        ...(order.further ?? []).map(({ fd }) => fd),
      ],
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

  return { run, confinement }
}

/**
 * Returns the path of the built program: next to the sources of this module, or next to the server that it was bundled
 * into.
 */
function builtProgram(): string {
  const here = path.dirname(fileURLToPath(import.meta.url))
  const places = ['../../dist', '../../engines/dist'].map((folder) => path.join(here, folder, 'image-worker.cjs'))
  const found = places.find((place) => existsSync(place))
  if (!found) throw new Error('The image worker is not built: run "node tools/build.mjs image-worker"')
  return found
}

/** The worker was killed, by the kernel or by this server, or failed without an explanation. */
class NoAnswer extends Error {
  constructor(errors: string) {
    super(`The image worker ended without a result: ${errors}`)
    this.name = 'NoAnswer'
  }
}
