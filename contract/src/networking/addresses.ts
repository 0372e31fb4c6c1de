import ipaddr from 'ipaddr.js'

/*
 * Arithmetic on IPv4 and IPv6 addresses and ranges. An address is a version and a `bigint`. Parsers return null for
 * invalid text and never throw.
 */

export type IpVersion = 4 | 6

export interface IpAddress {
  version: IpVersion
  value: bigint
}
/** A range of addresses. `first` is the network address, even if another address was given. */
export interface IpRange {
  version: IpVersion
  first: bigint
  last: bigint
  prefix: number
}

const bitsOf = (version: IpVersion): number => (version === 4 ? 32 : 128)
const parserOf = (version: IpVersion) => (version === 4 ? ipaddr.IPv4 : ipaddr.IPv6)

const toValue = (bytes: readonly number[]): bigint => bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)

function bytesOf(value: bigint, version: IpVersion): number[] {
  const count = bitsOf(version) / 8
  return Array.from({ length: count }, (_, at) => Number((value >> BigInt(8 * (count - 1 - at))) & 0xffn))
}

const isPlainIpv4 = (text: string): boolean => ipaddr.IPv4.isValidFourPartDecimal(text)
/**
 * Whether a text is an IPv6 address without a zone (`%eth0`). Zones are refused because they are meaningful on one host
 * only.
 */
const isPlainIpv6 = (text: string): boolean => text.includes(':') && !text.includes('%') && ipaddr.IPv6.isValid(text)

/** Returns the IP version of an address in text form, or null if it is invalid. */
export function versionOf(text: string): IpVersion | null {
  if (isPlainIpv4(text)) return 4
  return isPlainIpv6(text) ? 6 : null
}

export function parseAddress(text: string): IpAddress | null {
  const version = versionOf(text)
  return version === null ? null : { version, value: toValue(parserOf(version).parse(text).toByteArray()) }
}

/** Formats an address in the canonical form (RFC 5952). */
export const addressText = ({ version, value }: IpAddress): string =>
  version === 4 ? bytesOf(value, 4).join('.') : new ipaddr.IPv6(bytesOf(value, 6)).toRFC5952String()

/** Parses a range such as `192.168.7.0/24`. Any address in the range is accepted; `first` is the network address. */
export function parseRange(text: string): IpRange | null {
  const [base = '', bits = '', ...more] = text.split('/')
  const address = parseAddress(base)
  if (!address || more.length > 0 || !/^\d{1,3}$/.test(bits)) return null
  const prefix = Number(bits)
  const { version, value } = address
  if (prefix > bitsOf(version)) return null
  const size = 1n << BigInt(bitsOf(version) - prefix)
  const first = (value / size) * size
  return { version, first, last: first + size - 1n, prefix }
}

/** Formats a range with its network address. */
export const rangeText = ({ version, first, prefix }: IpRange): string =>
  `${addressText({ version, value: first })}/${prefix}`

/** Returns the canonical form of an address or a range, for comparison as text; other text is returned as is. */
export function canonical(text: string): string {
  const plain = text.trim()
  const address = parseAddress(plain)
  if (address) return addressText(address)
  const range = parseRange(plain)
  return range ? rangeText(range) : text
}

export const isInRange = (address: IpAddress, { version, first, last }: IpRange): boolean =>
  address.version === version && address.value >= first && address.value <= last

/** Whether `one` is contained in `other`. */
export const isWithin = (one: IpRange, other: IpRange): boolean =>
  one.version === other.version && one.first >= other.first && one.last <= other.last

export const overlap = (one: IpRange, other: IpRange): boolean =>
  one.version === other.version && one.first <= other.last && other.first <= one.last

/**
 * Returns the addresses that guests can use. IPv4: all but the network and broadcast addresses (all of a /31 or a /32,
 * RFC 3021). IPv6: all but the first one, the subnet-router anycast address.
 */
export function usable({ version, first, last, prefix }: IpRange): { first: bigint; last: bigint } {
  if (prefix >= bitsOf(version) - 1) return { first, last }
  return version === 4 ? { first: first + 1n, last: last - 1n } : { first: first + 1n, last }
}

/**
 * Finds the first range with this prefix length in `within` that overlaps none of the used ones. Null if there is none.
 *
 * @param used - ranges of either version
 */
export function freeRange(within: IpRange, prefix: number, used: readonly IpRange[]): IpRange | null {
  const { version, first, last } = within
  if (prefix < within.prefix || prefix > bitsOf(version)) return null
  const size = 1n << BigInt(bitsOf(version) - prefix)
  const taken = used.filter((it) => it.version === version).toSorted((a, b) => (a.first < b.first ? -1 : 1))
  let at = first
  for (const it of taken) {
    if (at + size - 1n < it.first) break
    if (it.last >= at) at = ((it.last + size) / size) * size
  }
  return at + size - 1n <= last ? { version, first: at, last: at + size - 1n, prefix } : null
}

/** Subtracts ranges from a range and returns the remaining parts in order. The others may overlap. */
export function without(
  range: { first: bigint; last: bigint },
  others: readonly { first: bigint; last: bigint }[],
): { first: bigint; last: bigint }[] {
  const parts: { first: bigint; last: bigint }[] = []
  let at = range.first
  for (const other of others.toSorted((a, b) => (a.first < b.first ? -1 : 1))) {
    if (other.last < at || other.first > range.last) continue
    if (other.first > at) parts.push({ first: at, last: other.first - 1n })
    at = other.last + 1n
  }
  if (at <= range.last) parts.push({ first: at, last: range.last })
  return parts
}

/** Returns the SLAAC address for a MAC address in a /64 range (EUI-64: RFC 4291, appendix A). */
export function slaacAddress({ first }: IpRange, mac: string): string {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = mac.split(':').map((pair) => Number.parseInt(pair, 16))
  return addressText({ version: 6, value: first | toValue([a ^ 2, b, c, 0xff, 0xfe, d, e, f]) })
}
