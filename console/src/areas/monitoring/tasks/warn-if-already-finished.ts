import { waitForTask } from '../../../api/wait-for-task'
import type { Translate } from '../../../i18n/use-t'
import { notify } from '../../../notices/notices'
import { taskText } from '../../../notices/task-words'

/** After a task was asked to cancel: it may have been done before it heard of it, which is not what was wanted. */
export async function warnIfAlreadyFinished(id: string, t: Translate<'tasks'>): Promise<void> {
  try {
    const done = await waitForTask(id)
    notify({ type: 'warning', title: t('list.tooLate', { task: taskText(done, t) }) })
  } catch {
    // cancelled, as it should be, or failed, which its own notification tells
  }
}
