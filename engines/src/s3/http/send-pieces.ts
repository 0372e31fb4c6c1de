import type { FileHandle } from 'node:fs/promises'
import { damaged } from '../store/cipher'
import type { S3Call } from './call'

/** Size of each read and write in bytes. */
const BUFFER_BYTES = 1024 * 1024
/** Maximum number of buffers kept for reuse. Allocating new ones is slow, because the kernel must zero every page. */
const MOST_SPARE = 16
const spare: Buffer[] = []

/** An inclusive byte range of a file. */
interface Piece {
  handle: FileHandle
  start: number
  end: number
}

/**
 * Sends file ranges in order, using two buffers: one is filled while the other is sent. `begin` writes the response
 * head once the first bytes have been read. Rejects if a file is too short or the client disconnects.
 */
export async function sendPieces(
  pieces: readonly Piece[],
  response: S3Call['response'],
  begin: () => void,
): Promise<void> {
  const length = pieces.reduce((sum, { start, end }) => sum + end - start + 1, 0)
  const isLarge = length >= BUFFER_BYTES
  const newBuffer = () => (isLarge ? Buffer.allocUnsafeSlow(BUFFER_BYTES) : Buffer.allocUnsafe(length))
  const buffers: Buffer[] = []
  const write = writerTo(response)
  let sent: Promise<void> | null = null
  let turn = 0
  for (const { handle, start, end } of pieces)
    for (let at = start; at <= end; turn = 1 - turn) {
      const buffer = (buffers[turn] ??= (isLarge ? spare.pop() : undefined) ?? newBuffer())
      const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, end - at + 1), at)
      // the file is truncated
      if (bytesRead === 0) throw damaged()
      at += bytesRead
      if (sent === null) begin()
      // wait until the other buffer is free
      await sent
      sent = write(buffer.subarray(0, bytesRead))
      // the next `await` reports a failure; until then, it must not count as an unhandled rejection
      sent.catch(() => undefined)
    }
  if (sent === null) begin()
  await sent
  response.end()
  // after a failure, the buffers are not reused, because the socket may still be using them
  if (isLarge && spare.length < MOST_SPARE) spare.push(...buffers)
}

/** Returns a function that writes a buffer and waits until it has been sent. Rejects if the client disconnects. */
function writerTo(response: S3Call['response']): (bytes: Buffer) => Promise<void> {
  let giveUp: (error: Error) => void = () => undefined
  response.once('close', () => {
    giveUp(Object.assign(new Error('The client disconnected'), { code: 'ERR_STREAM_PREMATURE_CLOSE' }))
  })
  return (bytes) =>
    new Promise((resolve, reject) => {
      giveUp = reject
      response.write(bytes, (error) => (error ? reject(error) : resolve()))
    })
}
