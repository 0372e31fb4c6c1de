import { says, type RuleText } from '../core/said'
import { parseAddress, parseRange, rangeText } from './addresses'

/* What is wrong with texts that should be ranges and ports (S2§5). No schemas: forms ask while somebody types. */

export const EMPTY_CIDR = says('networking.enter_range')
export const INVALID_CIDR = says('networking.enter_ipv4_range')
export const INVALID_CIDR_6 = says('networking.enter_ipv6_range')

/** Why this is no IPv4 range: a prefix of 1 to 32, or 0 after any address (S2§5). Null where it is one. */
export const ipv4CidrFault = (it: string): RuleText | null => (parseRange(it)?.version === 4 ? null : INVALID_CIDR)
/** Why this is no IPv6 range: a prefix of at most 128 (S2§5). Null where it is one. */
export const ipv6CidrFault = (it: string): RuleText | null => (parseRange(it)?.version === 6 ? null : INVALID_CIDR_6)

/** What a form says of a range (S2§5): `empty`, `invalid`, or `incorrect` with the range that was meant. */
export type CidrFault = { kind: 'empty' | 'invalid' } | { kind: 'incorrect'; suggestion: string }
export function cidrFault(it: string): CidrFault | null {
  if (it.trim() === '') return { kind: 'empty' }
  const range = parseRange(it.trim())
  if (!range) return { kind: 'invalid' }
  const address = parseAddress(it.trim().split('/')[0]!)!
  return address.value === range.first ? null : { kind: 'incorrect', suggestion: rangeText(range) }
}

const isPort = (port: number): boolean => port >= 1 && port <= 65_535

/** Ports as people write them: `80`, `8000-8999`. Null where this is neither one port nor two in order. */
export function parsePortRange(it: string): { min: number; max: number } | null {
  const found = /^(\d{1,5})(?:\s*[-:]\s*(\d{1,5}))?$/.exec(it.trim())
  if (!found) return null
  const [min, max] = [Number(found[1]), Number(found[2] ?? found[1])]
  return isPort(min) && isPort(max) && min <= max ? { min, max } : null
}

/** Bounds of an MTU and usual values, in bytes (S2§9). */
export const MIN_MTU = 60
export const MAX_MTU = 9000
export const DEFAULT_MTU = 1500
export const JUMBO_MTU = 9000
/** The least with which IPv6 works (RFC 8200). */
export const MIN_MTU_IPV6 = 1280
