import type { FileHandle } from 'node:fs/promises'
import { damaged } from '../store/cipher'
import type { S3Call } from './call'

/** Bytes that are read, and sent, at once. */
const BUFFER_BYTES = 1024 * 1024
/** Buffers that wait for the next answer: the kernel has to clear each page of a new one. */
const MOST_SPARE = 16
const spare: Buffer[] = []

/** From the first byte to the last, both included. */
interface Piece {
  handle: FileHandle
  start: number
  end: number
}

/**
 * Sends pieces of files, one after the other, by two buffers: one is read into while the other is sent. `begin` writes the head of
 * the answer, once the first bytes are there. Rejects where a file is shorter than it should be, or the client is gone.
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
      // a file that was cut off
      if (bytesRead === 0) throw damaged()
      at += bytesRead
      if (sent === null) begin()
      // what was sent before has left its buffer
      await sent
      sent = write(buffer.subarray(0, bytesRead))
      // who waits for it is told; until then nobody does
      sent.catch(() => undefined)
    }
  if (sent === null) begin()
  await sent
  response.end()
  // a buffer of an answer that failed may still be with the socket
  if (isLarge && spare.length < MOST_SPARE) spare.push(...buffers)
}

/** Writes one buffer after the other, each until the socket has taken it. Rejects when the client is gone. */
function writerTo(response: S3Call['response']): (bytes: Buffer) => Promise<void> {
  let giveUp: (error: Error) => void = () => undefined
  response.once('close', () => {
    giveUp(Object.assign(new Error('The client is gone'), { code: 'ERR_STREAM_PREMATURE_CLOSE' }))
  })
  return (bytes) =>
    new Promise((resolve, reject) => {
      giveUp = reject
      response.write(bytes, (error) => (error ? reject(error) : resolve()))
    })
}
