import type { Task, TaskState } from '@mainstay/contract/core/tasks'
import type { Key } from '../../i18n/catalogues'
import type { Translate } from '../../i18n/use-t'
import { subjectOf } from '../../notices/task-words'
import type { Status } from '../table/columns'
import type { Tone } from '../../ui/tone'

const states: Readonly<Record<TaskState, readonly [Tone, Key<'tasks'>]>> = {
  starting: ['busy', 'list.starting'],
  running: ['busy', 'list.running'],
  cancelling: ['busy', 'list.cancelling'],
  paused: ['warn', 'list.paused'],
  success: ['ok', 'list.success'],
  failed: ['bad', 'list.failed'],
  cancelled: ['idle', 'list.cancelled'],
}

/** Path to a task's page. Bulk runs have their own page with more details. */
export function taskPath(task: Pick<Task, 'id' | 'name' | 'args'>): string {
  const subject = task.name === 'bulk.run' ? subjectOf(task) : null
  return subject ? `/tasks/runs/${encodeURIComponent(subject.id)}` : `/tasks/${encodeURIComponent(task.id)}`
}

/** Status of a task. A task with an open question is paused in the API, but shown as waiting for the user. */
export function taskStatus(
  { state, question }: Pick<Task, 'state'> & Partial<Pick<Task, 'question'>>,
  t: Translate<'tasks'>,
): Status {
  const [tone, key] = question ? (['warn', 'list.waitsForYou'] as const) : states[state]
  return { tone, text: t(key) }
}
