import { createHash, type Hash } from 'node:crypto'
import { checksum, type ChecksumName } from '../store/digests'
import { etagFor, objectPlace, type EncryptionChoice, type NewEncryption } from '../store/encryption-keys'
import { multipartEtag } from '../store/multipart'
import type { NewObject } from '../store/objects'
import type { Bucket, ObjectHead, Part, StoredObject } from '../store/types'
import { customerKey } from './encryption-headers'
import type { S3Call } from './call'
import { keepBytes, passing, writeFile } from './content'
import type { S3Store } from './operations'
import { readPieces, type Range } from './send-bytes'

/*
 * Data for copies of whole objects: hard links to the same files if the stored data stays the same, otherwise new
 * files.
 */

export interface CopySource {
  bucket: Bucket
  object: StoredObject
  /** Data key if the source is encrypted, otherwise null. */
  dataKey: Buffer | null
}
export interface CopyTarget {
  bucket: Bucket
  key: string
  choice: EncryptionChoice | null
  /** Requested checksum algorithm; null keeps the source's checksum. */
  algorithm: ChecksumName | null
}
type Copied = Pick<NewObject, 'content' | 'etag'> & { head: Pick<ObjectHead, 'checksum' | 'encryption'> }

/** Creates the content for a copy. Files that no row ever refers to are garbage-collected. */
export async function copyContent(
  store: S3Store,
  headers: S3Call['headers'],
  source: CopySource,
  { bucket, key, choice, algorithm }: CopyTarget,
): Promise<Copied> {
  const { object, dataKey } = source
  const stays = isSameKey(object.head, choice, headers)
  const made = choice && store.keys.make(choice, objectPlace(bucket.name, key), stays ? dataKey! : undefined)
  const written = stays
    ? { content: await linked(store, object), etag: object.etag }
    : await rewritten(store, source, made)
  const kept = object.head.checksum
  const sum =
    algorithm === null || (kept?.name === algorithm && kept.type === 'FULL_OBJECT')
      ? kept
      : { name: algorithm, value: await checksumOf(store, source, algorithm), type: 'FULL_OBJECT' as const }
  return { ...written, head: { ...(sum && { checksum: sum }), ...(made && { encryption: made.encryption }) } }
}

/** Whether the stored data can be reused because source and target use the same encryption key. */
function isSameKey({ encryption }: ObjectHead, choice: EncryptionChoice | null, headers: S3Call['headers']): boolean {
  if (!encryption || !choice) return !encryption && !choice
  if (encryption.mode !== choice.mode) return false
  if (choice.mode === 'aws:kms') return choice.keyId === encryption.keyId
  return choice.mode === 'AES256' || choice.key.equals(customerKey(headers, true)!)
}

/** Creates hard links to the source's files. */
async function linked({ blobs, files, objects }: S3Store, object: StoredObject): Promise<NewObject['content']> {
  if (object.inline) return { inline: object.inline }
  const parts = await objects.partsOf(object)
  await files.checkWhole(object.parts === 0 ? [object.blob!] : parts.map(({ file }) => file))
  const link = async (file: string) => {
    const other = blobs.newName()
    await files.intend(other, file)
    await blobs.link(file, other)
    return other
  }
  if (object.parts === 0) return { file: await link(object.blob!) }
  const own: Part[] = []
  for (const part of parts) own.push({ ...part, file: await link(part.file) })
  return { blob: blobs.newName(), parts: own, announced: true }
}

/** Rewrites the data with different encryption, keeping the division into parts. */
async function rewritten(
  store: S3Store,
  { object, dataKey }: CopySource,
  made: NewEncryption | null,
): Promise<Pick<Copied, 'content' | 'etag'>> {
  const read = async (range: Range, md5: Hash) => passing(await readPieces(store, object, range, dataKey), md5)
  const etagOf = (md5: Hash) => etagFor(made, md5.digest('hex'))
  if (object.parts === 0) {
    const md5 = createHash('md5')
    const bytes = await read({ start: 0, end: object.size - 1 }, md5)
    return { content: await keepBytes(store, bytes, object.size, made), etag: etagOf(md5) }
  }
  const own: Part[] = []
  let at = 0
  for (const part of await store.objects.partsOf(object)) {
    const md5 = createHash('md5')
    const file = await writeFile(store, await read({ start: at, end: at + part.size - 1 }, md5), made)
    own.push({ ...part, file, etag: etagOf(md5) })
    at += part.size
  }
  return { content: { blob: store.blobs.newName(), parts: own, announced: true }, etag: multipartEtag(own) }
}

async function checksumOf(store: S3Store, { object, dataKey }: CopySource, algorithm: ChecksumName): Promise<string> {
  const digest = await checksum(algorithm)
  for await (const part of await readPieces(store, object, { start: 0, end: object.size - 1 }, dataKey))
    digest.update(part)
  return digest.end()
}
