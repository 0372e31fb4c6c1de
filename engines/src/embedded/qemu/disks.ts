import { createReadStream, existsSync } from 'node:fs'
import { open, rename, rm, stat, statfs, truncate } from 'node:fs/promises'
import { ImageFault } from '../../image-files/image-fault'
import type { Disks } from '../hypervisor'
import { acceptImage } from './accept-image'
import { factsOf, storedFormat } from './disk-facts'
import { flush } from './flush'
import { imageNamed, ImageToolError, quick, thorough, type ImageTool } from './image-tool'
import { isoImage } from './iso9660'

/** Copies a disk that a machine has open, through that machine; false when none has. */
export type LiveCopy = (
  source: string,
  target: string,
  onProgress: (percent: number) => void,
  signal?: AbortSignal,
) => Promise<boolean>

interface Given {
  folder: string
  tool: ImageTool
  liveCopy: LiveCopy
}

/** Files of disks and images. Every file is written aside and renamed once it is complete and on the disk. */
export function openDisks({ folder, tool, liveCopy }: Given): Disks {
  /** `write` makes a file at the path that it is given. */
  async function aside(path: string, write: (part: string) => Promise<void>): Promise<void> {
    if (existsSync(path)) throw new ImageFault('image_format_unsupported', 'There is a disk of this name already')
    const part = `${path}.part`
    await rm(part, { force: true })
    try {
      await write(part)
      await flush(part)
      await rename(part, path)
    } catch (error) {
      await rm(part, { force: true })
      throw forPeople(error)
    }
  }

  async function growFile(path: string, sizeBytes: number): Promise<void> {
    const { virtualBytes, format } = await factsOf(tool, path)
    if (sizeBytes <= virtualBytes) return
    if (format === 'raw') await truncate(path, sizeBytes)
    else await tool(['resize', imageNamed(path, 'qcow2'), String(sizeBytes)], quick)
  }

  return {
    createBlank: (path, sizeBytes) =>
      aside(path, async (part) => void (await tool(['create', '-f', 'qcow2', part, String(sizeBytes)], quick))),
    createFrom: (path, source, sizeBytes, onProgress = () => undefined, signal) =>
      aside(path, async (part) => {
        const format = await storedFormat(source)
        const isCopied = await liveCopy(source, part, onProgress, signal)
        if (!isCopied) {
          await tool(['convert', '-p', '-O', 'qcow2', imageNamed(source, format), part], {
            ...thorough,
            onProgress,
            signal,
          })
        }
        await growFile(part, sizeBytes)
      }),
    grow: (path, sizeBytes) => growFile(path, sizeBytes).catch(throwForPeople),
    facts: (path) => factsOf(tool, path).catch(throwForPeople),
    async remove(path) {
      await rm(path, { force: true })
      await rm(`${path}.part`, { force: true })
    },
    acceptImage: (upload, target, declared, maxVirtualBytes, onProgress) =>
      acceptImage(tool, upload, target, declared, maxVirtualBytes, onProgress),
    async writeSeed(path, files) {
      // Made anew for each start, so an older one is replaced. It may hold passwords.
      const part = `${path}.part`
      const handle = await open(part, 'w', 0o600)
      try {
        await handle.writeFile(isoImage('cidata', files))
        await handle.sync()
      } finally {
        await handle.close()
      }
      await rename(part, path)
    },
    async read(path) {
      const { size } = await stat(path)
      return { stream: createReadStream(path), sizeBytes: size }
    },
    async free() {
      const { bavail, bsize } = await statfs(folder)
      return bavail * bsize
    },
  }
}

const throwForPeople = (error: unknown): never => {
  throw forPeople(error)
}

function forPeople(error: unknown): unknown {
  if ((error as NodeJS.ErrnoException).code === 'ENOSPC')
    return new ImageFault('disk_full', 'The place where disks are kept is full')
  if (!(error instanceof ImageToolError)) return error
  if (/lock/i.test(error.text)) return new ImageFault('image_format_unsupported', 'The disk is in use')
  return new ImageFault('image_truncated', 'The disk is damaged')
}
