import * as z from 'zod'
import { crud } from '../core/crud'
import { endpoints } from '../core/endpoint'
import { kind } from '../core/kind'
import { topologies } from './load-balancers'

/** A flavor profile: provider and topology of load balancers (S2§3). */
export const LoadBalancerFlavorProfile = z.object({
  id: z.string(),
  name: z.string(),
  provider_name: z.string(),
  flavor_data: z.object({ loadbalancer_topology: z.enum(topologies) }),
})
export type LoadBalancerFlavorProfile = z.infer<typeof LoadBalancerFlavorProfile>

/** A named flavor of load balancers, based on a profile (S2§3). */
export const LoadBalancerFlavor = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  enabled: z.boolean(),
  flavor_profile_id: z.string(),
})
export type LoadBalancerFlavor = z.infer<typeof LoadBalancerFlavor>

const permissions = { collection: 'compute_lb_flavors', item: 'compute_lb_flavors' } as const

export const lbFlavorKind = kind({
  name: 'lb_flavor',
  entity: LoadBalancerFlavor,
  visibility: 'global',
  filters: ['id', 'name', 'enabled', 'flavor_profile_id'],
  sortKeys: ['name'],
  permissions,
})
export const lbFlavorProfileKind = kind({
  name: 'lb_flavor_profile',
  entity: LoadBalancerFlavorProfile,
  visibility: 'global',
  filters: ['id', 'name', { name: 'loadbalancer_topology', path: 'flavor_data.loadbalancer_topology', type: 'id' }],
  sortKeys: ['name'],
  permissions,
})

export const lbFlavors = endpoints(
  crud(lbFlavorKind, {
    path: '/api/v2/compute/lbaas/flavors',
    called: ['a load balancer flavor', 'load balancer flavors'],
  }),
)
export const lbFlavorProfiles = endpoints(
  crud(lbFlavorProfileKind, {
    path: '/api/v2/compute/lbaas/flavorprofiles',
    called: ['a load balancer flavor profile', 'load balancer flavor profiles'],
  }),
)
