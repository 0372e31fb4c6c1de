import { clusters } from '@mainstay/contract/infrastructure/clusters'
import { serve } from '../../http/serve'
import { storageClusters } from './clusters.service'

export const clusterRoutes = serve(
  clusters,
  {
    list: (_, tools) => storageClusters(tools),
    overview: async ({ scope }, tools) => {
      const found = await storageClusters(tools)
      // names of hosts are for operators only
      return { data: scope.kind === 'system' ? found : found.map((cluster) => ({ ...cluster, nodes: [] })) }
    },
  },
  { about: 'cluster' },
)
