import { quota } from '../compute/quotas'
import { area, capabilities } from '../core/area'
import { lbFlavorKind, lbFlavorProfileKind, lbFlavorProfiles, lbFlavors } from './flavors'
import { loadBalancerKind, loadBalancers } from './load-balancers'
import { LoadBalancingCapabilities, loadBalancingService } from './load-balancing-service'
import { loadBalancerPools, poolKind } from './pools'
import { loadBalancingTolerances } from './tolerances'

export const loadBalancingArea = area({
  name: 'load-balancing',
  title: 'load balancers',
  engine: {
    needs: ['networking'],
    capabilities: capabilities(LoadBalancingCapabilities, {
      load_balancers: false,
      high_availability: false,
      protocols: [],
      algorithms: [],
      udp_algorithms: [],
      tls_termination: false,
      providers: [],
    }),
    quotas: {
      loadbalancer: quota({
        of: 'load_balancer',
        unit: 'things',
        at: 'lbaas.loadbalancer',
        words: 'load balancers',
      }),
    },
  },
  resources: {
    loadBalancers: { kind: loadBalancerKind, calls: loadBalancers },
    loadBalancerPools: { kind: poolKind, calls: loadBalancerPools },
    lbFlavors: { kind: lbFlavorKind, calls: lbFlavors },
    lbFlavorProfiles: { kind: lbFlavorProfileKind, calls: lbFlavorProfiles },
    loadBalancingService: { calls: loadBalancingService },
  },
  tolerances: loadBalancingTolerances,
})
