import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { problem } from '@mainstay/contract/core/problems'
import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { Decrypter, Encrypter } from 'age-encryption'
import { CHUNK_BYTES, FileMissing } from '../../../backup-places'
import type { StoredPoint } from './rows'
import type { OpenTarget } from './target'

/* Moves captured files to the backup target, and fetches them from there. */

type StoredFile = NonNullable<StoredPoint['file']>

interface Counted {
  sha256: string
  bytes: number
}

/** Reads a stream to its end, and returns its digest and length. */
async function counted(stream: AsyncIterable<Buffer>, onBytes: (bytes: number) => void = () => undefined) {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of stream) {
    hash.update(chunk)
    bytes += chunk.length
    onBytes(bytes)
  }
  return { sha256: hash.digest('hex'), bytes } satisfies Counted
}

/** Digest and size of a captured file. */
export const digestOf = (file: string, signal: AbortSignal): Promise<Counted> =>
  counted(createReadStream(file, { signal, highWaterMark: CHUNK_BYTES }))

interface FileToStore {
  file: string
  name: string
  /** What is in the file, if it is stored without encryption. */
  captured: Counted
  signal: AbortSignal
}

/**
 * Stores a captured file under the name of its recovery point, and reads it back. The captured file is then gone. If it is
 * already gone, an earlier attempt has stored it. Throws a `backup_target_unavailable` problem, or `backup_damaged` if what
 * was stored is not what was captured.
 */
export async function storeFile(
  { place, key }: OpenTarget,
  { file, name, captured, signal }: FileToStore,
): Promise<StoredFile> {
  const found = { name, location: place.location(name), isEncrypted: key !== null }
  if (!existsSync(file)) {
    const stored = await counted((await place.read(name)) as AsyncIterable<Buffer>)
    if (!key && stored.sha256 !== captured.sha256) throw problem('storage.backup_damaged', { name })
    return { ...found, ...stored }
  }
  await place.remove(name)
  if (!key) {
    // a file that was only renamed is the one whose digest was computed
    if ((await place.moveIn(name, file, signal)) === 'copied') await compare({ place }, name, captured, signal)
    await rm(file, { force: true })
    return { ...found, ...captured }
  }
  const encrypter = new Encrypter()
  encrypter.addRecipient(key.recipient)
  const plain = Readable.toWeb(createReadStream(file, { signal })) as ReadableStream<Uint8Array>
  const encrypted = Readable.fromWeb((await encrypter.encrypt(plain)) as never, { signal })
  const [passing, hash] = [new PassThrough(), createHash('sha256')]
  let bytes = 0
  encrypted.on('data', (chunk: Buffer) => {
    hash.update(chunk)
    bytes += chunk.length
  })
  encrypted.on('error', (error) => passing.destroy(error))
  try {
    // encryption adds 16 bytes to 64 KiB
    await place.write(name, encrypted.pipe(passing), signal, captured.bytes * 1.001 + 1024)
  } finally {
    encrypted.destroy()
  }
  const written = { sha256: hash.digest('hex'), bytes }
  await compare({ place }, name, written, signal)
  await rm(file, { force: true })
  return { ...found, ...written }
}

async function compare({ place }: Pick<OpenTarget, 'place'>, name: string, written: Counted, signal: AbortSignal) {
  const content = await place.read(name).catch((error: unknown) => {
    throw error instanceof FileMissing ? problem('infrastructure.backup_differs') : error
  })
  const stored = await counted(content as AsyncIterable<Buffer>)
  signal.throwIfAborted()
  if (stored.sha256 !== written.sha256 || stored.bytes !== written.bytes) throw problem('infrastructure.backup_differs')
}

/** Whether a stored file is what was written. Throws a `backup_target_unavailable` problem if it cannot be read. */
export async function isIntact(
  { place }: OpenTarget,
  { name, sha256, bytes }: StoredFile,
  onBytes: (bytes: number) => void,
  signal: AbortSignal,
): Promise<boolean> {
  const content = await place.read(name).catch((error: unknown) => {
    if (error instanceof FileMissing) return null
    throw error
  })
  if (!content) return false
  const stored = await counted(content as AsyncIterable<Buffer>, (read) => {
    signal.throwIfAborted()
    onBytes(read)
  })
  return stored.sha256 === sha256 && stored.bytes === bytes
}

/** Throws a `backup_target_unavailable` problem if a recovery point is stored at an earlier target. */
export function storedAt(target: Pick<OpenTarget, 'id'>, stored: StoredPoint | null): StoredFile {
  const file = stored?.file
  if (!file) throw problem('storage.backup_not_now', { status: 'creating' })
  if (stored.target !== target.id) throw problem('storage.backup_target_changed')
  return file
}

/**
 * Fetches the file of a recovery point to `path`, which is replaced. Throws a `backup_damaged` problem if it is not what was
 * written.
 */
export async function fetchFile(
  target: OpenTarget,
  {
    point,
    stored,
    path,
    signal,
  }: { point: VolumeBackup; stored: StoredPoint | null; path: string; signal: AbortSignal },
): Promise<void> {
  const file = storedAt(target, stored)
  await rm(path, { force: true })
  const hash = createHash('sha256')
  const raw = await target.place.read(file.name).catch((error: unknown) => {
    throw error instanceof FileMissing ? problem('storage.backup_damaged', { name: point.name }) : error
  })
  raw.on('data', (chunk: Buffer) => hash.update(chunk))
  const content = file.isEncrypted ? await decrypted(raw, target) : raw
  try {
    await pipeline(content, createWriteStream(path, { mode: 0o600 }), { signal })
  } catch (error) {
    await rm(path, { force: true })
    // age notices any change of an encrypted file
    if (file.isEncrypted && !signal.aborted && !(error as NodeJS.ErrnoException).code)
      throw problem('storage.backup_damaged', { name: point.name })
    throw error
  }
  if (hash.digest('hex') === file.sha256) return
  await rm(path, { force: true })
  throw problem('storage.backup_damaged', { name: point.name })
}

async function decrypted(raw: Readable, { key }: OpenTarget): Promise<Readable> {
  if (!key) throw problem('infrastructure.backup_secret_missing')
  const decrypter = new Decrypter()
  decrypter.addIdentity(key.identity.reveal())
  return Readable.fromWeb((await decrypter.decrypt(Readable.toWeb(raw) as ReadableStream<Uint8Array>)) as never)
}
