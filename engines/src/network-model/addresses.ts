import { isIP } from 'node:net'
import { remembered } from './remembered'

/*
 * Arithmetic on IPv4 and IPv6 addresses as numbers. Functions throw `RangeError` for text that Node's `isIP` does not
 * accept.
 */

export type Version = 4 | 6

export interface Cidr {
  version: Version
  /** First address of the range. */
  first: bigint
  last: bigint
  prefix: number
}

export const versionOf = (address: string): Version => {
  const found = isIP(address)
  if (found === 0) throw new RangeError(`${address} is not an address`)
  return found as Version
}

export const bitsOf = (version: Version): number => (version === 4 ? 32 : 128)

export const toBigInt = remembered((address): bigint => {
  if (versionOf(address) === 4) return address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n)
  const [head = '', tail] = withoutDots(address).split('::')
  const words = (text: string) => (text === '' ? [] : text.split(':').map((word) => BigInt(`0x${word}`)))
  const front = words(head)
  const back = tail === undefined ? [] : words(tail)
  const gap = tail === undefined ? 0 : 8 - front.length - back.length
  return [...front, ...Array<bigint>(gap).fill(0n), ...back].reduce((sum, word) => sum * 65536n + word, 0n)
})

/** Converts the dotted-decimal part of an address such as `::ffff:10.0.0.1` to hex. */
function withoutDots(address: string): string {
  const found = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(address)
  if (!found) return address
  const value = toBigInt(found[2]!)
  return `${found[1]}${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`
}

/** Formats an address in its canonical short form (RFC 5952), so that addresses can be compared as text. */
export function toText(value: bigint, version: Version): string {
  if (version === 4) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.')
  const words = Array.from({ length: 8 }, (_, at) => (value >> BigInt(112 - at * 16)) & 0xffffn)
  let [from, length] = [0, 0]
  for (let at = 0; at < 8; at++) {
    let run = 0
    while (at + run < 8 && words[at + run] === 0n) run++
    if (run > length) [from, length] = [at, run]
  }
  const text = (part: bigint[]) => part.map((word) => word.toString(16)).join(':')
  return length < 2 ? text(words) : `${text(words.slice(0, from))}::${text(words.slice(from + length))}`
}

export const canonical = remembered((address) => toText(toBigInt(address), versionOf(address)))

/**
 * Parses a CIDR. `10.0.0.5/24` is read as 10.0.0.0/24, and an address without a prefix length as a single-address
 * range.
 */
export const readCidr = remembered((text): Cidr => {
  const [address = '', bits] = text.split('/')
  const version = versionOf(address)
  const prefix = bits === undefined ? bitsOf(version) : Number(bits)
  if (!/^\d{1,3}$/.test(bits ?? '0') || prefix > bitsOf(version)) throw new RangeError(`${text} is not a network`)
  const size = 1n << BigInt(bitsOf(version) - prefix)
  const first = (toBigInt(address) / size) * size
  return { version, first, last: first + size - 1n, prefix }
})

export const cidrText = ({ version, first, prefix }: Cidr): string => `${toText(first, version)}/${prefix}`

export function isInside(address: string, cidr: Cidr): boolean {
  if (versionOf(address) !== cidr.version) return false
  const value = toBigInt(address)
  return value >= cidr.first && value <= cidr.last
}

export const overlap = (a: Cidr, b: Cidr): boolean => a.version === b.version && a.first <= b.last && b.first <= a.last

/** Returns the canonical address without its prefix length. */
export const bare = (address: string): string => canonical(address.split('/')[0] ?? '')

/** The link-local address that a guest derives from its MAC (RFC 4291, modified EUI-64). */
export const linkLocalOf = remembered((mac) => {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = mac.split(':').map((part) => Number.parseInt(part, 16))
  const value = [a ^ 2, b, c, 0xff, 0xfe, d, e, f].reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
  return toText((0xfe80n << 112n) + value, 6)
})
