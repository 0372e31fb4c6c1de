import { badField } from '@mainstay/contract/core/problems'
import type { LoadBalancerDraft } from '@mainstay/contract/load-balancing/load-balancers'
import { isInRange, parseAddress, parseRange } from '@mainstay/contract/networking/addresses'
import type { Network } from '@mainstay/contract/networking/networks'
import type { Subnet } from '@mainstay/contract/networking/subnets'

/** The subnet of the network that an address is to be of. */
export function subnetFor(
  network: Network,
  { ip_version, address }: Pick<LoadBalancerDraft, 'ip_version' | 'address'>,
): Subnet {
  const asked = address ? parseAddress(address) : null
  if (asked && asked.version !== ip_version) throw badField('address', `Use an address of IPv${ip_version}`)
  const ofVersion = network.subnets.filter((subnet) => subnet.ip_version === ip_version)
  const [first] = ofVersion
  if (!first) {
    const message = `This network manages no addresses of IPv${ip_version}: choose one that does`
    throw badField('network_id', message, 'no_free_addresses')
  }
  const subnet = asked ? ofVersion.find(({ cidr }) => isInRange(asked, parseRange(cidr)!)) : first
  if (!subnet) throw badField('address', `Use an address of ${ofVersion.map(({ cidr }) => cidr).join(' or ')}`)
  return subnet
}
