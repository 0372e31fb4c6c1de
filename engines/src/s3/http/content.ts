import { encrypt } from '../store/cipher'
import { checksum } from '../store/digests'
import type { NewEncryption } from '../store/encryption-keys'
import type { S3Store } from './operations'

/* Where the bytes of an object go: into its row, or into a file. */

/** Up to so many bytes an object is in its row. */
export const MOST_INLINE = 8 * 1024

/** The bytes as they pass by hashes. */
export async function* passing(
  bytes: AsyncIterable<Buffer>,
  ...hashes: readonly ({ update(bytes: Buffer): unknown } | null)[]
): AsyncGenerator<Buffer> {
  for await (const part of bytes) {
    for (const hash of hashes) hash?.update(part)
    yield part
  }
}

async function gathered(bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of bytes) parts.push(part)
  return Buffer.concat(parts)
}

/**
 * Writes the bytes as a new file, encrypted with what was made for the object. Its name waits among the garbage until a row takes
 * it.
 */
export async function writeFile(
  { blobs, files }: S3Store,
  bytes: AsyncIterable<Buffer>,
  made: Pick<NewEncryption, 'dataKey'> | null,
): Promise<string> {
  const file = blobs.newName()
  await files.intend(file)
  const sum = await checksum('crc32')
  await blobs.write(file, passing(made ? encrypt(made.dataKey, bytes) : bytes, sum))
  await files.written(file, sum.end())
  return file
}

/** Keeps the bytes of an object of that size. */
export async function keepBytes(
  store: S3Store,
  bytes: AsyncIterable<Buffer>,
  size: number,
  made: NewEncryption | null,
): Promise<{ inline: Buffer } | { file: string }> {
  if (size > MOST_INLINE) return { file: await writeFile(store, bytes, made) }
  return { inline: await gathered(made ? encrypt(made.dataKey, bytes) : bytes) }
}
