import { useEffect } from 'react'
import { computeNodeKind, computeNodes } from '@mainstay/contract/compute/nodes'
import { MAX_LIMIT } from '@mainstay/contract/core/lists/paging'
import { taskIsOver, taskKind, type Task } from '@mainstay/contract/core/tasks'
import { onChange } from '../../../api/changes'
import { refresh } from '../../../api/use-call'
import { useView } from '../../../api/use-view'

/** Polling interval for statistics, because no event reports their changes. */
const everyMs = 30_000

/** All nodes with their statistics. */
export const useNodes = () =>
  useView(
    computeNodes.list,
    {},
    { query: { with_stats: true, limit: MAX_LIMIT }, everyMs, madeOf: [computeNodeKind.name] },
  )

/** One node with its statistics. */
export const useNode = (id: string) =>
  useView(computeNodes.view, { id }, { query: { with_stats: true }, everyMs, madeOf: [computeNodeKind.name] })

const tasksOfNodes = ['compute.node.join', 'compute.node.release', 'node.maintenance.enter', 'node.maintenance.exit']

export const reloadNodes = () => refresh([computeNodes.list, computeNodes.view])

/**
 * Reloads the nodes whenever a task ends that adds or releases nodes or changes their maintenance, regardless of which
 * user started it (S2§4).
 */
export function useReloadAfterNodeTasks(): void {
  useEffect(
    () =>
      onChange(taskKind.name, ({ entity }) => {
        const task = entity as unknown as Task | null | undefined
        if (task && tasksOfNodes.includes(task.name) && taskIsOver(task.state)) void reloadNodes()
      }),
    [],
  )
}
