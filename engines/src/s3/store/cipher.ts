import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { S3Error } from '../errors'

/*
 * Format of encrypted data in a file or row: a 32-byte salt followed by frames. Each frame is up to 64 KiB of data,
 * encrypted with AES-256-GCM, and the 16-byte tag. The key is derived from the object's data key and the salt. The
 * nonce is the frame number, and the last frame is marked, so that frames cannot be swapped, repeated or removed.
 */
export const FRAME_BYTES = 64 * 1024
const SALT_BYTES = 32
const TAG_BYTES = 16
const WHOLE_FRAME = FRAME_BYTES + TAG_BYTES
/** Frames per read: 1 MiB. */
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

/** Returns the error for data that differs from what was stored. */
export const damaged = (): S3Error =>
  new S3Error('InternalError', 'The data of the object is damaged. An operator must restore it')

/** Encrypts data for storage. */
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
    // hold back data that may be the last frame
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

/** Returns the size of `size` bytes after encryption. */
const encryptedSize = (size: number): number =>
  SALT_BYTES + size + Math.max(1, Math.ceil(size / FRAME_BYTES)) * TAG_BYTES

/** Reads exactly `length` encrypted bytes at a position. */
export type ReadAt = (position: number, length: number) => Promise<Buffer>

/**
 * Decrypts bytes `start` to `end` (inclusive) of `size` bytes, reading only the frames that contain them. Throws
 * `InternalError` for a damaged frame before yielding any of it.
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

/** Reads from a buffer in memory. */
export const readIn =
  (bytes: Buffer): ReadAt =>
  (position, length) =>
    Promise.resolve(bytes.subarray(position, position + length))
