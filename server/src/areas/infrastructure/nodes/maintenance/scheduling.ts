import type { ComputeNode } from '@mainstay/contract/compute/nodes'
import { Problem } from '@mainstay/contract/core/problems'
import type { Scope } from '@mainstay/engines/ports/scope'
import type { Tools } from '../../../../tools'
import { changeRecord, recordOf } from '../node-record'

type SchedulingTools = Pick<Tools, 'inventory' | 'areas' | 'ports'>

const REASON = 'Maintenance'

/**
 * Stops the placement of new virtual machines on a node. The embedded engine checks the maintenance state of its host
 * when it places a virtual machine; a cloud has to be told. A node that someone else has fenced is not changed, and
 * stays fenced afterwards.
 */
export async function closeNode({ inventory, areas, ports }: SchedulingTools, scope: Scope, id: string): Promise<void> {
  if (!areas.compute.engine?.feed) return
  const closes = await inventory.transaction(async (tx) => {
    const node = await tx.get<ComputeNode>('compute_node', id)
    const { maintenance } = await recordOf(tx, id)
    if (!maintenance || node?.state !== 'up' || node.fenced_reason !== null) return false
    // recorded first, so that the node is reopened in any case
    await changeRecord(tx, id, { maintenance: { ...maintenance, is_closed: true } })
    return true
  })
  if (closes) await ports.compute.nodes.fence(scope, id, REASON, { keepsMachines: true })
}

/** Allows the cloud to place virtual machines on the node again, if maintenance had stopped this. */
export async function openNode({ inventory, ports }: SchedulingTools, scope: Scope, id: string): Promise<void> {
  const { maintenance } = await inventory.transaction((tx) => recordOf(tx, id))
  if (!maintenance?.is_closed) return
  await ports.compute.nodes.unfence(scope, id).catch((error: unknown) => {
    // someone else has already reopened or removed the node
    if (!(error instanceof Problem && ['invalid_state', 'not_found'].includes(error.code))) throw error
  })
  await inventory.transaction(async (tx) => {
    const { maintenance: kept } = await recordOf(tx, id)
    if (kept) await changeRecord(tx, id, { maintenance: { ...kept, is_closed: false } })
  })
}
