import { fieldProblem, problemOf } from '@mainstay/contract/core/problems'
import type { LoadBalancerDraft } from '@mainstay/contract/load-balancing/load-balancers'
import { isInRange, parseAddress, parseRange } from '@mainstay/contract/networking/addresses'
import type { Network } from '@mainstay/contract/networking/networks'
import type { Subnet } from '@mainstay/contract/networking/subnets'
import { says } from '@mainstay/contract/core/said'

/**
 * Returns the network's subnet that contains the address requested for a load balancer. If no address is requested,
 * returns the network's first subnet of the IP version.
 */
export function subnetFor(
  network: Network,
  { ip_version, address }: Pick<LoadBalancerDraft, 'ip_version' | 'address'>,
): Subnet {
  const asked = address ? parseAddress(address) : null
  if (asked && asked.version !== ip_version)
    throw fieldProblem('address', 'networking.address_version', { version: ip_version })
  const ofVersion = network.subnets.filter((subnet) => subnet.ip_version === ip_version)
  const [first] = ofVersion
  if (!first) {
    const message = says('networking.no_addresses_of_version', { version: ip_version })
    throw problemOf(message, { field: 'network_id' })
  }
  const subnet = asked ? ofVersion.find(({ cidr }) => isInRange(asked, parseRange(cidr)!)) : first
  if (!subnet)
    throw fieldProblem('address', 'networking.addresses_of', { ranges: ofVersion.map(({ cidr }) => cidr).join(' or ') })
  return subnet
}
