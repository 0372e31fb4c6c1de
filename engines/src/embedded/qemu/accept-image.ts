import { copyFile, rename, rm } from 'node:fs/promises'
import { ImageFault, type DiskFacts } from '../hypervisor'
import { factsOf } from './disk-facts'
import { flush } from './flush'
import {
  looksLikeKernelOrRamdisk,
  looksLikeRawDisk,
  lookalike,
  markedFormat,
  readImage,
  type ImageFile,
  type ImageFormat,
} from './image-format'
import { headerFaults, qcow2Size, vdiSize, vmdkSize, vpcSize } from './image-headers'
import { imageNamed, ImageToolError, quick, thorough, type ImageDriver, type ImageTool } from './image-tool'

/** Names that the API and its clients have for formats. */
const declaredFormats: Record<string, ImageFormat | 'raw-part'> = {
  iso: 'iso',
  qcow2: 'qcow2',
  raw: 'raw',
  img: 'raw',
  ami: 'raw',
  aki: 'raw-part',
  ari: 'raw-part',
  vmdk: 'vmdk',
  vdi: 'vdi',
  vhd: 'vpc',
  vpc: 'vpc',
  vhdx: 'vhdx',
  ploop: 'parallels',
  parallels: 'parallels',
}
const nameOf: Record<string, string> = {
  vpc: 'VHD',
  raw: 'raw disk',
  'raw-part': 'kernel or ramdisk',
  iso: 'ISO',
  parallels: 'ploop',
}
const named = (format: string) => nameOf[format] ?? format

const unsupported = (message: string) => new ImageFault('image_format_unsupported', message)

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
  const driver = await inspect(upload, declared, maxVirtualBytes)
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

type Accepted = ImageDriver | 'iso'

/** Finds the format without QEMU's help, and refuses what must not reach QEMU. */
async function inspect(upload: string, declared: string, maxVirtualBytes: number): Promise<Accepted> {
  const wanted = declared === 'detect' ? null : declaredFormats[declared.toLowerCase()]
  if (wanted === undefined) throw unsupported(`Images of the format "${declared}" are not supported`)
  return readImage(upload, async (file) => {
    const found = (await markedFormat(file)) ?? (await unmarkedFormat(file, wanted))
    const isMeant =
      wanted === null ||
      found === wanted ||
      (found === 'raw' && wanted === 'raw-part') ||
      (found === 'iso' && wanted === 'raw')
    if (found === 'vmdk-descriptor') throw headerFaults.external()
    if (found === 'luks') throw headerFaults.encrypted()
    if (found === 'unknown-disk') throw unsupported('Disk images of this kind are not supported')
    // Also a raw file that begins like another format: whoever looked at it later could take it for that.
    if (!isMeant) throw unsupported(`The file was declared as ${named(wanted)}, but is ${named(found)}`)
    const size = await sizeFromHeader(file, found)
    if (size !== null && size > maxVirtualBytes) throw tooLarge(size, maxVirtualBytes)
    // A bootable ISO may well be meant as the disk that it also is.
    return found === 'iso' && wanted === 'raw' ? 'raw' : found
  })
}

/** Raw files have no mark of their own: only what is known to be a disk is taken for one. */
async function unmarkedFormat(file: ImageFile, wanted: ImageFormat | 'raw-part' | null): Promise<'raw'> {
  const head = await file.bytes(0, 512)
  if (file.sizeBytes === 0) throw new ImageFault('image_truncated', 'The file is empty')
  if (wanted === 'raw-part' && (await looksLikeKernelOrRamdisk(file))) return 'raw'
  const known = lookalike(head)
  if (known) throw unsupported(`The file is no disk image, but ${known}`)
  if (wanted !== null && wanted !== 'raw' && wanted !== 'raw-part')
    throw unsupported(`The file is no ${named(wanted)} image`)
  if (!(await looksLikeRawDisk(file)))
    throw unsupported('The file is no disk image: no boot record, partitions or file system were found')
  if (file.sizeBytes % 512 !== 0)
    throw new ImageFault('image_truncated', 'The image is incomplete: a disk consists of whole sectors of 512 bytes')
  return 'raw'
}

async function sizeFromHeader(file: ImageFile, found: Accepted): Promise<number | null> {
  switch (found) {
    case 'qcow2':
      return qcow2Size(file)
    case 'vmdk':
      return vmdkSize(file)
    case 'vdi':
      return vdiSize(file)
    case 'vpc':
      return vpcSize(file)
    case 'raw':
    case 'iso':
      return file.sizeBytes
    case 'vhdx':
    case 'parallels':
      return null
  }
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
    return unsupported(`This kind of ${named(driver)} image is not supported`)
  if (error.exitCode === null || error.exitCode > 3)
    return unsupported(`The ${named(driver)} image could not be examined within the limits`)
  return new ImageFault('image_truncated', `The ${named(driver)} image is damaged or incomplete`)
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

const gibibytes = (bytes: number) => `${Math.ceil(bytes / 1024 ** 3).toLocaleString('en')} GiB`
const tooLarge = (size: number, most: number) =>
  new ImageFault('image_too_large', `The image is a disk of ${gibibytes(size)}; at most ${gibibytes(most)} are allowed`)
