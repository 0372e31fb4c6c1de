import { whyNodeCannotBeFenced, whyNodeCannotJoin, whyNodeStays } from '@mainstay/contract/compute/node-membership'
import type { ComputeNode } from '@mainstay/contract/compute/nodes'
import { notFound, problem, problemOf } from '@mainstay/contract/core/problems'
import type { RuleText } from '@mainstay/contract/core/said'
import type { ComputeNodesPort } from '../../../ports/compute'
import { thisNodeId } from '../../../ports/named-id'
import type { RecordsTransaction } from '../../../ports/records'
import type { Scope } from '../../../ports/scope'
import type { Engine } from '../../engine'
import { nodeStatistics } from './statistics'

/** Maximum number of machines that are counted for an error message. */
const mostCounted = 1000

const machinesOn = async (tx: RecordsTransaction, host: string): Promise<number> =>
  (await tx.find('server', { host }, mostCounted)).length

/** Locks a node. No instance can be placed until the transaction ends. */
export async function lockNode(tx: RecordsTransaction, id: string): Promise<ComputeNode> {
  await tx.exclusive('host')
  const node = await tx.lock<ComputeNode>('compute_node', id)
  if (!node) throw notFound()
  return node
}

/** Sets the state that a node has until its task ends, and starts the task. Returns the task ID. */
async function beginNodeTask(
  tx: RecordsTransaction,
  node: ComputeNode,
  task: { name: string; scope: Scope; event: string | null },
): Promise<string> {
  await tx.put('compute_node', node)
  const subject = { kind: 'compute_node', id: node.id, name: node.host }
  return tx.startJob({ ...task, subject, args: {} })
}

/**
 * This engine runs machines on one host. Only the simulated hypervisor has additional nodes, and these run no machines.
 */
export const nodeCommands = (engine: Engine): ComputeNodesPort => {
  const { records, hypervisor } = engine

  const change = (
    scope: Scope,
    id: string,
    {
      name,
      begun,
      check,
      event,
    }: {
      name: string
      /** Fields of the node that change when the task starts. */
      begun: Partial<ComputeNode>
      check(node: ComputeNode, machines: number): RuleText | null
      event: string | null
    },
  ) =>
    records.transaction(async (tx) => {
      const node = await lockNode(tx, id)
      if (!hypervisor.otherNodes) throw problem('compute.node_only_one')
      const refusal = check(node, await machinesOn(tx, node.host))
      if (refusal) throw problemOf(refusal)
      const changed = { ...node, ...begun }
      await beginNodeTask(tx, changed, { name, scope, event })
      return changed
    })

  return {
    join: (scope, id, { roles, event }) =>
      change(scope, id, {
        ...{ name: 'compute.node.join', begun: { state: 'joining', roles }, check: whyNodeCannotJoin, event },
      }),
    release: (scope, id, { event }) =>
      change(scope, id, {
        ...{ name: 'compute.node.release', begun: { state: 'releasing' }, check: whyNodeStays, event },
      }),
    fence: (_, id, reason, { keepsMachines } = { keepsMachines: false }) =>
      records.transaction(async (tx) => {
        const node = await lockNode(tx, id)
        // machines cannot move to another host
        const refusal = whyNodeCannotBeFenced(node, keepsMachines ? 0 : await machinesOn(tx, node.host))
        if (refusal) throw problemOf(refusal)
        return put(tx, { ...node, fenced_reason: reason, hypervisor: { ...node.hypervisor, status: 'disabled' } })
      }),
    unfence: (_, id) =>
      records.transaction(async (tx) => {
        const node = await lockNode(tx, id)
        if (node.fenced_reason === null) throw problem('compute.node_not_fenced', { node: node.host })
        return put(tx, { ...node, fenced_reason: null, hypervisor: { ...node.hypervisor, status: 'enabled' } })
      }),
    statistics: nodeStatistics(engine),
    async createCluster(scope, nodes) {
      return records.transaction(async (tx) => {
        const node = await lockNode(tx, thisNodeId)
        if (nodes.some((id) => id !== node.id)) throw problem('compute.node_only_one')
        if (node.state !== 'released') throw problem('compute.cluster_exists')
        return beginNodeTask(tx, { ...node, state: 'joining' }, { name: 'compute.cluster.create', scope, event: null })
      })
    },
    async deleteCluster(scope) {
      return records.transaction(async (tx) => {
        const node = await lockNode(tx, thisNodeId)
        if (node.state === 'released') throw problem('compute.cluster_is_absent')
        const [servers, volumes] = [await tx.sum('server', null), await tx.sum('volume', null)]
        if (servers + volumes > 0) throw problem('compute.cluster_has_machines', { servers, volumes })
        const refusal = whyNodeStays(node, 0)
        if (refusal) throw problemOf(refusal)
        return beginNodeTask(
          tx,
          { ...node, state: 'releasing' },
          { name: 'compute.cluster.delete', scope, event: null },
        )
      })
    },
  }
}

async function put(tx: RecordsTransaction, node: ComputeNode): Promise<ComputeNode> {
  await tx.put('compute_node', node)
  return node
}
