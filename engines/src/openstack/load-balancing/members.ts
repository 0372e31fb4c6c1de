import { fieldProblem } from '@mainstay/contract/core/problems'
import { isInRange, parseAddress, parseRange } from '@mainstay/contract/networking/addresses'
import type { Network } from '@mainstay/contract/networking/networks'
import type { Router } from '@mainstay/contract/networking/routers'
import type { Subnet } from '@mainstay/contract/networking/subnets'
import type { Engine } from '../engine'
import { abilitiesOf } from './providers'
import type { WantedMember } from './pools/wanted'

interface Place {
  network_id: string
  project_id: string
  provider?: string | undefined
}

/**
 * Returns the subnets of the load balancer's network, and of the networks that the project's routers connect to it,
 * from the index.
 */
async function subnetsAround({ records }: Pick<Engine, 'records'>, { network_id, project_id }: Place) {
  return records.transaction(async (tx) => {
    const own = (await tx.get<Network>('network', network_id))?.subnets ?? []
    const routers = await tx.find<Router & { [field: string]: unknown }>('router', { project_id })
    const connected = routers.filter(({ interfaces_info }) =>
      interfaces_info.some((it) => it.network_id === network_id),
    )
    const behind = new Set(connected.flatMap(({ interfaces_info }) => interfaces_info.map((it) => it.network_id)))
    behind.delete(network_id)
    const others: Subnet[] = []
    for (const id of behind) others.push(...((await tx.get<Network>('network', id))?.subnets ?? []))
    return { own, others }
  })
}

/**
 * Adds the subnet of each member. A provider that forwards packets itself, such as OVN, requires the subnets of all
 * members; other providers reach addresses outside the load balancer's network through the router. Throws a
 * `lb_member_unreachable` error on the member's field.
 */
export async function withSubnets(
  engine: Pick<Engine, 'records'>,
  place: Place,
  members: readonly WantedMember[],
  at = '',
): Promise<WantedMember[]> {
  if (members.length === 0) return []
  const { own, others } = await subnetsAround(engine, place)
  // providers that do not support weights forward packets instead of proxying connections
  const needsSubnet = !abilitiesOf(place.provider ?? '').weights
  const subnets = needsSubnet ? [...own, ...others] : own
  return members.map((member, index) => {
    const address = parseAddress(member.address)!
    const subnet = subnets.find(({ cidr }) => isInRange(address, parseRange(cidr)!))
    if (!subnet && needsSubnet) {
      const ranges = subnets.slice(0, 5).map(({ cidr }) => cidr)
      throw fieldProblem(`${at}members.${index}.address`, 'loadBalancing.member_unreachable', {
        ranges: ranges.join(' or '),
      })
    }
    return { ...member, ...(subnet && { subnet_id: subnet.id }) }
  })
}
