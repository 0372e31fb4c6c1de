import { computeNodeKind, type ComputeNode } from '@mainstay/contract/compute/nodes'
import { MAX_LIMIT } from '@mainstay/contract/core/lists/paging'
import { notFound, problem } from '@mainstay/contract/core/problems'
import { CLUSTER_ID, type Cluster } from '@mainstay/contract/infrastructure/clusters'
import { serverScope } from '../../tasks/server-scope'
import type { Tools } from '../../tools'

const hasStorage = (areas: Tools['areas']): boolean =>
  areas.storage.engine !== null || areas['object-storage'].engine !== null

/**
 * The storage clusters: one, or none if no engine serves storage. Lists no more than one page of nodes. Clients that
 * require all nodes list the compute nodes.
 */
export async function storageClusters({ inventory, areas }: Tools): Promise<Cluster[]> {
  if (!hasStorage(areas)) return []
  const { data } = await inventory.list<ComputeNode>(computeNodeKind, serverScope, { limit: MAX_LIMIT })
  return [{ id: CLUSTER_ID, name: CLUSTER_ID, nodes: data.map(({ id, host }) => ({ id, host })) }]
}

/** Throws `no_cluster` if there is no storage cluster, and `not_found` if a path names another one. */
export function requireCluster({ areas }: Pick<Tools, 'areas'>, id: string): void {
  if (!hasStorage(areas)) throw problem('infrastructure.no_cluster')
  if (id !== CLUSTER_ID) throw notFound()
}
