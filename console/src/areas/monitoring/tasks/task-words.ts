import type { Task, TaskState } from '@mainstay/contract/core/tasks'
import { catalogueNow, type Key } from '../../../i18n/catalogues'
import type { Translate } from '../../../i18n/use-t'
import { taskTitle } from '../../../notices/task-notices'
import type { Status } from '../../../patterns/table/columns'
import type { Tone } from '../../../ui/tone'

// English has every text that there is, and is loaded whatever the language.
const hasText = (key: string) => key in (catalogueNow('en', 'tasks') ?? {})

/** "Creating virtual machine “web-1”". */
export const taskText = (task: Task, t: Translate<'tasks'>) => taskTitle(task, t, hasText)

const states: Readonly<Record<TaskState, readonly [Tone, Key<'tasks'>]>> = {
  starting: ['busy', 'list.starting'],
  running: ['busy', 'list.running'],
  cancelling: ['busy', 'list.cancelling'],
  paused: ['warn', 'list.paused'],
  success: ['ok', 'list.success'],
  failed: ['bad', 'list.failed'],
  cancelled: ['idle', 'list.cancelled'],
}

export function taskStatus({ state }: Pick<Task, 'state'>, t: Translate<'tasks'>): Status {
  const [tone, key] = states[state]
  return { tone, text: t(key) }
}

/** What a task is done to, as far as its arguments tell. */
export function subjectOf({ args: [first] }: Pick<Task, 'args'>): { kind: string; id: string; name: string } | null {
  if (typeof first !== 'object' || first === null) return null
  const { kind, id, name } = first as Record<string, unknown>
  if (typeof kind !== 'string' || typeof id !== 'string') return null
  return { kind, id, name: typeof name === 'string' ? name : id }
}
