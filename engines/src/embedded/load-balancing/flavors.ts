import type { LoadBalancerFlavor, LoadBalancerFlavorProfile } from '@mainstay/contract/load-balancing/flavors'
import { topologies, type Topology } from '@mainstay/contract/load-balancing/load-balancers'
import { namedId } from '../../ports/named-id'
import type { RecordsTransaction } from '../../ports/records'

const flavors: Record<Topology, { name: string; description: string }> = {
  SINGLE: { name: 'single', description: 'One process, started again where it falls' },
  ACTIVE_STANDBY: { name: 'active-standby', description: 'Two processes: one takes over where the other falls' },
}
export const flavorIdOf = (topology: Topology) => namedId(`load balancer flavor ${flavors[topology].name}`)

/** What balancers of this machine can be. Where nothing moves an address, the flavor of pairs is there and not enabled. */
export async function ensureBalancerFlavors(tx: RecordsTransaction, hasPairs: boolean): Promise<void> {
  for (const loadbalancer_topology of topologies) {
    const { name, description } = flavors[loadbalancer_topology]
    const profileId = namedId(`load balancer flavor profile ${name}`)
    await tx.put('lb_flavor_profile', {
      ...{ id: profileId, name, provider_name: 'haproxy', flavor_data: { loadbalancer_topology } },
    } satisfies LoadBalancerFlavorProfile)
    await tx.put('lb_flavor', {
      ...{ id: flavorIdOf(loadbalancer_topology), name, description, flavor_profile_id: profileId },
      enabled: loadbalancer_topology === 'SINGLE' || hasPairs,
    } satisfies LoadBalancerFlavor)
  }
}
