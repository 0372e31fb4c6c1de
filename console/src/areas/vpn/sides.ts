import { isInRange, parseAddress, parseRange } from '@mainstay/contract/networking/addresses'
import type { FloatingIp } from '@mainstay/contract/networking/floating-ips'
import type { Network } from '@mainstay/contract/networking/networks'
import type { Router } from '@mainstay/contract/networking/routers'
import type { Subnet } from '@mainstay/contract/networking/subnets'
import type { VpnEndpointGroup } from '@mainstay/contract/vpn/endpoint-groups'
import type { Around } from './use-known'
import { overlapping } from './vpn-checks'

/** A subnet with the name of its network. */
export interface NamedSubnet {
  id: string
  name: string
  cidr: string
}

/** A router's external address; null if it has no external gateway. */
export const routerAddress = ({ external_gateway_info: out }: Router): string | null =>
  out?.external_fixed_ips[0]?.ip_address ?? null

/** The subnets that a router is connected to, with their network names. */
export function subnetsOf(
  router: Router | undefined,
  subnets: readonly Subnet[],
  networks: readonly Network[],
): NamedSubnet[] {
  const connected = new Set(
    router?.interfaces_info.flatMap(({ fixed_ips }) => fixed_ips.map(({ subnet_id }) => subnet_id)),
  )
  return subnets
    .filter(({ id }) => connected.has(id))
    .map(({ id, cidr, network_id, name }) => ({
      ...{ id, cidr },
      name: networks.find((it) => it.id === network_id)?.name ?? name,
    }))
    .toSorted((one, other) => one.name.localeCompare(other.name) || one.cidr.localeCompare(other.cidr))
}

/** Existing groups that consist only of this router's subnets. */
export const groupsOf = (subnets: readonly NamedSubnet[], groups: readonly VpnEndpointGroup[]): VpnEndpointGroup[] =>
  groups.filter(
    ({ type, endpoints }) => type === 'subnet' && endpoints.every((it) => subnets.some(({ id }) => id === it)),
  )

/**
 * Virtual machines in these ranges that have floating IPs. Their replies leave through the floating IP instead of the
 * tunnel.
 */
export const outsideTunnel = (ranges: readonly string[], floatingIps: readonly FloatingIp[]): FloatingIp[] =>
  floatingIps.filter(({ fixed_ip_address }) => {
    const address = fixed_ip_address === null ? null : parseAddress(fixed_ip_address)
    return address !== null && ranges.some((it) => isInRange(address, parseRange(it)!))
  })

/**
 * The router's networks and other connections' remote networks that overlap these ranges. Such overlaps are allowed but
 * worth a warning.
 */
export function sharedWith(
  remote: readonly string[],
  { router, own, local }: { router: string | null; own: string | null; local: readonly string[] },
  { routers, subnets, networks, connections }: Pick<Around, 'routers' | 'subnets' | 'networks' | 'connections'>,
): { ranges: string[]; name: string }[] {
  const beside = subnetsOf(
    routers.find(({ id }) => id === router),
    subnets,
    networks,
  ).filter(({ cidr }) => !local.includes(cidr))
  return [
    ...beside.map(({ name, cidr }) => ({ name, ranges: overlapping(remote, [cidr]) })),
    ...connections
      .filter(({ id }) => id !== own)
      .map(({ name, remote_subnets: theirs }) => ({ name, ranges: overlapping(remote, theirs) })),
  ].filter(({ ranges }) => ranges.length > 0)
}
