import type { ComputeNode } from '@mainstay/contract/compute/nodes'
import { Problem } from '@mainstay/contract/core/problems'
import type { Scope } from '@mainstay/engines/ports/scope'
import type { Tools } from '../../../../tools'
import { changeRecord, recordOf } from '../node-record'

type SchedulingTools = Pick<Tools, 'inventory' | 'areas' | 'ports'>

const REASON = 'Maintenance'

/**
 * Stops the placing of new machines on a node. The own engine asks for the maintenance of its host itself; a cloud is
 * told. A node that someone else has fenced stays as it is, and stays fenced afterwards.
 */
export async function closeNode({ inventory, areas, ports }: SchedulingTools, scope: Scope, id: string): Promise<void> {
  if (!areas.compute.engine?.feed) return
  const closes = await inventory.transaction(async (tx) => {
    const node = await tx.get<ComputeNode>('compute_node', id)
    const { maintenance } = await recordOf(tx, id)
    if (!maintenance || node?.state !== 'up' || node.fenced_reason !== null) return false
    // noted before, so that the node is opened again whatever happens
    await changeRecord(tx, id, { maintenance: { ...maintenance, is_closed: true } })
    return true
  })
  if (closes) await ports.compute.nodes.fence(scope, id, REASON, { keepsMachines: true })
}

/** Lets the cloud place machines on the node again, if maintenance has stopped it. */
export async function openNode({ inventory, ports }: SchedulingTools, scope: Scope, id: string): Promise<void> {
  const { maintenance } = await inventory.transaction((tx) => recordOf(tx, id))
  if (!maintenance?.is_closed) return
  await ports.compute.nodes.unfence(scope, id).catch((error: unknown) => {
    // someone else has opened or removed it
    if (!(error instanceof Problem && ['invalid_state', 'not_found'].includes(error.code))) throw error
  })
  await inventory.transaction(async (tx) => {
    const { maintenance: kept } = await recordOf(tx, id)
    if (kept) await changeRecord(tx, id, { maintenance: { ...kept, is_closed: false } })
  })
}
