import type { Task, TaskState } from '@mainstay/contract/core/tasks'
import type { Key } from '../../../i18n/catalogues'
import type { Translate } from '../../../i18n/use-t'
import { subjectOf } from '../../../notices/task-words'
import type { Status } from '../../../patterns/table/columns'
import type { Tone } from '../../../ui/tone'

const states: Readonly<Record<TaskState, readonly [Tone, Key<'tasks'>]>> = {
  starting: ['busy', 'list.starting'],
  running: ['busy', 'list.running'],
  cancelling: ['busy', 'list.cancelling'],
  paused: ['warn', 'list.paused'],
  success: ['ok', 'list.success'],
  failed: ['bad', 'list.failed'],
  cancelled: ['idle', 'list.cancelled'],
}

/** The page of a task; that of a run over many objects says more. */
export function taskPath(task: Pick<Task, 'id' | 'name' | 'args'>): string {
  const subject = task.name === 'bulk.run' ? subjectOf(task) : null
  return subject ? `/tasks/runs/${encodeURIComponent(subject.id)}` : `/tasks/${encodeURIComponent(task.id)}`
}

export function taskStatus({ state }: Pick<Task, 'state'>, t: Translate<'tasks'>): Status {
  const [tone, key] = states[state]
  return { tone, text: t(key) }
}
