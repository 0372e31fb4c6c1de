import { taskIsOver, tasks, type Task } from '@mainstay/contract/core/tasks'
import { useCall } from '../../api/use-call'
import { useFormat } from '../../i18n/use-format'
import { useT } from '../../i18n/use-t'
import { useNow } from '../../lib/use-now'
import { isPageKnown } from '../../nav/known-pages'
import { useAppNavigate } from '../../nav/use-app-navigate'
import type { Notice } from '../../notices/notice-types'
import { useNotices } from '../../notices/notices'
import { cancelNote } from '../../notices/task-words'
import { confirm } from '../../patterns/dialogs/confirm'
import { useMay } from '../../session/may'
import { Button } from '../../ui/Button'
import { EmptyState } from '../../ui/feedback/EmptyState'
import { NoticeItem } from './NoticeItem'
import css from './NotificationCentre.module.css'

type TaskNotice = Notice & { task: Task }

const allTasks = '/tasks'

/** Tasks that the user started: running ones first, then the newest. */
export function TaskItems({ onLeave }: { onLeave: () => void }) {
  const t = useT('notices')
  const may = useMay()
  const go = useAppNavigate()
  const told = useNotices(({ notices }) => notices).filter((notice): notice is TaskNotice => notice.task !== undefined)
  const shown = told.toSorted((a, b) => Number(taskIsOver(a.task.state)) - Number(taskIsOver(b.task.state)))
  return (
    <>
      {isPageKnown(allTasks) && may(tasks.list.needs) && (
        <div className={css.bar}>
          <Button
            variant="plain"
            size="small"
            onPress={() => {
              go(allTasks)
              onLeave()
            }}
          >
            {t('tasks.all')}
          </Button>
        </div>
      )}
      <div className={css.list}>
        {shown.length === 0 && <EmptyState>{t('tasks.empty')}</EmptyState>}
        <ul>
          {shown.map((notice) => (
            <li key={notice.id} className={css.line}>
              <TaskItem notice={notice} onLeave={onLeave} />
            </li>
          ))}
        </ul>
      </div>
    </>
  )
}

function TaskItem({ notice, onLeave }: { notice: TaskNotice; onLeave: () => void }) {
  const t = useT('notices')
  const words = useT('tasks')
  const may = useMay()
  const cancel = useCall(tasks.cancel)
  const { task } = notice
  const isCancellable = task.cancellable && !taskIsOver(task.state) && task.state !== 'cancelling'
  const ask = () =>
    void confirm({
      title: words('list.cancelTitle'),
      text: cancelNote(task, words),
      verb: words('list.cancel'),
      isDanger: true,
      run: (signal) => cancel.run({ params: { id: task.id } }, { signal }),
    })
  return (
    <NoticeItem
      notice={notice}
      hasNoBar
      onLeave={onLeave}
      note={<TaskTimes task={task} />}
      more={
        isCancellable &&
        may(tasks.cancel.needs) && (
          <Button
            variant="plain"
            size="small"
            onPress={() => {
              onLeave()
              ask()
            }}
          >
            {t('tasks.cancel')}
          </Button>
        )
      }
    />
  )
}

/** Progress and start time of a running task, or the duration of a finished one. */
function TaskTimes({ task }: { task: Task }) {
  const t = useT('notices')
  const format = useFormat()
  const now = useNow()
  const end = task.finished_at === null ? Math.max(now, Date.parse(task.updated_at)) : Date.parse(task.finished_at)
  const times = {
    started: format.time(task.created_at),
    duration: format.duration(Math.max(0, end - Date.parse(task.created_at))),
  }
  return (
    <span>
      {taskIsOver(task.state)
        ? t('tasks.took', times)
        : t('tasks.since', { ...times, percent: format.percent(task.progress / 100, 0) })}
    </span>
  )
}
