import { spawn } from 'node:child_process'
import { diskFull, diskInUse, ImageFault } from './image-fault'
import type { ImageDriver } from './image-format'
import { headerFaults } from './image-headers'
import { formatNamed, tooLarge, unsupported } from './inspect-image'

/* Runs qemu-img in the worker. qemu-img inherits the worker's limits on time, memory and output. */

/** Thrown when qemu-img fails. `text` is its output, which is not meant for users. */
export class QemuImgError extends Error {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly text: string
  constructor(exitCode: number | null, signal: NodeJS.Signals | null, text: string) {
    super(`qemu-img failed: ${text.slice(0, 2000)}`)
    this.name = 'QemuImgError'
    this.exitCode = exitCode
    this.signal = signal
    this.text = text
  }
}

/** Thrown when a file exceeds its size limit. */
export class OutputOverflow extends Error {}

export type QemuImg = (args: readonly string[], onProgress?: (percent: number) => void) => Promise<string>

const keptOutputCharacters = 1_000_000

/** Runs a program that inherits the descriptors 3 and 4, and `further` additional descriptors. */
export const qemuImg =
  (program: string, further = 0): QemuImg =>
  (args, onProgress) =>
    new Promise((resolve, reject) => {
      const child = spawn(program, args, {
        stdio: ['ignore', 'pipe', 'pipe', ...Array.from({ length: 2 + further }, () => 'inherit' as const)],
        // separate thread arenas would count against the memory limit although they are hardly used
        env: { ...process.env, LC_ALL: 'C', MALLOC_ARENA_MAX: '2' },
      })
      let stdout = ''
      let stderr = ''
      child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
        const percent = onProgress && /\((\d{1,3})(?:\.\d{1,4})?\/100%\)\s{0,8}$/.exec(chunk.slice(-40))?.[1]
        if (percent) onProgress(Math.min(100, Number(percent)))
        else if (stdout.length < keptOutputCharacters) stdout += chunk
      })
      child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
        if (stderr.length < keptOutputCharacters) stderr += chunk
      })
      child.once('error', reject)
      child.once('close', (code, signal) => {
        if (code === 0) resolve(stdout)
        else if (signal === 'SIGXFSZ' || /File too large/.test(stderr)) reject(new OutputOverflow())
        else if (/No space left on device|Disk quota exceeded/i.test(stderr)) reject(diskFull())
        else reject(new QemuImgError(code, signal, stderr))
      })
    })

/**
 * Names a file for qemu-img together with its format. This keeps QEMU from detecting the format, following a backing
 * file or parsing a protocol in the name.
 */
export function imageNamed(filename: string, driver: ImageDriver): string {
  const hasBacking = driver === 'qcow2' || driver === 'vmdk'
  const options = {
    driver,
    file: { driver: 'file', filename },
    ...(hasBacking && { backing: null }),
    // a VHD has two sizes, and qemu-img picks one based on the creator program; the older one may cut off the disk
    ...(driver === 'vpc' && { force_size_calc: 'current_size' }),
  }
  return `json:${JSON.stringify(options)}`
}

/** Names a chain of captured files, oldest first, like `imageNamed`. */
export function chainNamed(files: readonly string[]): string {
  const chain = files.reduce<object | null>(
    (backing, filename) => ({ driver: 'qcow2', file: { driver: 'file', filename }, backing }),
    null,
  )
  return `json:${JSON.stringify(chain)}`
}

export interface ImageInfo {
  'virtual-size': number
  snapshots?: { name: string }[]
  encrypted?: boolean
  'backing-filename'?: string
  'format-specific'?: { data?: { 'data-file'?: string; bitmaps?: { name: string; flags: string[] }[] } }
}

/**
 * Checks a file with QEMU without opening other files, and its tables if the format supports this. Returns its virtual
 * size.
 */
export async function checkImage(
  run: QemuImg,
  file: string,
  driver: ImageDriver,
  maxVirtualBytes: number,
): Promise<number> {
  const image = imageNamed(file, driver)
  const info = JSON.parse(await run(['info', '--output=json', image])) as ImageInfo
  if (info.encrypted) throw headerFaults.encrypted()
  if (info['backing-filename'] !== undefined) throw headerFaults.backing()
  if (info['format-specific']?.data?.['data-file'] !== undefined) throw headerFaults.external()
  if (info['virtual-size'] > maxVirtualBytes) throw tooLarge(info['virtual-size'], maxVirtualBytes)
  if (['qcow2', 'vmdk', 'vdi', 'vhdx', 'parallels'].includes(driver)) {
    await run(['check', '--output=json', image]).catch((error: unknown) => {
      // Exit code 3: leaked clusters, which waste space but are harmless.
      if (!(error instanceof QemuImgError && error.exitCode === 3)) throw error
    })
  }
  return info['virtual-size']
}

/**
 * Converts a qemu-img error to a fault. A file that qemu-img cannot read although its format is certain is damaged,
 * usually truncated.
 */
export function damaged(error: unknown, driver: ImageDriver): unknown {
  if (!(error instanceof QemuImgError)) return error
  // The output repeats our own arguments, which say nothing about the error.
  const text = error.text.replaceAll(/json:\{[^\n]*\}/g, '')
  if (error.signal) return beyondLimits(driver)
  if (/\block\b/i.test(text)) return diskInUse()
  if (/differencing|parent|backing/i.test(text)) return headerFaults.backing()
  if (/encrypt/i.test(text)) return headerFaults.encrypted()
  if (/unsupported|not supported|unknown feature|unknown incompatible/i.test(text))
    return unsupported(`This type of ${formatNamed(driver)} image is not supported`)
  if (error.exitCode === null || error.exitCode > 3 || /cannot allocate memory/i.test(text)) return beyondLimits(driver)
  return new ImageFault('image_truncated', `The ${formatNamed(driver)} image is damaged or incomplete`)
}

const beyondLimits = (driver: ImageDriver) =>
  unsupported(`The ${formatNamed(driver)} image could not be examined within the time and memory limits`)
