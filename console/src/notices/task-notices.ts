import { taskIsOver, tasks, type Task } from '@mainstay/contract/core/tasks'
import { call } from '../api/call'
import { loadTexts, textsNow } from '../i18n/use-t'
import { viewPath } from '../nav/known-pages'
import { mayNow } from '../session/may'
import { sessionNow } from '../session/session'
import { announceTasks, expectTasks } from './expected-tasks'
import { settingsNow } from './notice-settings'
import type { NoticeAction } from './notice-types'
import { notify, useNotices } from './notices'
import { isGone, noticeTypeOf, subjectOf, taskError, taskText } from './task-words'

/** An action that opens the page of the task’s object, if there is one. */
function actionsOf(task: Task): NoticeAction[] {
  const subject = subjectOf(task)
  const page = subject && viewPath(subject.kind, subject.id)
  if (!page || isGone(task)) return []
  return [{ label: textsNow('notices')('open'), name: 'open', payload: page }]
}

async function show(task: Task, isAsked: boolean) {
  await Promise.all([loadTexts('tasks'), loadTexts('notices')])
  const t = textsNow('tasks')
  const type = noticeTypeOf[task.state] ?? 'progress'
  const id = `task-${task.id}`
  const before = useNotices.getState().notices.find((notice) => notice.id === id)
  // the list and the socket may report the same task in either order
  if (before?.task && taskIsOver(before.task.state) && !taskIsOver(task.state)) return
  notify({
    id,
    type,
    title: taskText(task, t),
    task,
    // an update to a hidden notification stays hidden, but the end of the task is shown
    showBottom: isAsked && (taskIsOver(task.state) || before?.showBottom !== false),
    ...(type === 'error' && { message: taskError(task, t) }),
    ...(type === 'progress' ? { progress: task.progress > 0 ? task.progress : null } : { actions: actionsOf(task) }),
  })
}

/** Shows tasks that were started from this page, from start to end. */
export const showTaskNotices = () => announceTasks((task) => void show(task, true))

const goesOn = 'in:starting,running,cancelling,paused'

/** Lists running tasks that the user started before this page was opened. The corner shows only their end. */
export async function findRunning(): Promise<void> {
  const { user } = sessionNow()
  if (!user || !mayNow(tasks.list.needs)) return
  const query = { state: goesOn, user_id: user.id, limit: settingsNow().maxMainItems }
  const { data } = await call(tasks.list, { query }, { isUnchecked: true })
  for (const task of data.filter(({ flow }) => flow === null)) {
    expectTasks(undefined, task)
    await show(task, false)
  }
}
