import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { createCRC32, createCRC64 } from 'hash-wasm'

/* What is computed of bytes as they pass. */

export const checksumNames = ['crc32', 'crc32c', 'crc64nvme', 'sha1', 'sha256'] as const
export type ChecksumName = (typeof checksumNames)[number]

export interface Digest {
  update(bytes: Buffer): void
  /** Base64, as headers have it. Once. */
  end(): string
}

const base64OfHex = (hex: string) => Buffer.from(hex, 'hex').toString('base64')

export async function checksum(name: ChecksumName): Promise<Digest> {
  if (name === 'sha1' || name === 'sha256') {
    const hash = createHash(name)
    return { update: (bytes) => void hash.update(bytes), end: () => hash.digest('base64') }
  }
  if (name === 'crc32') {
    let value = 0
    return {
      update: (bytes) => void (value = crc32(bytes, value)),
      end() {
        const bytes = Buffer.alloc(4)
        bytes.writeUInt32BE(value >>> 0)
        return bytes.toString('base64')
      },
    }
  }
  const hash = await (name === 'crc32c' ? createCRC32(0x82_f6_3b_78) : createCRC64('9a6c9329ac4bc9b5'))
  hash.init()
  return { update: (bytes) => void hash.update(bytes), end: () => base64OfHex(hash.digest('hex')) }
}

/** The checksum of an object in parts is that of its parts' checksums, with their number. */
export async function compositeChecksum(name: ChecksumName, ofParts: readonly string[]): Promise<string> {
  const digest = await checksum(name)
  for (const one of ofParts) digest.update(Buffer.from(one, 'base64'))
  return `${digest.end()}-${ofParts.length}`
}
