import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { createCRC32, createCRC64 } from 'hash-wasm'
import { S3Error } from '../errors'

/* Checksums that are computed while data is streamed. */

export const checksumNames = ['crc32', 'crc32c', 'crc64nvme', 'sha1', 'sha256'] as const
export type ChecksumName = (typeof checksumNames)[number]

export interface Digest {
  update(bytes: Buffer): void
  /** Returns the checksum in base64. Can be called only once. */
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

const bytesOf: Readonly<Record<ChecksumName, number>> = { crc32: 4, crc32c: 4, crc64nvme: 8, sha1: 20, sha256: 32 }

const isChecksum = (name: ChecksumName, value: string) => {
  const bytes = Buffer.from(value, 'base64')
  return bytes.length === bytesOf[name] && bytes.toString('base64') === value
}

/**
 * Returns the checksum in a header, or, with a null value, one declared as a trailer. Throws if it is invalid or there
 * are several.
 */
export function announcedChecksum(
  headers: Readonly<Record<string, string | undefined>>,
): { name: ChecksumName; value: string | null } | null {
  const trailer = headers['x-amz-trailer']?.trim().toLowerCase()
  const found = checksumNames.flatMap((name): { name: ChecksumName; value: string | null }[] => {
    const value = headers[`x-amz-checksum-${name}`]
    if (value !== undefined) return [{ name, value }]
    return trailer === `x-amz-checksum-${name}` ? [{ name, value: null }] : []
  })
  if (found.length > 1) throw new S3Error('InvalidRequest', 'Expecting a single x-amz-checksum- header')
  for (const { name, value } of found)
    if (value !== null && !isChecksum(name, value))
      throw new S3Error('InvalidRequest', `Value for x-amz-checksum-${name} header is invalid.`)
  return found[0] ?? null
}

/** Returns the composite checksum: the checksum of the parts' checksums, followed by the number of parts. */
export async function compositeChecksum(name: ChecksumName, ofParts: readonly string[]): Promise<string> {
  const digest = await checksum(name)
  for (const one of ofParts) digest.update(Buffer.from(one, 'base64'))
  return `${digest.end()}-${ofParts.length}`
}
