import { MAX_MTU, MIN_MTU_IPV6 } from '@mainstay/contract/networking/address-texts'

/**
 * Minimum MTU in bytes, by IP version. IPv4 hosts are not required to accept larger packets than this (RFC 791), and
 * network services send packets of this size.
 */
const leastMtu = { 4: 576, 6: MIN_MTU_IPV6 } as const

/** Returns why a network with subnets of these IP versions cannot have this MTU, or null if it can. */
export function mtuFault(mtu: number, versions: readonly (4 | 6)[]): string | null {
  const hasIpv6 = versions.includes(6)
  const least = leastMtu[hasIpv6 ? 6 : 4]
  if (Number.isInteger(mtu) && mtu >= least && mtu <= MAX_MTU) return null
  return hasIpv6
    ? `With IPv6, the MTU must be from ${least} to ${MAX_MTU} bytes`
    : `On this host, the MTU must be from ${least} to ${MAX_MTU} bytes`
}
