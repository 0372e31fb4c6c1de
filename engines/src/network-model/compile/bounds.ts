import { MAX_MTU, MIN_MTU_IPV6 } from '@mainstay/contract/networking/address-texts'

/**
 * Bytes of an MTU that networks of this host can have, by the versions of their subnets. Hosts need not take less of IPv4 (RFC 791),
 * and the services of a network send as much.
 */
const leastMtu = { 4: 576, 6: MIN_MTU_IPV6 } as const

/** Why networks with subnets of these versions cannot have this MTU here; null where they can. */
export function mtuFault(mtu: number, versions: readonly (4 | 6)[]): string | null {
  const hasIpv6 = versions.includes(6)
  const least = leastMtu[hasIpv6 ? 6 : 4]
  if (Number.isInteger(mtu) && mtu >= least && mtu <= MAX_MTU) return null
  return hasIpv6
    ? `With IPv6 the MTU is between ${least} and ${MAX_MTU} bytes`
    : `On this host the MTU is between ${least} and ${MAX_MTU} bytes`
}
