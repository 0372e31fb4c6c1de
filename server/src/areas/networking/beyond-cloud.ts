import { isInRange, parseAddress, parseRange } from '@mainstay/contract/networking/addresses'
import type { ReachExplanation } from '@mainstay/engines/network-model/reach/types'
import type { NetworkRows } from '@mainstay/engines/networking/compile-wanted'

/* Networks that belong to a cloud's infrastructure can contain hosts and routers that the cloud does not know. */

/** Whether only the cloud's infrastructure determines what happens to traffic at this obstacle. */
export function isBeyondCloud({ obstacle, steps }: ReachExplanation, rows: NetworkRows): boolean {
  if (!obstacle) return false
  const infrastructure = rows.networks.filter(
    ({ router_external, physical_network }) => router_external || physical_network !== null,
  )
  const isThere = (networkId: string) => infrastructure.some(({ id }) => id === networkId)
  switch (obstacle.kind) {
    case 'edge_closed':
    case 'no_uplink':
    // the infrastructure may also route private addresses
    case 'no_outside_address':
      return true
    case 'nobody':
      // the cloud knows all its floating IPs, so the result is certain
      return (
        isThere(obstacle.networkId) &&
        !rows.floating.some(({ floating_ip_address }) => floating_ip_address === obstacle.address)
      )
    case 'gateway_unanswered':
      return isThere(obstacle.networkId)
    case 'no_way_back':
      return isThere(obstacle.at)
    case 'nexthop_unanswered': {
      const router = rows.routers.find(({ id }) => id === obstacle.routerId)
      const legs = [
        ...(router?.interfaces_info ?? []),
        ...(router?.external_interface ? [router.external_interface] : []),
      ]
      const near = infrastructure.filter(({ id }) => legs.some(({ network_id }) => network_id === id))
      const hop = parseAddress(obstacle.nexthop)
      return hop !== null && near.some(({ subnets }) => subnets.some(({ cidr }) => isInRange(hop, parseRange(cidr)!)))
    }
    case 'not_served':
      // the gateway of an external network is a router in the infrastructure
      return steps.at(-1)?.kind === 'edge'
    default:
      return false
  }
}
