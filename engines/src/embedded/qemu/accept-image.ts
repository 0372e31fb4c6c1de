import { copyFile, rename, rm } from 'node:fs/promises'
import { ImageFault } from '../../image-files/image-fault'
import { readImage } from '../../image-files/image-file'
import type { ImageDriver } from '../../image-files/image-format'
import { headerFaults } from '../../image-files/image-headers'
import { formatNamed, inspectImage, tooLarge, unsupported } from '../../image-files/inspect-image'
import type { DiskFacts } from '../hypervisor'
import { factsOf } from './disk-facts'
import { flush } from './flush'
import { imageNamed, ImageToolError, quick, thorough, type ImageTool } from './image-tool'

/**
 * Makes an uploaded file an image that is safe to run, at `target`. The upload is used up when it succeeds, and left
 * when it does not. qcow2, raw and ISO stay as they are, everything else becomes qcow2.
 */
export async function acceptImage(
  tool: ImageTool,
  upload: string,
  target: string,
  declared: string,
  maxVirtualBytes: number,
  onProgress: (percent: number) => void = () => undefined,
): Promise<DiskFacts> {
  const { format: driver } = await readImage(upload, (file) => inspectImage(file, declared, maxVirtualBytes))
  if (driver === 'raw' || driver === 'iso') {
    await move(upload, target)
  } else {
    await check(tool, upload, driver, maxVirtualBytes)
    if (driver === 'qcow2') await move(upload, target)
    else await convert(tool, upload, driver, target, onProgress)
  }
  onProgress(100)
  const facts = await factsOf(tool, target)
  return driver === 'iso' ? { ...facts, format: 'iso' } : facts
}

interface ImageInfo {
  'virtual-size': number
  encrypted?: boolean
  'backing-filename'?: string
  'format-specific'?: { data?: { 'data-file'?: string } }
}

/** QEMU's own view of it, of this file alone. */
async function check(tool: ImageTool, upload: string, driver: ImageDriver, maxVirtualBytes: number): Promise<void> {
  const image = imageNamed(upload, driver)
  let info: ImageInfo
  try {
    info = JSON.parse(await tool(['info', '--output=json', image], quick)) as ImageInfo
  } catch (error) {
    throw damaged(error, driver)
  }
  if (info.encrypted) throw headerFaults.encrypted()
  if (info['backing-filename'] !== undefined) throw headerFaults.backing()
  if (info['format-specific']?.data?.['data-file'] !== undefined) throw headerFaults.external()
  if (info['virtual-size'] > maxVirtualBytes) throw tooLarge(info['virtual-size'], maxVirtualBytes)
  // The others cannot be checked.
  if (!['qcow2', 'vmdk', 'vdi', 'vhdx', 'parallels'].includes(driver)) return
  try {
    await tool(['check', '--output=json', image], thorough)
  } catch (error) {
    // 3: clusters that nobody uses, a waste but no harm.
    if (!(error instanceof ImageToolError && error.exitCode === 3)) throw damaged(error, driver)
  }
}

async function convert(
  tool: ImageTool,
  upload: string,
  driver: ImageDriver,
  target: string,
  onProgress: (percent: number) => void,
): Promise<void> {
  const part = `${target}.part`
  try {
    await tool(['convert', '-p', '-O', 'qcow2', imageNamed(upload, driver), part], { ...thorough, onProgress })
    await flush(part)
    await rename(part, target)
  } catch (error) {
    await rm(part, { force: true })
    throw damaged(error, driver)
  }
  await rm(upload, { force: true })
}

/** What qemu-img cannot read once the format is beyond doubt is damaged, mostly cut off. */
function damaged(error: unknown, driver: ImageDriver): unknown {
  if (!(error instanceof ImageToolError)) return error
  // It repeats our own words, which are no sign of anything.
  const text = error.text.replaceAll(/json:\{.*\}/g, '')
  if (/differencing|parent|backing/i.test(text)) return headerFaults.backing()
  if (/encrypt/i.test(text)) return headerFaults.encrypted()
  if (/unsupported|not supported|unknown.*feature/i.test(text))
    return unsupported(`This kind of ${formatNamed(driver)} image is not supported`)
  if (error.exitCode === null || error.exitCode > 3)
    return unsupported(`The ${formatNamed(driver)} image could not be examined within the limits`)
  return new ImageFault('image_truncated', `The ${formatNamed(driver)} image is damaged or incomplete`)
}

async function move(upload: string, target: string): Promise<void> {
  await flush(upload)
  try {
    await rename(upload, target)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    const part = `${target}.part`
    try {
      await copyFile(upload, part)
      await flush(part)
      await rename(part, target)
    } catch (failure) {
      await rm(part, { force: true })
      if ((failure as NodeJS.ErrnoException).code === 'ENOSPC')
        throw new ImageFault('disk_full', 'The place where disks are kept is full')
      throw failure
    }
    await rm(upload, { force: true })
  }
}
