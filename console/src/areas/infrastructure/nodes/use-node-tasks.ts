import { useEffect } from 'react'
import { taskIsOver, taskKind, type Task } from '@mainstay/contract/core/tasks'
import { nodes } from '@mainstay/contract/infrastructure/nodes'
import { onChange } from '../../../api/changes'
import { refresh } from '../../../api/use-call'

const isOfNodes = ({ name }: Task) => name.startsWith('node.')

/** Reloads nodes whenever a task on a node ends, while the page is open. */
export function useNodeTasks(): void {
  useEffect(
    () =>
      onChange(taskKind.name, ({ entity }) => {
        const task = entity as unknown as Task | null
        if (task && isOfNodes(task) && taskIsOver(task.state)) void refresh([nodes.list, nodes.view])
      }),
    [],
  )
}
