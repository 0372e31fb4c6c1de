import { createReadStream, existsSync } from 'node:fs'
import { readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { ImageFault } from '../../image-files/image-fault'
import { readImage } from '../../image-files/image-file'
import { markedFormat } from '../../image-files/image-format'
import type { DiskFacts, Disks } from '../hypervisor'
import { inspect } from './inspect-image'
import type { Delays, Faults } from './options'

/** Start of a simulated disk file. The disk size in bytes follows it. */
const mark = 'simulated disk '

/** Disks that take up only a few bytes, whatever their size. Images are stored as uploaded. */
export function openDisks(delays: Delays, faults: Faults): Disks {
  const full = () => new ImageFault('disk_full', 'The disk storage is full')

  async function write(path: string, sizeBytes: number): Promise<void> {
    if (faults.diskFull) throw full()
    await writeFile(`${path}.part`, `${mark}${sizeBytes}\n`, { mode: 0o600 })
    await rename(`${path}.part`, path)
  }
  async function make(path: string, sizeBytes: number): Promise<void> {
    if (existsSync(path)) throw new ImageFault('image_format_unsupported', 'A disk with this name already exists')
    await write(path, sizeBytes)
  }
  async function facts(path: string): Promise<DiskFacts> {
    const { size } = await stat(path)
    if (size > 64) return { format: 'raw', virtualBytes: size, usedBytes: size }
    const text = await readFile(path, 'utf8')
    const virtualBytes = text.startsWith(mark) ? Number(text.slice(mark.length)) : size
    return { format: text.startsWith(mark) ? 'qcow2' : 'raw', virtualBytes, usedBytes: size }
  }

  return {
    createBlank: make,
    async createFrom(path, _source, sizeBytes, onProgress = () => undefined, signal) {
      for (const percent of [25, 50, 75, 100]) {
        await pause(delays.copy / 4, signal)
        onProgress(percent)
      }
      await make(path, sizeBytes)
    },
    async grow(path, sizeBytes) {
      if (faults.diskFull) throw full()
      const { virtualBytes } = await facts(path)
      if (sizeBytes > virtualBytes) await write(path, sizeBytes)
    },
    facts,
    async remove(path) {
      await rm(path, { force: true })
      await rm(`${path}.part`, { force: true })
    },
    async acceptImage({
      upload,
      target,
      declared,
      maxVirtualBytes,
      reserveBytes,
      onProgress = () => undefined,
      signal,
    }) {
      const found = await inspect(upload, declared, maxVirtualBytes)
      if (found.isConverted) {
        if (found.virtualBytes > faults.freeBytes - reserveBytes) throw full()
        for (const percent of [25, 50, 75]) {
          await pause(delays.copy / 3, signal)
          onProgress(percent)
        }
      }
      const { size } = await stat(upload)
      // use the upload as a disk of that size
      await rename(upload, target)
      if (size % 512 !== 0 && found.format === 'raw') await truncate(target, Math.ceil(size / 512) * 512)
      onProgress(100)
      return {
        format: found.isConverted ? 'qcow2' : found.format,
        virtualBytes: found.virtualBytes,
        usedBytes: size,
        // the upload is stored unchanged
        converted: null,
      }
    },
    async keptImage(path) {
      const found = await readImage(path, markedFormat)
      return { ...(await facts(path)), ...(found === 'iso' && { format: 'iso' }), converted: null }
    },
    async writeSeed(path, files) {
      await writeFile(`${path}.part`, Object.keys(files).join('\n'), { mode: 0o600 })
      await rename(`${path}.part`, path)
    },
    async read(path) {
      const { size } = await stat(path)
      return { stream: createReadStream(path), sizeBytes: size }
    },
    free: async () => (faults.diskFull ? 0 : faults.freeBytes),
  }
}

const pause = (milliseconds: number, signal?: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    signal?.throwIfAborted()
    if (milliseconds <= 0) return resolve()
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason instanceof Error ? signal.reason : new Error('stopped'))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', stop, { once: true })
  })
