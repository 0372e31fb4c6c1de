import { isIP } from 'node:net'
import type { Condition } from './conditions'
import type { Policy, Statement } from './policy'

/* Detects policies that grant public access, which access blocks can restrict and the console warns about. */

/** Networks with at least this prefix length do not count as public. */
const LEAST_BITS = { 4: 8, 6: 32 }

const isNarrow = (range: string): boolean => {
  const [address = '', bits] = range.split('/')
  const family = isIP(address)
  return (family === 4 || family === 6) && (bits === undefined || Number(bits) >= LEAST_BITS[family])
}
const isFixed = (text: string): boolean => !/[*?]/.test(text)

const naming = new Set(['StringEquals', 'StringLike', 'ArnEquals', 'ArnLike'])
const people = new Set(['aws:principalarn', 'aws:userid', 'aws:username'])

/**
 * Whether a condition restricts access to named users or networks. Operators that also hold if the key is missing do
 * not count.
 */
function names({ operator, key, values }: Condition): boolean {
  const lower = key.toLowerCase()
  if (lower === 'aws:sourceip') return operator === 'IpAddress' && values.every(isNarrow)
  return people.has(lower) && naming.has(operator) && values.every(isFixed)
}

const isPublic = ({ effect, principals, conditions }: Statement): boolean =>
  effect === 'Allow' && principals.includes('*') && !conditions.some(names)

/** Whether a policy grants public access. */
export const isPublicPolicy = (policy: Policy | null): boolean => policy?.some(isPublic) ?? false
