import type { ComputeNode } from '@mainstay/contract/compute/nodes'
import type { RecordsTransaction } from '../../ports/records'
import type { Engine } from '../engine'
import { thisNodeId } from '../../ports/named-id'

/** Updates the row of this host, keeping its placements. */
export async function noteThisNode({ hypervisor: { host } }: Engine, tx: RecordsTransaction): Promise<void> {
  await tx.exclusive('host')
  const before = await tx.lock<ComputeNode>('compute_node', thisNodeId)
  await tx.put('compute_node', {
    id: thisNodeId,
    host: host.hostname,
    host_ip: null,
    state: 'up',
    hypervisor: { status: 'enabled', hypervisor_type: host.hypervisor },
    traits: before?.traits ?? [],
  } satisfies ComputeNode)
}
