import { loadBalancingService } from '@mainstay/contract/load-balancing/load-balancing-service'
import { resources } from '@mainstay/contract/resources'
import { serve } from '../../http/serve'
import { servePlain, serveResource } from '../../http/serve-resource'
import { module } from '../../module'

const loadBalancerRoutes = serveResource(
  resources.loadBalancers,
  ({ ports }) => ports['load-balancing'].loadBalancers,
  {
    recreate: ({ scope, params }, { ports }) => ports['load-balancing'].loadBalancers.recreate(scope, params.id),
    failover: ({ scope, params }, { ports }) => ports['load-balancing'].loadBalancers.failover(scope, params.id),
    stats: ({ scope, params }, { ports }) => ports['load-balancing'].loadBalancers.stats(scope, params.id),
  },
)

const serviceRoutes = serve(loadBalancingService, {
  view: async (_, { areas, ports, capabilities }) => {
    const { engine, advice } = areas['load-balancing']
    return {
      capabilities: capabilities['load-balancing'],
      unavailable: engine ? ports['load-balancing'].unavailable() : advice,
    }
  },
})

export const loadBalancingModule = module({
  routes: [servePlain('load-balancing', ({ ports }) => ports['load-balancing']), loadBalancerRoutes, serviceRoutes],
})
