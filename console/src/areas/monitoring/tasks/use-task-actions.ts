import { taskIsOver, tasks, type Task } from '@mainstay/contract/core/tasks'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { cancelNote } from '../../../notices/task-words'
import { confirm } from '../../../patterns/dialogs/confirm'
import type { RowAction } from '../../../patterns/table/row-action'
import { useMay } from '../../../session/may'
import { PauseIcon, StartIcon, StopIcon } from '../../../ui/icons'
import { warnIfAlreadyFinished } from './warn-if-already-finished'

/** Actions for a task: cancel if it is cancellable, pause and resume if it has steps. */
export function useTaskActions(): (task: Task) => RowAction[] {
  const t = useT('tasks')
  const may = useMay()
  const cancel = useCall(tasks.cancel, { refresh: [tasks.list] })
  const pause = useCall(tasks.pause, { refresh: [tasks.list, tasks.view] })
  const resume = useCall(tasks.resume, { refresh: [tasks.list, tasks.view] })
  return (task) => {
    const { id, state, steps, question, is_pausing } = task
    const isOn = !taskIsOver(state) && state !== 'cancelling'
    const canResume = isOn && may(tasks.resume.needs) && !question && (state === 'paused' || Boolean(is_pausing))
    const canPause = isOn && may(tasks.pause.needs) && Boolean(steps) && state !== 'paused' && !is_pausing
    return [
      ...(canPause ? [{ label: t('list.pause'), icon: PauseIcon, run: () => pause.start({ params: { id } }) }] : []),
      ...(canResume ? [{ label: t('list.resume'), icon: StartIcon, run: () => resume.start({ params: { id } }) }] : []),
      ...(may(tasks.cancel.needs) ? cancelling(task) : []),
    ]
  }

  function cancelling(task: Task): RowAction[] {
    if (!task.cancellable || taskIsOver(task.state)) return []
    return [
      {
        label: t('list.cancel'),
        icon: StopIcon,
        isLikely: true,
        disabledBecause: task.state === 'cancelling' ? t('list.isCancelling') : undefined,
        run: () =>
          void confirm({
            title: t('list.cancelTitle'),
            text: cancelNote(task, t),
            verb: t('list.cancel'),
            isDanger: true,
            async run(signal) {
              await cancel.run({ params: { id: task.id } }, { signal })
              void warnIfAlreadyFinished(task.id, t)
            },
          }),
      },
    ]
  }
}
