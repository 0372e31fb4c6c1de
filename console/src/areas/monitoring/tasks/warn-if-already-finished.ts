import { waitForTask } from '../../../api/wait-for-task'
import type { Translate } from '../../../i18n/use-t'
import { notify } from '../../../notices/notices'
import { taskText } from '../../../notices/task-words'

/** Waits for a task after a cancel request, and warns if it had already succeeded. */
export async function warnIfAlreadyFinished(id: string, t: Translate<'tasks'>): Promise<void> {
  try {
    const done = await waitForTask(id)
    notify({ type: 'warning', title: t('list.tooLate'), message: taskText(done, t) })
  } catch {
    // the task was cancelled as requested, or it failed, which shows a notification of its own
  }
}
