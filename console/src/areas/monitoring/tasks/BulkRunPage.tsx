import { bulkRuns } from '@mainstay/contract/core/bulk-runs'
import { taskIsOver, taskKind, tasks } from '@mainstay/contract/core/tasks'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { useParam } from '../../../nav/use-param'
import { taskText } from '../../../notices/task-words'
import { BulkOutcome } from '../../../patterns/bulk-run/BulkOutcome'
import { useBulkRun } from '../../../patterns/bulk-run/use-bulk-run'
import { DrawerPage } from '../../../patterns/DrawerPage'
import { Button } from '../../../ui/Button'
import { EmptyState } from '../../../ui/feedback/EmptyState'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { taskStatus } from '../../../patterns/tasks/task-status'

/** Details of a bulk run: its progress, which objects failed and why, and a button to retry them. */
export default function BulkRunPage() {
  const t = useT('bulk')
  const tasksText = useT('tasks')
  const id = useParam('id')
  const go = useAppNavigate()
  const followed = useBulkRun(id)
  const taskId = followed.run?.task_id ?? ''
  const task = useView(tasks.view, { id: taskId }, { kind: taskKind, isEnabled: taskId !== '' })
  const stop = useCall(tasks.cancel)
  const retry = useCall(bulkRuns.retry, {
    refresh: [tasks.list],
    done: (next) => go(`/tasks/runs/${next.id}`, { replace: true, keepsSearch: true }),
  })
  const { left, isOver, problem } = followed
  return (
    <DrawerPage
      view={followed.run ? task : { ...task, problem: task.problem ?? problem }}
      what={t('run.title')}
      title={(it) => taskText(it, tasksText)}
      subtitle={(it) => (
        <StatusBadge tone={taskStatus(it, tasksText).tone}>{taskStatus(it, tasksText).text}</StatusBadge>
      )}
      closeTo="/tasks"
    >
      {(it) => (
        <>
          {isOver && left?.length === 0 && <EmptyState>{t('run.over')}</EmptyState>}
          <BulkOutcome
            followed={followed}
            actions={
              taskIsOver(it.state) ? (
                left &&
                left.length > 0 && (
                  <Button variant="primary" isBusy={retry.isPending} onPress={() => retry.start({ params: { id } })}>
                    {t('retry', { left: left.length })}
                  </Button>
                )
              ) : (
                <Button isBusy={stop.isPending} onPress={() => stop.start({ params: { id: it.id } })}>
                  {t('stop')}
                </Button>
              )
            }
          />
        </>
      )}
    </DrawerPage>
  )
}
