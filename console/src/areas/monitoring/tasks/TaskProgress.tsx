import { taskIsOver, type Task } from '@mainstay/contract/core/tasks'
import { ProgressBar } from '../../../ui/feedback/ProgressBar'

/** Progress of a running task, or a dash once it has finished. */
export function TaskProgress({ task, label }: { task: Task; label: string }) {
  if (taskIsOver(task.state)) return '–'
  return <ProgressBar isBare label={label} share={task.progress > 0 ? task.progress / 100 : null} />
}
