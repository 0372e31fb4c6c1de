import type { LoadBalancerFlavor, LoadBalancerFlavorProfile } from '@mainstay/contract/load-balancing/flavors'
import { topologies, type Topology } from '@mainstay/contract/load-balancing/load-balancers'
import { namedId } from '../../ports/named-id'
import type { RecordsTransaction } from '../../ports/records'

const flavors: Record<Topology, { name: string; description: string }> = {
  SINGLE: { name: 'single', description: 'One process, restarted after a failure' },
  ACTIVE_STANDBY: { name: 'active-standby', description: 'Two processes: one takes over if the other fails' },
}
export const flavorIdOf = (topology: Topology) => namedId(`load balancer flavor ${flavors[topology].name}`)

/**
 * Creates the load balancer flavors of this host. The flavor for pairs is disabled if addresses cannot move between
 * processes.
 */
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
