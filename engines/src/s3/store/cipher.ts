import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { S3Error } from '../errors'

/*
 * Bytes of an encrypted object, in a file or in a row: salt (32) · frames. A frame is up to 64 KiB of AES-256-GCM and its
 * tag (16). Each file has a key of its own, made of the object's data key and the salt; the nonce is the frame's number, and
 * the last frame is marked, so that frames cannot be exchanged, repeated or cut off.
 */
export const FRAME_BYTES = 64 * 1024
const SALT_BYTES = 32
const TAG_BYTES = 16
const WHOLE_FRAME = FRAME_BYTES + TAG_BYTES
/** Frames that are read at once: 1 MiB. */
const FRAMES_AT_ONCE = 16

const fileKey = (dataKey: Buffer, salt: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', dataKey, salt, 'mainstay s3 file', 32))

function nonceOf(frame: number): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeBigUInt64BE(BigInt(frame), 4)
  return nonce
}
const markOf = (isLast: boolean) => Buffer.of(isLast ? 1 : 0)

function sealFrame(key: Buffer, frame: number, isLast: boolean, plain: Buffer): Buffer[] {
  const cipher = createCipheriv('aes-256-gcm', key, nonceOf(frame), { authTagLength: TAG_BYTES })
  cipher.setAAD(markOf(isLast))
  return [cipher.update(plain), cipher.final(), cipher.getAuthTag()]
}

function openFrame(key: Buffer, frame: number, isLast: boolean, sealed: Buffer): Buffer {
  const end = sealed.length - TAG_BYTES
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(frame), { authTagLength: TAG_BYTES })
    decipher.setAAD(markOf(isLast))
    decipher.setAuthTag(sealed.subarray(end))
    const plain = decipher.update(sealed.subarray(0, end))
    decipher.final()
    return plain
  } catch {
    throw damaged()
  }
}

/** What is answered in place of bytes that are not those that were stored. */
export const damaged = (): S3Error =>
  new S3Error('InternalError', 'The bytes of the object are damaged. An operator has to restore them')

/** The bytes as they are stored. */
export async function* encrypt(
  dataKey: Buffer,
  bytes: AsyncIterable<Buffer> | Iterable<Buffer>,
): AsyncGenerator<Buffer> {
  const salt = randomBytes(SALT_BYTES)
  const key = fileKey(dataKey, salt)
  yield salt
  let waiting: Buffer[] = []
  let size = 0
  let frame = 0
  for await (const part of bytes) {
    waiting.push(part)
    size += part.length
    // what may be the last frame waits until it is known
    if (size <= FRAME_BYTES) continue
    const all = Buffer.concat(waiting)
    let at = 0
    for (; size - at > FRAME_BYTES; at += FRAME_BYTES)
      yield* sealFrame(key, frame++, false, all.subarray(at, at + FRAME_BYTES))
    waiting = [all.subarray(at)]
    size -= at
  }
  yield* sealFrame(key, frame, true, Buffer.concat(waiting))
}

/** How many bytes so many take when they are encrypted. */
const encryptedSize = (size: number): number =>
  SALT_BYTES + size + Math.max(1, Math.ceil(size / FRAME_BYTES)) * TAG_BYTES

/** Where encrypted bytes are read: so many from there, all of them. */
export type ReadAt = (position: number, length: number) => Promise<Buffer>

/**
 * Bytes `start` to `end`, both included, of `size` that were encrypted. Only frames in which some of them are get read. Throws
 * `InternalError` for bytes that are not those that were stored, before any of their frame are told.
 */
export async function* decrypt(
  dataKey: Buffer,
  read: ReadAt,
  { size, start, end }: { size: number; start: number; end: number },
): AsyncGenerator<Buffer> {
  const key = fileKey(dataKey, await read(0, SALT_BYTES))
  const lastFrame = Math.max(0, Math.ceil(size / FRAME_BYTES) - 1)
  const until = Math.floor(end / FRAME_BYTES)
  for (let frame = Math.floor(start / FRAME_BYTES); frame <= until; frame += FRAMES_AT_ONCE) {
    const next = Math.min(frame + FRAMES_AT_ONCE, until + 1)
    const position = SALT_BYTES + frame * WHOLE_FRAME
    const sealed = await read(position, Math.min(next * WHOLE_FRAME + SALT_BYTES, encryptedSize(size)) - position)
    for (let one = frame; one < next; one++) {
      const at = (one - frame) * WHOLE_FRAME
      const plain = openFrame(key, one, one === lastFrame, sealed.subarray(at, at + WHOLE_FRAME))
      yield plain.subarray(Math.max(0, start - one * FRAME_BYTES), end - one * FRAME_BYTES + 1)
    }
  }
}

/** Reads of bytes that are in memory. */
export const readIn =
  (bytes: Buffer): ReadAt =>
  (position, length) =>
    Promise.resolve(bytes.subarray(position, position + length))
