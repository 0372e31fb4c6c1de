import { clusters } from '@mainstay/contract/infrastructure/clusters'
import { serve } from '../../http/serve'
import { storageClusters } from './clusters.service'

export const clusterRoutes = serve(
  clusters,
  {
    list: (_, tools) => storageClusters(tools),
    overview: async ({ scope }, tools) => {
      const found = await storageClusters(tools)
      // only operators may see host names
      return { data: scope.kind === 'system' ? found : found.map((cluster) => ({ ...cluster, nodes: [] })) }
    },
  },
  { about: 'cluster' },
)
