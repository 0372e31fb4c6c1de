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
    // cancelled as requested, or failed, which has its own notification
  }
}
