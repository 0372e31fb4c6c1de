import { computeNodeKind, type ComputeNode } from '@mainstay/contract/compute/nodes'
import { MAX_LIMIT } from '@mainstay/contract/core/lists/paging'
import { notFound, problem } from '@mainstay/contract/core/problems'
import { CLUSTER_ID, type Cluster } from '@mainstay/contract/infrastructure/clusters'
import { serverScope } from '../../tasks/server-scope'
import type { Tools } from '../../tools'

/** Whether an engine serves storage, or a Ceph cluster is attached. */
export const hasCluster = ({ areas, ceph }: Pick<Tools, 'areas' | 'ceph'>): boolean =>
  areas.storage.engine !== null || areas['object-storage'].engine !== null || ceph !== null

/**
 * The storage clusters: one, or none if nothing stores data. Lists no more than one page of nodes. Clients that
 * require all nodes list the compute nodes.
 */
export async function storageClusters(tools: Tools): Promise<Cluster[]> {
  if (!hasCluster(tools)) return []
  const { data } = await tools.inventory.list<ComputeNode>(computeNodeKind, serverScope, { limit: MAX_LIMIT })
  return [{ id: CLUSTER_ID, name: CLUSTER_ID, nodes: data.map(({ id, host }) => ({ id, host })) }]
}

/**
 * Checks the cluster that a path names. Throws `no_cluster` if there is no storage cluster, and `not_found` if the path
 * names another one.
 */
export function requireCluster(tools: Pick<Tools, 'areas' | 'ceph'>, id: string): void {
  if (!hasCluster(tools)) throw problem('infrastructure.no_cluster')
  if (id !== CLUSTER_ID) throw notFound()
}
