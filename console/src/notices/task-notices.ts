import type { Task } from '@mainstay/contract/core/tasks'
import { onChange } from '../api/changes'
import { loadTexts, textsNow, type Translate } from '../i18n/use-t'
import type { Key } from '../i18n/catalogues'
import { announceTasks, taskChanged } from './expected-tasks'
import { notify, type NoticeType } from './notices'

/** S1§4: what the state of a task looks like. */
export const noticeTypeOf: Readonly<Record<string, NoticeType>> = {
  aborted: 'error',
  failed: 'error',
  cancelled: 'warning',
  cancelling: 'progress',
  running: 'progress',
  scheduled: 'progress',
  starting: 'progress',
  paused: 'progress',
  success: 'success',
}

const nameOf = ({ args, kwargs }: Task): string => {
  const [first] = args
  const named = typeof first === 'object' && first !== null ? (first as { name?: unknown }).name : kwargs['name']
  return typeof named === 'string' ? named : ''
}

/** The title of a task in words: by its name and state, else in words that fit every task. */
export function taskTitle(task: Task, t: Translate<'tasks'>, has: (key: string) => boolean): string {
  const type = noticeTypeOf[task.state] ?? 'progress'
  const form = type === 'error' ? 'failed' : type === 'success' ? 'done' : type === 'warning' ? 'cancelled' : 'running'
  const own = `${task.name}.${form}`
  return t((has(own) ? own : `any.${form}`) as Key<'tasks'>, { name: nameOf(task), task: task.name })
}

/** A task that fails without saying why still says so (S1§8). */
export const taskError = (task: Task, t: Translate<'tasks'>) => task.error ?? t('unknownReason')

async function show(task: Task) {
  await loadTexts('tasks')
  const t = textsNow('tasks')
  const has = (key: string) => {
    try {
      return t(key as Key<'tasks'>, { name: '', task: '' }) !== key
    } catch {
      return false // while developing, a missing text throws
    }
  }
  const type = noticeTypeOf[task.state] ?? 'progress'
  notify({
    id: `task-${task.id}`,
    type,
    title: taskTitle(task, t, has),
    taskId: task.id,
    ...(type === 'error' && { message: taskError(task, t) }),
    ...(type === 'progress' && { share: task.progress > 0 ? task.progress / 100 : null }),
  })
}

/** Shows the tasks that were started from this page, from their start to their end. */
export function followTasks(): () => void {
  announceTasks((task) => void show(task))
  return onChange('task', ({ entity }) => {
    if (entity) taskChanged(entity as unknown as Task)
  })
}
