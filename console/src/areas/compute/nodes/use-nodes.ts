import { useEffect } from 'react'
import type { ComputeNodeStatistics } from '@mainstay/contract/compute/node-statistics'
import { computeNodeKind, computeNodes, type ComputeNode } from '@mainstay/contract/compute/nodes'
import { MAX_LIMIT } from '@mainstay/contract/core/lists/paging'
import { taskIsOver, type Task } from '@mainstay/contract/core/tasks'
import { onChange } from '../../../api/changes'
import { refresh } from '../../../api/use-call'
import { useList } from '../../../api/use-list'
import { useView } from '../../../api/use-view'

/** Polling interval of statistics, which change without an event. */
const everyMs = 30_000

export interface NodeFigures {
  machines: number
  statistics: ComputeNodeStatistics | null
}

/** Number of machines and statistics of all nodes by ID. Rows in lists do not contain them. */
export function useNodeFigures(): ReadonlyMap<string, NodeFigures> {
  const { data } = useView(computeNodes.list, {}, { query: { with_stats: true, limit: MAX_LIMIT }, everyMs })
  return new Map(
    data?.data.map(({ id, hypervisor, statistics }: ComputeNode) => [id, { machines: hypervisor.vms, statistics }]),
  )
}

export const useNodes = () => useList(computeNodes.list, computeNodeKind, { stateIn: 'memory', limit: MAX_LIMIT })

const tasksOfNodes = ['compute.node.join', 'compute.node.release', 'node.maintenance.enter', 'node.maintenance.exit']

export const reloadNodes = () => refresh([computeNodes.list, computeNodes.view])

/** Reloads the nodes when a task of any user has ended that adds or releases nodes, or changes their maintenance (S2§4). */
export function useReloadAfterNodeTasks(): void {
  useEffect(
    () =>
      onChange('task', ({ entity }) => {
        const task = entity as Task | null | undefined
        if (task && tasksOfNodes.includes(task.name) && taskIsOver(task.state)) void reloadNodes()
      }),
    [],
  )
}
