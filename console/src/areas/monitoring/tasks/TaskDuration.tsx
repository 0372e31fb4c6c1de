import type { Task } from '@mainstay/contract/core/tasks'
import { useFormat } from '../../../i18n/use-format'
import { useNow } from '../../../lib/use-now'

/** How long a task took or, while it is running, the time since it started. */
export function TaskDuration({ task }: { task: Task }) {
  const format = useFormat()
  const now = useNow()
  const end = task.finished_at === null ? Math.max(now, Date.parse(task.updated_at)) : Date.parse(task.finished_at)
  return <bdi>{format.duration(Math.max(0, end - Date.parse(task.created_at)))}</bdi>
}
