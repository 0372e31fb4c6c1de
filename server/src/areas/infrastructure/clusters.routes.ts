import { computeNodeKind, type ComputeNode } from '@mainstay/contract/compute/nodes'
import { MAX_LIMIT } from '@mainstay/contract/core/lists/paging'
import { CLUSTER_ID, clusters } from '@mainstay/contract/infrastructure/clusters'
import { serve } from '../../http/serve'

export const clusterRoutes = serve(
  clusters,
  {
    /** Lists no more than one page of nodes. Clients that require all nodes list the compute nodes. */
    async list({ scope }, { inventory }) {
      const { data } = await inventory.list<ComputeNode>(computeNodeKind, scope, { limit: MAX_LIMIT })
      return [{ id: CLUSTER_ID, name: CLUSTER_ID, nodes: data.map(({ id, host }) => ({ id, host })) }]
    },
  },
  { about: 'cluster' },
)
