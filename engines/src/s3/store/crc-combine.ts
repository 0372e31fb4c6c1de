import { S3Error } from '../errors'
import { compositeChecksum, type ChecksumName } from './digests'
import type { ObjectHead, Part } from './types'

/*
 * Checksums of multipart objects. A CRC is a polynomial remainder over GF(2): the CRC of two concatenated byte strings
 * is the CRC of the first times x^(8 · length of the second), plus the CRC of the second. Values are reflected: the
 * highest bit is x^0.
 */

type Crc = 'crc32' | 'crc32c' | 'crc64nvme'
const polynomials: Readonly<Record<Crc, { bits: number; polynomial: bigint }>> = {
  crc32: { bits: 32, polynomial: 0xed_b8_83_20n },
  crc32c: { bits: 32, polynomial: 0x82_f6_3b_78n },
  crc64nvme: { bits: 64, polynomial: 0x9a_6c_93_29_ac_4b_c9_b5n },
}
const isCrc = (name: ChecksumName): name is Crc => name in polynomials

/** Multiplies `one` by `other`, modulo the polynomial. */
function multiply(one: bigint, other: bigint, { bits, polynomial }: (typeof polynomials)[Crc]): bigint {
  let [product, shifted] = [0n, other]
  for (let bit = 1n << BigInt(bits - 1); bit > 0n; bit >>= 1n) {
    if (one & bit) product ^= shifted
    shifted = shifted & 1n ? (shifted >> 1n) ^ polynomial : shifted >> 1n
  }
  return product
}

/** Returns x^(8 · bytes), modulo the polynomial. */
function shiftBy(bytes: number, of: (typeof polynomials)[Crc]): bigint {
  let [result, power] = [1n << BigInt(of.bits - 1), 1n << BigInt(of.bits - 9)]
  for (let left = BigInt(bytes); left > 0n; left >>= 1n) {
    if (left & 1n) result = multiply(result, power, of)
    power = multiply(power, power, of)
  }
  return result
}

/** Computes the CRC of concatenated parts from their CRCs (base64) and sizes in bytes. */
export function combineCrcs(name: Crc, parts: readonly { size: number; value: string }[]): string {
  const of = polynomials[name]
  const shifts = new Map<number, bigint>()
  let sum = 0n
  for (const { size, value } of parts) {
    const shift = shifts.get(size) ?? shiftBy(size, of)
    shifts.set(size, shift)
    sum = multiply(sum, shift, of) ^ BigInt(`0x${Buffer.from(value, 'base64').toString('hex') || '0'}`)
  }
  return Buffer.from(sum.toString(16).padStart(of.bits / 4, '0'), 'hex').toString('base64')
}

export type ChecksumType = 'FULL_OBJECT' | 'COMPOSITE'

/** Default checksum type for uploads with this algorithm. */
export const defaultChecksumType = (name: ChecksumName): ChecksumType =>
  name === 'crc64nvme' ? 'FULL_OBJECT' : 'COMPOSITE'

/** Throws if the algorithm does not support this checksum type. */
export function checkChecksumType(name: ChecksumName, type: ChecksumType): void {
  if (type === 'FULL_OBJECT' ? !isCrc(name) : name === 'crc64nvme')
    throw new S3Error('InvalidRequest', `The ${type} checksum type cannot be used with the ${name} checksum algorithm.`)
}

/**
 * Computes the checksum of an object from the checksums of its parts; undefined unless all parts use the same
 * algorithm. `asked`: algorithm and type requested when the upload was started. By default, computes a full-object
 * checksum if possible.
 */
export async function checksumOfParts(
  parts: readonly Part[],
  asked: { algorithm?: ChecksumName; checksumType?: ChecksumType },
): Promise<ObjectHead['checksum']> {
  const name = asked.algorithm ?? (parts[0]?.checksum?.split(':')[0] as ChecksumName | undefined)
  if (name === undefined || !parts.every(({ checksum }) => checksum?.startsWith(`${name}:`))) return undefined
  const values = parts.map(({ size, checksum }) => ({ size, value: checksum!.slice(name.length + 1) }))
  const whole = asked.algorithm === undefined ? 'FULL_OBJECT' : defaultChecksumType(name)
  const type = isCrc(name) ? (asked.checksumType ?? whole) : 'COMPOSITE'
  if (type === 'FULL_OBJECT') return { name, type, value: combineCrcs(name as Crc, values) }
  return {
    name,
    type,
    value: await compositeChecksum(
      name,
      values.map(({ value }) => value),
    ),
  }
}
