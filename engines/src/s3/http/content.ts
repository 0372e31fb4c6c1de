import { encrypt } from '../store/cipher'
import { checksum } from '../store/digests'
import type { NewEncryption } from '../store/encryption-keys'
import type { S3Store } from './operations'

/* Stores object data in the object's row or in a file. */

/** Maximum size of an object that is stored in its row, in bytes. */
export const MOST_INLINE = 8 * 1024

/** Passes bytes through and updates the hashes. */
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
 * Writes bytes to a new file, encrypted if `made` is given. The file counts as garbage until a row refers to it.
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

/** Stores the bytes of an object inline or in a file, depending on `size`. */
export async function keepBytes(
  store: S3Store,
  bytes: AsyncIterable<Buffer>,
  size: number,
  made: NewEncryption | null,
): Promise<{ inline: Buffer } | { file: string }> {
  if (size > MOST_INLINE) return { file: await writeFile(store, bytes, made) }
  return { inline: await gathered(made ? encrypt(made.dataKey, bytes) : bytes) }
}
