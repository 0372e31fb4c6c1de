import type { ComputeNodeState } from '@mainstay/contract/compute/node-rules'
import type { JobHandler } from '../../../ports/records'
import type { Engine } from '../../engine'
import { lockNode } from './commands'

/**
 * Returns the handlers of the tasks that add nodes to compute and release them. A failed release leaves the node in
 * use.
 */
export const nodeJobs = (engine: Engine): Record<string, JobHandler> => {
  const { otherNodes } = engine.hypervisor
  const settle = (id: string, state: ComputeNodeState) =>
    engine.records.transaction(async (tx) => {
      const node = await lockNode(tx, id)
      const status = state === 'up' && node.fenced_reason === null ? 'enabled' : 'disabled'
      await tx.put('compute_node', { ...node, state, hypervisor: { ...node.hypervisor, status } })
    })
  const job = (
    work: (host: string) => Promise<void>,
    done: ComputeNodeState,
    failed: ComputeNodeState,
  ): JobHandler => ({
    async run({ subject: { id, name } }) {
      await work(name)
      await settle(id, done)
      return { id }
    },
    onFailure: ({ subject: { id } }) => settle(id, failed),
  })
  const nothing = async () => undefined
  return {
    'compute.node.join': job((host) => otherNodes?.join(host) ?? nothing(), 'up', 'released'),
    'compute.node.release': job((host) => otherNodes?.release(host) ?? nothing(), 'released', 'up'),
    // this host needs no preparation
    'compute.cluster.create': job(nothing, 'up', 'released'),
    'compute.cluster.delete': job(nothing, 'released', 'up'),
  }
}
