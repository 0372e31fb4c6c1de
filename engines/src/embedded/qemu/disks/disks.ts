import { createReadStream, existsSync } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { spaceOf } from '../../../host/folder-space'
import { diskFull, ImageFault } from '../../../image-files/image-fault'
import type { ImageWorker } from '../../../image-files/image-worker'
import { OutputTooLarge } from '../../../image-files/worker-launcher'
import { watchSpace } from '../../../image-files/watch-space'
import type { Disks } from '../../hypervisor'
import { acceptImage, usedBy } from './accept-image'
import { flush } from './flush'
import type { CreateDisk } from './image-tool'
import { isoImage } from './iso9660'

/** Copies a disk through the machine that has it open. Returns false if no machine has it open. */
export type LiveCopy = (
  source: string,
  target: string,
  onProgress: (percent: number) => void,
  signal?: AbortSignal,
) => Promise<boolean>

interface Given {
  folder: string
  create: CreateDisk
  worker: ImageWorker
  liveCopy: LiveCopy
  snapshots: Pick<Disks, 'createSnapshot' | 'deleteSnapshot' | 'revertTo'>
  capture: Disks['capture']
  /** Space to keep free while copying, in bytes. */
  reserveBytes: number
}

/** Opens disk and image files. Each file is written to a temporary file, synced and renamed. */
export function openDisks({ folder, create, worker, liveCopy, snapshots, capture, reserveBytes }: Given): Disks {
  /**
   * Writes a disk to a temporary file first. `write` creates the file at the given path, and must stop when its signal
   * is aborted because space is running out.
   */
  async function aside(
    target: string,
    write: (part: string, signal: AbortSignal) => Promise<void>,
    signal?: AbortSignal,
  ): Promise<void> {
    if (existsSync(target)) throw new ImageFault('image_format_unsupported', 'A disk with this name already exists')
    const part = `${target}.part`
    await rm(part, { force: true })
    const space = watchSpace(path.dirname(target), reserveBytes)
    try {
      await write(part, signal ? AbortSignal.any([signal, space.signal]) : space.signal)
      await flush(part)
      await rename(part, target)
    } catch (error) {
      await rm(part, { force: true })
      throw forPeople(error)
    } finally {
      space.stop()
    }
  }

  const free = async () => (await spaceOf(folder)).free

  return {
    createBlank: (target, sizeBytes) => aside(target, (part) => create(part, sizeBytes)),
    createFrom: (target, source, sizeBytes, onProgress = () => undefined, callersSignal) =>
      aside(
        target,
        async (part, signal) => {
          if (typeof source === 'string' && (await liveCopy(source, part, onProgress, signal))) {
            await worker.grow(part, sizeBytes)
            return
          }
          const maxBytes = Math.max(0, (await free()) - reserveBytes)
          const { path: file, snapshot } = typeof source === 'string' ? { path: source } : source
          const parts = { source: file, snapshot, target: part, atLeastBytes: sizeBytes }
          const order = { ...parts, from: 'stored' as const, digests: false }
          await worker.convert({ ...order, maxBytes, reserveBytes }, { onProgress, signal })
        },
        callersSignal,
      ),
    grow: (target, sizeBytes) => worker.grow(target, sizeBytes).then(() => undefined, throwForPeople),
    createSnapshot: (target, name) => snapshots.createSnapshot(target, name).catch(throwForPeople),
    deleteSnapshot: (target, name) => snapshots.deleteSnapshot(target, name).catch(throwForPeople),
    revertTo: (target, name) => snapshots.revertTo(target, name).catch(throwForPeople),
    capture: (orders, onProgress, signal) => capture(orders, onProgress, signal).catch(throwForPeople),
    assemble: (target, files, sizeBytes, onProgress, callersSignal) =>
      aside(
        target,
        async (part, signal) => {
          await worker.assemble({ files, target: part, sizeBytes, reserveBytes }, { onProgress, signal })
        },
        callersSignal,
      ),
    async checkCaptured(target) {
      await worker.examine(target, 'qcow2', Number.MAX_SAFE_INTEGER).catch(throwForPeople)
    },
    async facts(target) {
      const { format, virtualBytes } = await worker.facts(target).catch(throwForPeople)
      return { format, virtualBytes: virtualBytes ?? 0, usedBytes: await usedBy(target) }
    },
    async remove(target) {
      await rm(target, { force: true })
      await rm(`${target}.part`, { force: true })
    },
    async keptImage(target, signal) {
      const { format, virtualBytes, digests } = await worker.imageFacts(target, { signal }).catch(throwForPeople)
      const { size } = await stat(target)
      const converted = digests && { sizeBytes: size, ...digests }
      return { format, virtualBytes: virtualBytes ?? 0, usedBytes: await usedBy(target), converted }
    },
    acceptImage: (order) => acceptImage(worker, order, free),
    async writeSeed(target, files) {
      // The seed is replaced at each start. It may contain passwords.
      const part = `${target}.part`
      const handle = await open(part, 'w', 0o600)
      try {
        await handle.writeFile(isoImage('cidata', files))
        await handle.sync()
      } finally {
        await handle.close()
      }
      await rename(part, target)
    },
    async read(target) {
      const { size } = await stat(target)
      return { stream: createReadStream(target), sizeBytes: size }
    },
    free,
    space: () => spaceOf(folder),
  }
}

const throwForPeople = (error: unknown): never => {
  throw forPeople(error)
}

function forPeople(error: unknown): unknown {
  // the copy may have used up the remaining space
  if (error instanceof OutputTooLarge || (error as NodeJS.ErrnoException).code === 'ENOSPC') return diskFull()
  if (error instanceof ImageFault && error.code === 'image_truncated')
    return new ImageFault('image_truncated', 'The disk is damaged')
  return error
}
