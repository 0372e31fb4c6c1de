import { parseAddress } from '@mainstay/contract/networking/addresses'
import type { Port } from '@mainstay/contract/networking/ports'

type Addressed = Pick<Port, 'fixed_ips'>

const firstOf = ({ fixed_ips }: Addressed) => parseAddress(fixed_ips[0]?.ip_address ?? '')

/**
 * Compares ports numerically by their first address. IPv4 sorts before IPv6, and ports without an address sort last.
 */
export function byAddress(one: Addressed, other: Addressed): number {
  const [a, b] = [firstOf(one), firstOf(other)]
  if (!a || !b) return Number(!a) - Number(!b)
  if (a.version !== b.version) return a.version - b.version
  return a.value < b.value ? -1 : Number(a.value > b.value)
}
