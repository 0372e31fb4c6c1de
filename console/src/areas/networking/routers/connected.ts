import type { ConnectedSubnet } from '@mainstay/contract/networking/router-rules'
import type { Router } from '@mainstay/contract/networking/routers'
import type { Subnet } from '@mainstay/contract/networking/subnets'

/** The subnets that a router connects, with the router's addresses in them. Omits subnets that are not in `subnets`. */
export function connectedOf(
  router: Pick<Router, 'interfaces_info'>,
  subnets: readonly Pick<Subnet, 'id' | 'cidr' | 'network_id'>[],
): ConnectedSubnet[] {
  return router.interfaces_info.flatMap(({ network_id, network_name, fixed_ips }) =>
    subnets
      .filter((it) => it.network_id === network_id)
      .map(({ id, cidr }) => ({
        ...{ id, cidr, network_id, network_name },
        addresses: fixed_ips.flatMap(({ subnet_id, ip_address }) => (subnet_id === id ? [ip_address] : [])),
      })),
  )
}
