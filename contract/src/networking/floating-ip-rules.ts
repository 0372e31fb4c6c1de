import type { FloatingIpTarget } from './floating-ips'
import type { Router } from './routers'

type Way = Pick<Router, 'id' | 'external_gateway_info' | 'interfaces_info'>

const addressIn = ({ interfaces_info }: Way, subnetId: string): string | undefined =>
  interfaces_info.flatMap(({ fixed_ips }) => fixed_ips).find(({ subnet_id }) => subnet_id === subnetId)?.ip_address

/**
 * Finds the router through which an address in a subnet can use a floating IP from an external network, or the reason
 * why there is none. Guests send replies to their subnet's gateway, so the router with that address is preferred. If
 * there is a reason, the returned router is the one that does not meet the requirements.
 *
 * @param subnet - subnet of the address, with its gateway
 */
export function routerForFloatingIp<Found extends Way>(
  subnet: { id: string; gateway_ip: string | null },
  externalNetworkId: string,
  routers: readonly Found[],
): { router: Found | null; reason: FloatingIpTarget['reason'] } {
  const isGateway = (router: Found) => addressIn(router, subnet.id) === subnet.gateway_ip
  const behind = routers
    .filter((router) => addressIn(router, subnet.id) !== undefined)
    .toSorted((one, other) => Number(isGateway(other)) - Number(isGateway(one)))
  const router = behind.find((it) => it.external_gateway_info?.network_id === externalNetworkId)
  if (router) return { router, reason: null }
  const [nearest] = behind
  if (!nearest) return { router: null, reason: 'no_router' }
  const leadsElsewhere = nearest.external_gateway_info !== null
  return { router: nearest, reason: leadsElsewhere ? 'other_external_network' : 'router_without_gateway' }
}
