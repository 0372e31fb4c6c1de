import { createReadStream, existsSync } from 'node:fs'
import { readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { ImageFault, noSuchSnapshot } from '../../image-files/image-fault'
import { readImage } from '../../image-files/image-file'
import { markedFormat } from '../../image-files/image-format'
import type { DiskFacts, Disks } from '../hypervisor'
import { inspect } from './inspect-image'
import type { Delays, Faults } from './options'

/**
 * Start of a simulated disk file. The disk size in bytes and the name of the last capture follow it, then a line for each
 * snapshot: name and size.
 */
const mark = 'simulated disk '
const mostBytes = 64 * 1024

interface SimulatedDisk {
  sizeBytes: number
  lastCapture: string | null
  snapshots: { name: string; sizeBytes: number }[]
}

/**
 * Opens disks that take up only a few bytes, regardless of their size. Images are stored as uploaded. `canFreeze`: whether
 * the guest that has a disk can freeze its file systems.
 */
export function openDisks(delays: Delays, faults: Faults, canFreeze: (path: string) => boolean): Disks {
  const full = () => new ImageFault('disk_full', 'The disk storage is full')
  const free = () => (faults.diskFull ? 0 : faults.freeBytes)

  async function write(path: string, { sizeBytes, lastCapture, snapshots }: SimulatedDisk): Promise<void> {
    if (faults.diskFull) throw full()
    const lines = [
      `${mark}${sizeBytes} ${lastCapture ?? ''}`,
      ...snapshots.map((one) => `${one.name} ${one.sizeBytes}`),
    ]
    await writeFile(`${path}.part`, `${lines.join('\n')}\n`, { mode: 0o600 })
    await rename(`${path}.part`, path)
  }
  /** Reads a simulated disk. Returns null for an image that was stored as uploaded. */
  async function read(path: string): Promise<SimulatedDisk | null> {
    if ((await stat(path)).size > mostBytes) return null
    const [first = '', ...lines] = (await readFile(path, 'utf8')).trimEnd().split('\n')
    if (!first.startsWith(mark)) return null
    const snapshots = lines.map((line) => {
      const [name = '', size] = line.split(' ')
      return { name, sizeBytes: Number(size) }
    })
    const [sizeBytes, lastCapture] = first.slice(mark.length).split(' ')
    return { sizeBytes: Number(sizeBytes), lastCapture: lastCapture || null, snapshots }
  }
  async function change(path: string, next: (disk: SimulatedDisk) => SimulatedDisk): Promise<void> {
    const disk = await read(path)
    if (disk) await write(path, next(disk))
  }
  async function make(path: string, sizeBytes: number): Promise<void> {
    if (existsSync(path)) throw new ImageFault('image_format_unsupported', 'A disk with this name already exists')
    await write(path, { sizeBytes, lastCapture: null, snapshots: [] })
  }
  async function facts(path: string): Promise<DiskFacts> {
    const [{ size: usedBytes }, disk] = [await stat(path), await read(path)]
    return disk
      ? { format: 'qcow2', virtualBytes: disk.sizeBytes, usedBytes }
      : { format: 'raw', virtualBytes: usedBytes, usedBytes }
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
      await change(path, (disk) => ({ ...disk, sizeBytes: Math.max(disk.sizeBytes, sizeBytes) }))
    },
    createSnapshot: (path, name) =>
      change(path, (disk) => ({
        ...disk,
        snapshots: [...disk.snapshots.filter((one) => one.name !== name), { name, sizeBytes: disk.sizeBytes }],
      })),
    deleteSnapshot: (path, name) =>
      change(path, (disk) => ({ ...disk, snapshots: disk.snapshots.filter((one) => one.name !== name) })),
    revertTo: (path, name) =>
      change(path, ({ snapshots }) => {
        const found = snapshots.find((one) => one.name === name)
        if (!found) throw noSuchSnapshot()
        return { sizeBytes: found.sizeBytes, lastCapture: null, snapshots }
      }),
    async capture(disks, onProgress = () => undefined, signal) {
      await pause(delays.copy, signal)
      const isIncremental: boolean[] = []
      for (const { path, target, mark, since } of disks) {
        const disk = await read(path)
        if (!disk) throw new ImageFault('image_format_unsupported', 'The disk cannot have recovery points')
        await write(target, { ...disk, snapshots: [] })
        isIncremental.push(since !== null && disk.lastCapture === since)
        await write(path, { ...disk, lastCapture: mark })
      }
      onProgress(100)
      return { takenAt: new Date(), isIncremental, isFrozen: disks.every(({ path }) => canFreeze(path)) }
    },
    async assemble(path, _files, sizeBytes, onProgress = () => undefined, signal) {
      await pause(delays.copy, signal)
      onProgress(100)
      await make(path, sizeBytes)
    },
    async checkCaptured(path) {
      if (!(await read(path))) throw new ImageFault('image_truncated', 'The disk is damaged')
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
    free: async () => free(),
    space: async () => ({ used: faults.usedBytes, free: free() }),
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
