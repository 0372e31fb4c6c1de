import type { IkeVersion } from '@mainstay/contract/vpn/algorithms'
import type { ConnectionDraft, IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import type { VpnEndpointGroup } from '@mainstay/contract/vpn/endpoint-groups'
import { selectorFaults, selectorsClash } from '@mainstay/contract/vpn/rules'
import { fieldProblem, problemOf } from '@mainstay/contract/core/problems'
import { overlap, parseRange, versionOf } from '@mainstay/contract/networking/addresses'
import type { Router } from '@mainstay/contract/networking/routers'

/* Engine-independent rules for the two sides of a VPN connection: their address ranges and peer addresses. */

/** Prefix for the connection's field names in a draft or change. */
export const sentAt = 'ipsec_site_connection.'

/**
 * The field that defines each side of a connection: an endpoint group created with it, or the ID of an existing one.
 */
export interface SidePlaces {
  local: string
  remote: string
}
export const placesOf = ({
  local_ep_group,
  peer_ep_group,
}: Pick<Partial<ConnectionDraft>, 'local_ep_group' | 'peer_ep_group'>): SidePlaces => ({
  local: local_ep_group ? 'local_ep_group.endpoints' : `${sentAt}local_ep_group_id`,
  remote: peer_ep_group ? 'peer_ep_group.endpoints' : `${sentAt}peer_ep_group_id`,
})
const placeAt = (place: string, at: number | null) => (at === null || place.endsWith('_id') ? place : `${place}.${at}`)

/** A subnet in which a router has an address. */
interface RoutedSubnet {
  id: string
  network_id: string
  network_name: string
  cidr: string
}

/** The context in which the ranges of a connection are checked. */
interface SideSurroundings {
  ike_version: IkeVersion
  router: Pick<Router, 'interfaces_info'>
  /** Subnets that the router is connected to, including the subnet of its external gateway. */
  connected: readonly RoutedSubnet[]
  /** The router's other connections. */
  others: readonly Pick<IpsecSiteConnection, 'name' | 'local_subnets' | 'remote_subnets'>[]
}

/**
 * Returns the ranges of both sides. Throws if they are invalid, or if they conflict with the router's networks or other
 * connections.
 */
export function rangesOf(
  groups: Record<keyof SidePlaces, Pick<VpnEndpointGroup, 'endpoints'>>,
  { ike_version, router, connected, others }: SideSurroundings,
  places: SidePlaces,
): Pick<IpsecSiteConnection, 'local_subnets' | 'remote_subnets'> {
  const own = new Set(router.interfaces_info.map(({ network_id }) => network_id))
  const local = groups.local.endpoints.map((subnetId, at) => {
    const subnet = connected.find((it) => it.id === subnetId && own.has(it.network_id))
    if (!subnet) throw fieldProblem(placeAt(places.local, at), 'vpn.subnet_not_connected')
    return subnet.cidr
  })
  const remote = groups.remote.endpoints
  const [fault] = selectorFaults(ike_version, local, remote)
  if (fault) throw problemOf(fault.message, { field: placeAt(places[fault.side], fault.at), code: fault.code })
  for (const [at, cidr] of remote.entries()) {
    const clash = connected.find((it) => overlap(parseRange(it.cidr)!, parseRange(cidr)!))
    if (clash) {
      throw fieldProblem(placeAt(places.remote, at), 'vpn.overlaps_connected', {
        taken: clash.cidr,
        network: clash.network_name,
        cidr,
      })
    }
  }
  for (const { name, local_subnets, remote_subnets } of others)
    if (selectorsClash({ local, remote }, { local: local_subnets, remote: remote_subnets }))
      throw fieldProblem(places.remote, 'vpn.ranges_taken', { name })
  return { local_subnets: local, remote_subnets: [...remote] }
}

/**
 * Returns the router's own address for connections to a peer. Throws if the router has no address of the peer's IP
 * version, or if the peer is the router itself.
 */
export function localAddressFor(router: Pick<Router, 'external_gateway_info'>, peerAddress: string): string {
  const addresses = router.external_gateway_info?.external_fixed_ips.map(({ ip_address }) => ip_address) ?? []
  if (addresses.includes(peerAddress)) throw fieldProblem(`${sentAt}peer_address`, 'vpn.peer_is_router')
  const version = versionOf(peerAddress)
  const address = addresses.find((it) => version === null || versionOf(it) === version)
  if (address === undefined)
    throw fieldProblem(`${sentAt}peer_address`, 'vpn.gateway_version', { version: version ?? 4 })
  return address
}
