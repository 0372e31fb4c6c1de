import type { FileHandle } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { StoredObject } from '../store/types'
import type { S3Call } from './call'
import type { S3Store } from './operations'

/** From the first byte to the last, both included. */
export interface Range {
  start: number
  end: number
}

const READ_AT_ONCE = 1024 * 1024

interface Piece extends Range {
  handle: FileHandle
}

/** The files of an object that have the bytes, open. */
async function openPieces({ blobs, objects }: S3Store, object: StoredObject, { start, end }: Range): Promise<Piece[]> {
  const files = object.parts === 0 ? [{ file: object.blob!, size: object.size }] : await objects.partsOf(object)
  const pieces: Piece[] = []
  let at = 0
  try {
    for (const { file, size } of files) {
      if (size > 0 && at <= end && at + size > start)
        pieces.push({
          handle: await blobs.open(file),
          start: Math.max(0, start - at),
          end: Math.min(size, end - at + 1) - 1,
        })
      at += size
    }
    return pieces
  } catch (error) {
    for (const { handle } of pieces) await handle.close()
    throw error
  }
}

/** Bytes of an object; its files are closed when they were read, or whoever reads them stops. */
export async function readPieces(store: S3Store, object: StoredObject, range: Range): Promise<AsyncIterable<Buffer>> {
  if (object.inline) return [object.inline.subarray(range.start, range.end + 1)] as unknown as AsyncIterable<Buffer>
  const pieces = await openPieces(store, object, range)
  async function* bytes(): AsyncGenerator<Buffer> {
    try {
      for (const { handle, ...part } of pieces)
        yield* handle.createReadStream({
          ...part,
          highWaterMark: READ_AT_ONCE,
          autoClose: false,
        }) as AsyncIterable<Buffer>
    } finally {
      for (const { handle } of pieces) await handle.close().catch(() => undefined)
    }
  }
  return bytes()
}

/**
 * Sends bytes of an object, never more than the client takes. Files of what is overwritten stay for an hour, so that who has read
 * the row finds them.
 */
export async function sendBytes(
  call: S3Call,
  store: S3Store,
  object: StoredObject,
  range: Range | null,
  { status, headers }: { status: number; headers: Record<string, string> },
): Promise<void> {
  const { response } = call
  const all = range ?? { start: 0, end: object.size - 1 }
  if (object.inline) {
    response.writeHead(status, headers)
    response.end(object.inline.subarray(all.start, all.end + 1))
    return
  }
  const bytes = await readPieces(store, object, all)
  response.writeHead(status, headers)
  await pipeline(bytes, response)
}
