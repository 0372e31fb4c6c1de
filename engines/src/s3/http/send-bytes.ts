import type { FileHandle } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { damaged, decrypt, readIn, type ReadAt } from '../store/cipher'
import type { StoredObject } from '../store/types'
import type { S3Call } from './call'
import type { S3Store } from './operations'
import { sendPieces } from './send-pieces'

/** An inclusive byte range. */
export interface Range {
  start: number
  end: number
}

const READ_AT_ONCE = 1024 * 1024

async function closeAll(pieces: readonly Piece[]): Promise<void> {
  for (const { handle } of pieces) await handle.close().catch(() => undefined)
}

/** A range within a file. `size`: unencrypted size of the whole file. */
interface Piece extends Range {
  handle: FileHandle
  size: number
}

/** Opens the files that contain the range. Throws `InternalError` if one is known to be damaged. */
async function openPieces(
  { blobs, objects, files }: S3Store,
  object: StoredObject,
  { start, end }: Range,
): Promise<Piece[]> {
  const all = object.parts === 0 ? [{ file: object.blob!, size: object.size }] : await objects.partsOf(object)
  const needed: { file: string; size: number; at: number }[] = []
  let at = 0
  for (const { file, size } of all) {
    if (size > 0 && at <= end && at + size > start) needed.push({ file, size, at })
    at += size
  }
  await files.checkWhole(needed.map(({ file }) => file))
  const pieces: Piece[] = []
  try {
    for (const piece of needed)
      pieces.push({
        handle: await blobs.open(piece.file),
        size: piece.size,
        start: Math.max(0, start - piece.at),
        end: Math.min(piece.size, end - piece.at + 1) - 1,
      })
    return pieces
  } catch (error) {
    for (const { handle } of pieces) await handle.close()
    throw error
  }
}

const readFrom =
  (handle: FileHandle): ReadAt =>
  async (position, length) => {
    const bytes = Buffer.allocUnsafe(length)
    const { bytesRead } = await handle.read(bytes, 0, length, position)
    if (bytesRead < length) throw damaged()
    return bytes
  }

async function* plainBytes({ handle, start, end }: Piece): AsyncGenerator<Buffer> {
  let left = end - start + 1
  const stream = handle.createReadStream({ start, end, highWaterMark: READ_AT_ONCE, autoClose: false })
  for await (const part of stream as AsyncIterable<Buffer>) {
    left -= part.length
    yield part
  }
  // the file is truncated
  if (left > 0) throw damaged()
}

/**
 * Reads a range of an object. The files are closed at the end or when the consumer stops reading. `dataKey`: the data
 * key if the object is encrypted, otherwise null.
 */
export async function readPieces(
  store: S3Store,
  object: StoredObject,
  range: Range,
  dataKey: Buffer | null,
): Promise<AsyncIterable<Buffer>> {
  const { inline, size } = object
  if (inline)
    return dataKey
      ? decrypt(dataKey, readIn(inline), { size, ...range })
      : ([inline.subarray(range.start, range.end + 1)] as unknown as AsyncIterable<Buffer>)
  const pieces = await openPieces(store, object, range)
  async function* bytes(): AsyncGenerator<Buffer> {
    try {
      for (const piece of pieces) yield* dataKey ? decrypt(dataKey, readFrom(piece.handle), piece) : plainBytes(piece)
    } finally {
      await closeAll(pieces)
    }
  }
  return bytes()
}

/**
 * Sends a range of an object with backpressure. The response starts only after the first bytes have been read. Files of
 * overwritten objects are kept for an hour for readers that still use the old row.
 */
export async function sendBytes(
  call: S3Call,
  store: S3Store,
  object: StoredObject,
  { range, dataKey }: { range: Range | null; dataKey: Buffer | null },
  { status, headers }: { status: number; headers: Record<string, string> },
): Promise<void> {
  const { response } = call
  const all = range ?? { start: 0, end: object.size - 1 }
  if (object.inline && !dataKey) {
    call.begin(status, headers)
    response.end(object.inline.subarray(all.start, all.end + 1))
    return
  }
  if (!dataKey) {
    const pieces = await openPieces(store, object, all)
    try {
      await sendPieces(pieces, response, () => call.begin(status, headers))
    } finally {
      await closeAll(pieces)
    }
    return
  }
  const bytes = (await readPieces(store, object, all, dataKey))[Symbol.asyncIterator]()
  const first = await bytes.next()
  async function* rest(): AsyncGenerator<Buffer> {
    try {
      for (let next = first; !next.done; next = await bytes.next()) yield next.value
    } finally {
      await bytes.return?.()
    }
  }
  call.begin(status, headers)
  await pipeline(rest, response)
}
