import { spawn } from 'node:child_process'
import { ImageFault } from '../../image-files/image-fault'
import type { ImageDriver } from '../../image-files/image-format'

export interface ImageToolRun {
  /** Processor time and time on the wall after which a run is given up, seconds. */
  cpuSeconds: number
  timeoutSeconds: number
  onProgress?: ((percent: number) => void) | undefined
  signal?: AbortSignal | undefined
}

/** qemu-img said no. `text` is what it wrote, for logs; not for people. */
export class ImageToolError extends Error {
  readonly exitCode: number | null
  readonly stdout: string
  readonly text: string
  constructor(exitCode: number | null, stdout: string, text: string) {
    super('The image tool failed')
    this.name = 'ImageToolError'
    this.exitCode = exitCode
    this.stdout = stdout
    this.text = text
  }
}

export type ImageTool = (args: string[], run: ImageToolRun) => Promise<string>

export const quick: ImageToolRun = { cpuSeconds: 10, timeoutSeconds: 60 }
/** Reading or writing all of an image. */
export const thorough: ImageToolRun = { cpuSeconds: 4 * 3600, timeoutSeconds: 12 * 3600 }

const addressSpaceBytes = 2 * 1024 ** 3
const keptOutputCharacters = 1_000_000

/**
 * Runs qemu-img with limits on memory and time, as the files that it reads may be made to exhaust them
 * (https://bugs.launchpad.net/nova/+bug/1449062).
 */
export const imageTool =
  (program: string): ImageTool =>
  (args, { cpuSeconds, timeoutSeconds, onProgress, signal }) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      const limits = [`--as=${addressSpaceBytes}`, `--cpu=${cpuSeconds}`, '--core=0']
      const child = spawn('prlimit', [...limits, '--', program, ...args], {
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: timeoutSeconds * 1000,
        killSignal: 'SIGKILL',
        // Each thread's own heap would be counted against the limit although hardly used.
        env: { ...process.env, LC_ALL: 'C', MALLOC_ARENA_MAX: '2' },
      })
      const abort = () => void child.kill('SIGKILL')
      signal?.addEventListener('abort', abort, { once: true })
      let stdout = ''
      let stderr = ''
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        const percent = onProgress && /\((\d+(?:\.\d+)?)\/100%\)\s*$/.exec(chunk)?.[1]
        if (percent) onProgress(Math.floor(Number(percent)))
        else if (stdout.length < keptOutputCharacters) stdout += chunk
      })
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
        if (stderr.length < keptOutputCharacters) stderr += chunk
      })
      child.once('error', reject)
      child.once('close', (code) => {
        signal?.removeEventListener('abort', abort)
        if (signal?.aborted) reject(signal.reason as Error)
        else if (code === 0) resolve(stdout)
        else if (/No space left on device/i.test(stderr))
          reject(new ImageFault('disk_full', 'The place where disks are kept is full'))
        else reject(new ImageToolError(code, stdout, stderr))
      })
    })

/**
 * Names a file for qemu-img with its format, so that nothing in the file is taken as a format, a protocol or a
 * backing file.
 */
export function imageNamed(path: string, driver: ImageDriver): string {
  const options = { driver, file: { driver: 'file', filename: path }, ...(driver === 'qcow2' ? { backing: null } : {}) }
  return `json:${JSON.stringify(options)}`
}
