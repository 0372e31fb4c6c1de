import type { ComputeNode } from '@mainstay/contract/compute/nodes'
import { thisNodeId } from '../../../ports/named-id'
import type { RecordsTransaction } from '../../../ports/records'
import type { Engine } from '../../engine'
import { computeNodeRow } from '../../rows/compute-node'

/**
 * Writes the current facts about this host to its row. The row keeps its placements, its state and the reason why it is
 * fenced.
 */
export async function noteThisNode({ hypervisor: { host } }: Engine, tx: RecordsTransaction): Promise<void> {
  await tx.exclusive('host')
  const before = await tx.lock<ComputeNode>('compute_node', thisNodeId)
  const row = computeNodeRow(host, { id: thisNodeId, host: host.hostname })
  await tx.put('compute_node', {
    ...row,
    traits: before?.traits ?? row.traits,
    state: before?.state ?? row.state,
    fenced_reason: before?.fenced_reason ?? row.fenced_reason,
    roles: before?.roles ?? row.roles,
    hypervisor: { ...row.hypervisor, status: before?.hypervisor.status ?? row.hypervisor.status },
  })
}
