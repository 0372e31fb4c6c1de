import { taskIsOver, tasks, type Task } from '@mainstay/contract/core/tasks'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { taskText } from '../../../notices/task-words'
import { confirm } from '../../../patterns/dialogs/confirm'
import type { RowAction } from '../../../patterns/table/row-action'
import { useMay } from '../../../session/may'
import { StopIcon } from '../../../ui/icons'
import { tellIfTooLate } from './tell-if-too-late'

/** What can be done to a task: it can be cancelled while it goes on and can be taken back. */
export function useTaskActions(): (task: Task) => RowAction[] {
  const t = useT('tasks')
  const may = useMay()
  const cancel = useCall(tasks.cancel, { refresh: [tasks.list] })
  return (task) =>
    may(tasks.cancel.needs) && task.cancellable && !taskIsOver(task.state)
      ? [
          {
            label: t('list.cancel'),
            icon: StopIcon,
            isLikely: true,
            disabledBecause: task.state === 'cancelling' ? t('list.isCancelling') : undefined,
            run: () =>
              void confirm({
                title: t('list.cancelTitle'),
                text: t('list.cancelNote', { task: taskText(task, t) }),
                verb: t('list.cancel'),
                isDanger: true,
                async run(signal) {
                  await cancel.run({ params: { id: task.id } }, { signal })
                  void tellIfTooLate(task.id, t)
                },
              }),
          },
        ]
      : []
}
