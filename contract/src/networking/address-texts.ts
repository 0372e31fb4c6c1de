import { says, type RuleText } from '../core/said'
import { parseAddress, parseRange, rangeText } from './addresses'

/*
 * Checks for ranges and ports (S2§5), as functions instead of schemas, so that forms can call them on every keystroke.
 */

export const EMPTY_CIDR = says('networking.enter_range')
export const INVALID_CIDR = says('networking.enter_ipv4_range')
export const INVALID_CIDR_6 = says('networking.enter_ipv6_range')

/**
 * Returns the validation error for an IPv4 range, or null if it is valid. The prefix length must be 1 to 32, or 0 after
 * any address (S2§5).
 */
export const ipv4CidrFault = (it: string): RuleText | null => (parseRange(it)?.version === 4 ? null : INVALID_CIDR)
/**
 * Returns the validation error for an IPv6 range, or null if it is valid. The prefix length must be at most 128 (S2§5).
 */
export const ipv6CidrFault = (it: string): RuleText | null => (parseRange(it)?.version === 6 ? null : INVALID_CIDR_6)

/**
 * Validation error for a range in a form (S2§5): `empty`, `invalid`, or `incorrect` with the range that was probably
 * meant.
 */
export type CidrFault = { kind: 'empty' | 'invalid' } | { kind: 'incorrect'; suggestion: string }
export function cidrFault(it: string): CidrFault | null {
  if (it.trim() === '') return { kind: 'empty' }
  const range = parseRange(it.trim())
  if (!range) return { kind: 'invalid' }
  const address = parseAddress(it.trim().split('/')[0]!)!
  return address.value === range.first ? null : { kind: 'incorrect', suggestion: rangeText(range) }
}

const isPort = (port: number): boolean => port >= 1 && port <= 65_535

/** Parses `80` or `8000-8999`. Null if it is neither a port nor two ports in ascending order. */
export function parsePortRange(it: string): { min: number; max: number } | null {
  const found = /^(\d{1,5})(?:\s*[-:]\s*(\d{1,5}))?$/.exec(it.trim())
  if (!found) return null
  const [min, max] = [Number(found[1]), Number(found[2] ?? found[1])]
  return isPort(min) && isPort(max) && min <= max ? { min, max } : null
}

/** Limits and common values of an MTU, in bytes (S2§9). */
export const MIN_MTU = 60
export const MAX_MTU = 9000
export const DEFAULT_MTU = 1500
export const JUMBO_MTU = 9000
/** Minimum MTU for IPv6 (RFC 8200). */
export const MIN_MTU_IPV6 = 1280
