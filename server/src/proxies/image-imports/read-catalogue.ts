import { open } from 'node:fs/promises'
import path from 'node:path'
import { CatalogueImage, type ImageCatalogue } from '@mainstay/contract/compute/image-imports'
import * as z from 'zod'
import { englishText } from '@mainstay/contract/core/english'
import { builtIn } from './built-in-catalogue'

const MOST_BYTES = 1024 * 1024

const File = z
  .strictObject({ images: z.array(CatalogueImage).max(500) })
  .refine(({ images }) => new Set(images.map(({ id }) => id)).size === images.length, {
    path: ['images'],
    message: 'Two images have the same ID',
  })

/**
 * Reads the catalogue from a file. If there is no file, returns the built-in catalogue. If the file is invalid, returns
 * the built-in catalogue together with a description of the problem.
 */
export async function readCatalogue(file: string): Promise<ImageCatalogue> {
  const name = path.basename(file)
  const unusable = (why: string): ImageCatalogue => ({ data: builtIn, problem: `${name}: ${why}` })
  let text: string | null
  try {
    text = await readShort(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { data: builtIn, problem: null }
    return unusable((error as Error).message)
  }
  if (text === null) return unusable(`it has more than ${MOST_BYTES} bytes`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return unusable(`it is not JSON, ${placeOf(text, (error as Error).message)}`)
  }
  const read = File.safeParse(value)
  if (read.success) return { data: read.data.images, problem: null }
  const [issue] = read.error.issues
  return unusable(`${issue!.path.join('.') || 'the file'}: ${englishText(issue!.message)}`)
}

/** Reads a text file. Returns null if the file is too long. */
async function readShort(file: string): Promise<string | null> {
  const handle = await open(file, 'r')
  try {
    const buffer = Buffer.alloc(MOST_BYTES + 1)
    let size = 0
    for (;;) {
      const { bytesRead } = await handle.read(buffer, size, buffer.length - size)
      size += bytesRead
      if (size > MOST_BYTES) return null
      if (bytesRead === 0) return buffer.toString('utf8', 0, size)
    }
  } finally {
    await handle.close()
  }
}

/** Line and column of a JSON error. The parser's message contains the position, unless the text ends too early. */
function placeOf(text: string, message: string): string {
  const position = /at position (\d+)/.exec(message)?.[1]
  const before = text.slice(0, position === undefined ? text.length : Number(position)).split('\n')
  return `line ${before.length}, column ${before.at(-1)!.length + 1}`
}
